/**
 * Contract: labels and invoices as PDF (document 2, Endpoints).
 */

import { printSizes } from "@crossdock/shipments"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, notFound, tooLarge, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { Pdf } from "../Pdf.ts"
import { Proof } from "../SignedLinks.ts"
import { PackRecord } from "./ShipmentRecords.ts"
import { recordLimit } from "./ShipmentsApi.ts"

const PrintQuery = Fields.query({ printSize: Schema.optionalWith(Fields.oneOf(...printSizes), { exact: true }) })

const Shipments = Schema.Array(PackRecord).pipe(Schema.maxItems(recordLimit))

export class DocumentsGroup extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.post("labels", "/oms/v3/shipment/labels")
      .setUrlParams(PrintQuery)
      .setPayload(Shipments)
      .addSuccess(Pdf)
      .annotate(OpenApi.Summary, "Shipping labels of packed shipments, A6 unless printSize says A4")
  )
  .add(
    HttpApiEndpoint.post("invoice", "/oms/v3/shipment/invoice")
      .setUrlParams(PrintQuery)
      .setPayload(Shipments)
      .addSuccess(Pdf)
      .annotate(OpenApi.Summary, "Invoices of packed shipments and credit notes, A4 unless printSize says A6")
  )
  .addError(badRequest)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .addError(unavailable)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Labels and invoices") {}

/**
 * The links that shipments carry.
 */
export class DocumentLinksGroup extends HttpApiGroup.make("documentLinks")
  .add(
    HttpApiEndpoint.get("open", "/documents/:document")
      .setPath(Schema.Struct({ document: Schema.String }))
      .setUrlParams(Proof)
      .addSuccess(Pdf)
      .annotate(OpenApi.Summary, "A document by the signed link that its shipment carries; no token is asked for")
  )
  .addError(badRequest)
  .addError(unauthorized)
  .addError(notFound)
  .addError(unavailable)
  .annotate(OpenApi.Title, "Document links") {}
