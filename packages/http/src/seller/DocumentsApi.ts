/** Contract: labels and invoices as PDF. Source: docs/reference/documents.md#labels. */

import { printSizes, type ShipmentDocuments } from "@crossdock/documents"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import type { AnswerCode } from "../ErrorCodes.ts"
import { badRequest, tooLarge, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { optionalField } from "../internal/Fields.ts"
import { callers, codes, group, operation } from "../internal/OpenApiDocument.ts"
import { opened, Pdf, pdfCodes } from "../SignedLinks.ts"
import { shipmentKeys } from "./ShipmentMoves.ts"

/** In either case. */
const PrintQuery = Schema.Struct({
  printSize: optionalField(
    Fields.oneOf(...printSizes, "A4", "A6"),
    "Size of the sheets; a6 for labels and a4 for invoices when absent"
  )
})

const print = <const Family extends ShipmentDocuments.DocumentFamily>(
  family: Family,
  {
    own,
    rules,
    summary,
    what
  }: {
    /** The codes of this operation alone. */
    readonly own: ReadonlyArray<AnswerCode>
    readonly rules: ReadonlyArray<string>
    readonly summary: string
    readonly what: string
  }
) =>
  HttpApiEndpoint.post(family, `/oms/v3/shipment/${family}`, {
    query: PrintQuery,
    payload: shipmentKeys.payload,
    success: Pdf,
    error: [badRequest, tooLarge, unsupportedMediaType, unavailable]
  })
    .annotateMerge(
      operation(
        summary,
        `One PDF with the ${what}, at most ${shipmentKeys.limit} of them. If any is not ready, the answer is 400 and there is no PDF. ${callers.integrationOfLocation}`,
        ...rules,
        "documents.md#print-size"
      )
    )
    .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS", ...own, ...pdfCodes))

export class DocumentsGroup extends HttpApiGroup.make("documents")
  .add(
    print("labels", {
      summary: "Print shipping labels",
      what: "labels of packed shipments",
      rules: ["documents.md#labels"],
      own: ["L400", "L403"]
    }),
    print("invoice", {
      summary: "Print invoices and credit notes",
      what: "invoices of packed shipments or the credit notes of returns",
      rules: ["documents.md#invoices", "documents.md#credit-notes"],
      own: ["IN400", "IN403"]
    })
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Labels and invoices", "Labels, invoices and credit notes as PDF")) {}

export class DocumentLinksGroup extends HttpApiGroup.make("documentLinks")
  .add(
    opened("/documents/:document", {
      summary: "Open a document by its link",
      document: "A label, invoice or credit note",
      link: "The link of a shipment",
      rules: "documents.md#links"
    })
  )
  .annotateMerge(group("Document links", "Documents by signed links, without a token")) {}
