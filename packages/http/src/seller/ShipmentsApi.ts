/** Contract: shipments of orders, with their papers. Source: docs/reference/shipments.md and documents.md#labels. */
import { printSizes, type ShipmentDocuments } from "@crossdock/documents"
import { orderStatusValues } from "@crossdock/shipments"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import {
  type AnswerCode,
  badRequest,
  bodyErrors,
  notFound,
  tooLarge,
  unavailable,
  unsupportedMediaType
} from "../Failure.ts"
import { bulkCodes } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, optionalField } from "../internal/Fields.ts"
import { codes, withTotalCount } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { opened, Pdf, pdfCodes } from "../SignedLinks.ts"
import { qualityChecks } from "./ReturnBody.ts"
import { shipmentKeys, shipmentMoves } from "./ShipmentMoves.ts"
import { CourierDetails, TrackBody, Tracking } from "./ShipmentTracking.ts"
import { InfoView, ShipmentView } from "./ShipmentView.ts"

export const ShipmentQuery = Schema.Struct({
  orderId: optionalField(Fields.name, "One shipment, by its id; other filters and the page are then ignored"),
  orderingChannel: optionalField(Fields.text(), "A marketplace's slug"),
  orderStatus: Schema.optionalKey(Fields.oneOf(...orderStatusValues)),
  pageNumber: field(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
  pageSize: field(Fields.withDefault(Fields.queryInteger(1, Limits.shipmentsPageSize), 20), "Shipments on a page"),
  locationCode: optionalField(Fields.text(), "A location of the company"),
  orderDateFrom: optionalField(Fields.day, "Orders of this day and later: dd-mm-yyyy, UTC"),
  orderDateTo: optionalField(Fields.day, "Orders of this day and earlier: dd-mm-yyyy, UTC")
})

const base = "/oms/v3/shipment"

const list = <const Name extends string, const Path extends `/${string}`, S extends Schema.Top>(
  name: Name,
  path: Path,
  success: S
) =>
  HttpApiEndpoint.get(name, path, { query: ShipmentQuery, success, error: [...bodyErrors, notFound] })
    .annotate(OpenApi.Transform, withTotalCount)
    .annotateMerge(codes("UNKNOWN_LOCATION"))

export class ShipmentsGroup extends HttpApiGroup.make("shipments")
  .add(
    list("read", base, Schema.Array(ShipmentView).annotate({ description: "The shipments of the page, newest first" })),
    ...Object.values(shipmentMoves).map(({ endpoint }) => endpoint),
    list("info", `${base}/info`, InfoView),
    HttpApiEndpoint.post("courierDetails", `${base}/courierDetails`, {
      payload: shipmentKeys.payload,
      success: CourierDetails,
      error: bodyErrors
    }).annotateMerge(bulkCodes),
    HttpApiEndpoint.post("track", `${base}/track`, {
      payload: TrackBody,
      success: Tracking,
      error: [...bodyErrors, notFound]
    }),
    qualityChecks.endpoint
  )
  .middleware(SellerAuthentication) {}

/** The size may be in lower or upper case. */
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
