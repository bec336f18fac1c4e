/**
 * The platform interface: document 3, platform-side.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { internal } from "../Failure.ts"
import { AuditGroup } from "./AuditApi.ts"
import { BillingGroup } from "./BillingApi.ts"
import { ConfirmGroup } from "./ConfirmApi.ts"
import { PlatformTokenGroup } from "./PlatformTokenApi.ts"

export class PlatformApi extends HttpApi.make("platform")
  .add(PlatformTokenGroup)
  .add(AuditGroup)
  .add(BillingGroup)
  .add(ConfirmGroup)
  .addError(internal)
  .annotate(OpenApi.Title, "Platform interface")
  .annotate(OpenApi.Version, "1.4.1") {}
