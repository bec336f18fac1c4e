/**
 * Contract: labels and invoices as PDF (document 2, Endpoints).
 */

import { printSizes } from "@crossdock/documents"
import { Limits } from "@crossdock/shipments"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, notFound, tooLarge, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { Pdf } from "../Pdf.ts"
import { Proof } from "../SignedLinks.ts"
import { PackRecord } from "./ShipmentRecords.ts"

const PrintQuery = Schema.Struct({ printSize: Schema.optionalKey(Fields.oneOf(...printSizes)) })

const Shipments = Schema.Array(PackRecord).pipe(Schema.check(Schema.isMaxLength(Limits.recordsPerRequest)))

const errors = [badRequest, tooLarge, unsupportedMediaType, unavailable] as const

export class DocumentsGroup extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.post("labels", "/oms/v3/shipment/labels", {
      query: PrintQuery,
      payload: Shipments,
      success: Pdf,
      error: errors
    }).annotate(OpenApi.Summary, "Shipping labels of packed shipments, A6 unless printSize says A4")
  )
  .add(
    HttpApiEndpoint.post("invoice", "/oms/v3/shipment/invoice", {
      query: PrintQuery,
      payload: Shipments,
      success: Pdf,
      error: errors
    }).annotate(OpenApi.Summary, "Invoices of packed shipments and credit notes, A4 unless printSize says A6")
  )
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Labels and invoices") {}

/**
 * The links that shipments carry.
 */
const linkErrors = [badRequest, unauthorized, notFound, unavailable] as const

export class DocumentLinksGroup extends HttpApiGroup.make("documentLinks")
  .add(
    HttpApiEndpoint.get("open", "/documents/:document", {
      params: Schema.Struct({ document: Schema.String }),
      query: Proof,
      success: Pdf,
      error: linkErrors
    }).annotate(OpenApi.Summary, "A document by the signed link that its shipment carries; no token is asked for")
  )
  .annotate(OpenApi.Title, "Document links") {}
