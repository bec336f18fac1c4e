/**
 * Contract: the `invoice_url` of an invoice. Source: docs/reference/billing.md#invoice-links.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, notFound, unauthorized, unavailable } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { Pdf } from "../internal/Pdf.ts"
import { Proof } from "../SignedLinks.ts"
import { invoicePath } from "./InvoiceDocuments.ts"

const errors = [badRequest, unauthorized, notFound, unavailable] as const

export class InvoiceDocumentsGroup extends HttpApiGroup.make("invoiceDocuments")
  .add(
    HttpApiEndpoint.get("open", `${invoicePath}/:document`, {
      params: Schema.Struct({ document: Fields.text() }),
      query: Proof,
      success: Pdf,
      error: errors
    }).annotate(OpenApi.Summary, "Open an invoice by its signed link; needs no token")
  )
  .annotate(OpenApi.Title, "Invoice documents") {}
