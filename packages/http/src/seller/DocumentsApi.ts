/** Contract: labels and invoices as PDF. Source: docs/reference/documents.md#labels. */
import { printSizes, type ShipmentDocuments } from "@crossdock/documents"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import type { AnswerCode } from "../ErrorCodes.ts"
import { badRequest, tooLarge, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { codes } from "../internal/OpenApiDocument.ts"
import { opened, Pdf, pdfCodes } from "../SignedLinks.ts"
import { shipmentKeys } from "./ShipmentMoves.ts"

/** In either case. */
const PrintQuery = Schema.Struct({
  printSize: Schema.optionalKey(Fields.oneOf(...printSizes, "A4", "A6"))
})

const print = <const Family extends ShipmentDocuments.DocumentFamily>(
  family: Family,
  /** The codes of this operation alone. */
  ...own: ReadonlyArray<AnswerCode>
) =>
  HttpApiEndpoint.post(family, `/oms/v3/shipment/${family}`, {
    query: PrintQuery,
    payload: shipmentKeys.payload,
    success: Pdf,
    error: [badRequest, tooLarge, unsupportedMediaType, unavailable]
  }).annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS", ...own, ...pdfCodes))

export class DocumentsGroup extends HttpApiGroup.make("documents")
  .add(print("labels", "L400", "L403"), print("invoice", "IN400", "IN403"))
  .middleware(SellerAuthentication) {}

export class DocumentLinksGroup extends HttpApiGroup.make("documentLinks").add(opened("/documents/:document")) {}
