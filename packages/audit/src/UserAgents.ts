/**
 * Port: descriptions of user agents.
 */
import * as Context from "effect/Context"
import type { FreeForm } from "./AuditRecord.ts"

/**
 * Describes user agents.
 */
export class UserAgents extends Context.Service<
  UserAgents,
  {
    /** `{browser, device, cpu, os, engine}` of a user agent's text. Source: docs/reference/audit.md#records. */
    readonly describe: (userAgent: string) => FreeForm
  }
>()("@crossdock/audit/UserAgents") {}
