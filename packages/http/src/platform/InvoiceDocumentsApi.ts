/**
 * Contract: the link that an invoice carries as its `invoice_url` (field tables, InvoiceDetails).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, notFound, unauthorized, unavailable } from "../Failure.ts"
import { Pdf } from "../Pdf.ts"
import { Proof } from "../SignedLinks.ts"
import { invoicePath } from "./InvoiceDocuments.ts"

export class InvoiceDocumentsGroup extends HttpApiGroup.make("invoiceDocuments")
  .add(
    HttpApiEndpoint.get("open", `${invoicePath}/:document`)
      .setPath(Schema.Struct({ document: Schema.String }))
      .setUrlParams(Proof)
      .addSuccess(Pdf)
      .annotate(OpenApi.Summary, "An invoice by the signed link that it carries; no token is asked for")
  )
  .addError(badRequest)
  .addError(unauthorized)
  .addError(notFound)
  .addError(unavailable)
  .annotate(OpenApi.Title, "Invoice documents") {}
