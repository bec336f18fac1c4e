/**
 * Contract: the `invoice_url` of an invoice. Source: docs/reference/billing.md#invoice-links.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { badRequest, notFound, unauthorized, unavailable } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"
import { Pdf } from "../internal/Pdf.ts"
import { Proof } from "../SignedLinks.ts"
import { invoicePath } from "./InvoiceDocuments.ts"

const errors = [badRequest, unauthorized, notFound, unavailable] as const

export class InvoiceDocumentsGroup extends HttpApiGroup.make("invoiceDocuments")
  .add(
    HttpApiEndpoint.get("open", `${invoicePath}/:document`, {
      params: Schema.Struct({ document: described(Fields.text(), "The document, from the link") }),
      query: Proof,
      success: Pdf,
      error: errors
    })
      .annotateMerge(
        operation(
          "Open an invoice by its link",
          "The invoice as PDF. The invoice_url is signed and works until the end of the next day in UTC. Anybody with the link may open it; it needs no token.",
          "billing.md#invoice-links"
        )
      )
      .annotateMerge(
        codes("TOKEN_INVALID", "TOKEN_EXPIRED", "DOCUMENT_TOO_LARGE", "DOCUMENT_TOO_SLOW", "DOCUMENTS_BUSY")
      )
  )
  .annotateMerge(group("Invoice documents", "Invoices by signed links, without a token")) {}
