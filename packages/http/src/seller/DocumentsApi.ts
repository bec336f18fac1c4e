/**
 * Contract: labels and invoices as PDF. Source: docs/reference/documents.md#labels.
 */

import { printSizes } from "@crossdock/documents"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, notFound, tooLarge, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"
import { Pdf } from "../internal/Pdf.ts"
import { Limits } from "../Limits.ts"
import { Proof } from "../SignedLinks.ts"
import { PackRecord } from "./ShipmentRecords.ts"

const sizes = [...printSizes, "A4", "A6"] as const

/** In either case. */
const PrintQuery = Schema.Struct({
  printSize: described(
    Schema.optionalKey(Fields.oneOf(...sizes)),
    "Size of the sheets; a6 for labels and a4 for invoices when absent"
  )
})

const Shipments = Schema.Array(PackRecord).pipe(Schema.check(Schema.isMaxLength(Limits.shipmentRecords)))

const errors = [badRequest, tooLarge, unsupportedMediaType, unavailable] as const

export class DocumentsGroup extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.post("labels", "/oms/v3/shipment/labels", {
      query: PrintQuery,
      payload: Shipments,
      success: Pdf,
      error: errors
    })
      .annotateMerge(
        operation(
          "Print shipping labels",
          "One PDF with the labels of packed shipments, at most 20 of them. If any is not ready, the answer is 400 and there is no PDF. Any integration of the company may call it; with a location-level token only for its own locations.",
          "documents.md#labels",
          "documents.md#print-size"
        )
      )
      .annotateMerge(
        codes(
          "EMPTY_REQUEST",
          "TOO_MANY_RECORDS",
          "L400",
          "L403",
          "DOCUMENT_TOO_LARGE",
          "DOCUMENT_TOO_SLOW",
          "DOCUMENTS_BUSY"
        )
      )
  )
  .add(
    HttpApiEndpoint.post("invoice", "/oms/v3/shipment/invoice", {
      query: PrintQuery,
      payload: Shipments,
      success: Pdf,
      error: errors
    })
      .annotateMerge(
        operation(
          "Print invoices and credit notes",
          "One PDF with the invoices of packed shipments or the credit notes of returns, at most 20 of them. If any is not ready, the answer is 400 and there is no PDF. Any integration of the company may call it; with a location-level token only for its own locations.",
          "documents.md#invoices",
          "documents.md#credit-notes",
          "documents.md#print-size"
        )
      )
      .annotateMerge(
        codes(
          "EMPTY_REQUEST",
          "TOO_MANY_RECORDS",
          "IN400",
          "IN403",
          "DOCUMENT_TOO_LARGE",
          "DOCUMENT_TOO_SLOW",
          "DOCUMENTS_BUSY"
        )
      )
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Labels and invoices", "Labels, invoices and credit notes as PDF")) {}

const linkErrors = [badRequest, unauthorized, notFound, unavailable] as const

export class DocumentLinksGroup extends HttpApiGroup.make("documentLinks")
  .add(
    HttpApiEndpoint.get("open", "/documents/:document", {
      params: Schema.Struct({ document: described(Fields.text(), "The document, from the link") }),
      query: Proof,
      success: Pdf,
      error: linkErrors
    })
      .annotateMerge(
        operation(
          "Open a document by its link",
          "A label, invoice or credit note as PDF. The link of a shipment is signed and works until the end of the next day in UTC. Anybody with the link may open it; it needs no token.",
          "documents.md#links"
        )
      )
      .annotateMerge(
        codes("TOKEN_INVALID", "TOKEN_EXPIRED", "DOCUMENT_TOO_LARGE", "DOCUMENT_TOO_SLOW", "DOCUMENTS_BUSY")
      )
  )
  .annotateMerge(group("Document links", "Documents by signed links, without a token")) {}
