/** The platform interface. Source: docs/reference/platform.md. */
import * as HttpApi from "effect/http-api/HttpApi"
import { ErrorAnswers } from "../Failure.ts"
import * as OpenApiDocument from "../internal/OpenApiDocument.ts"
import { PlatformTokenGroup } from "../TokenApi.ts"
import { AuditGroup } from "./AuditApi.ts"
import { BillingGroup, ConfirmGroup, InvoiceDocumentsGroup } from "./BillingApi.ts"
import texts from "./texts.json" with { type: "json" }

export class PlatformApi extends HttpApi.make("platform")
  .add(PlatformTokenGroup, AuditGroup, BillingGroup, ConfirmGroup, InvoiceDocumentsGroup)
  .middleware(ErrorAnswers)
  .annotateMerge(OpenApiDocument.annotations("Platform interface", "1.4.1", texts)) {}
