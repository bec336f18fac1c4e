/**
 * Port: what a user agent tells of itself.
 */
import * as Context from "effect/Context"
import type { FreeForm } from "./AuditRecord.ts"

export class UserAgents extends Context.Service<
  UserAgents,
  {
    /** `{browser, device, cpu, os, engine}` (document 3, Audit log record). */
    readonly describe: (userAgent: string) => FreeForm
  }
>()("@crossdock/audit/UserAgents") {}
