/**
 * Contract: labels and invoices as PDF. Source: docs/reference/documents.md#labels.
 */

import { printSizes } from "@crossdock/documents"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, notFound, tooLarge, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { Pdf } from "../internal/Pdf.ts"
import { Limits } from "../Limits.ts"
import { Proof } from "../SignedLinks.ts"
import { PackRecord } from "./ShipmentRecords.ts"

const sizes = [...printSizes, "A4", "A6"] as const

/** In either case. */
const PrintQuery = Schema.Struct({ printSize: Schema.optionalKey(Fields.oneOf(...sizes)) })

const Shipments = Schema.Array(PackRecord).pipe(Schema.check(Schema.isMaxLength(Limits.shipmentRecords)))

const errors = [badRequest, tooLarge, unsupportedMediaType, unavailable] as const

export class DocumentsGroup extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.post("labels", "/oms/v3/shipment/labels", {
      query: PrintQuery,
      payload: Shipments,
      success: Pdf,
      error: errors
    }).annotate(OpenApi.Summary, "Print shipping labels of packed shipments as PDF, A6 unless printSize is a4")
  )
  .add(
    HttpApiEndpoint.post("invoice", "/oms/v3/shipment/invoice", {
      query: PrintQuery,
      payload: Shipments,
      success: Pdf,
      error: errors
    }).annotate(
      OpenApi.Summary,
      "Print invoices of packed shipments, or credit notes, as PDF, A4 unless printSize is a6"
    )
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Labels and invoices") {}

const linkErrors = [badRequest, unauthorized, notFound, unavailable] as const

export class DocumentLinksGroup extends HttpApiGroup.make("documentLinks")
  .add(
    HttpApiEndpoint.get("open", "/documents/:document", {
      params: Schema.Struct({ document: Fields.text() }),
      query: Proof,
      success: Pdf,
      error: linkErrors
    }).annotate(OpenApi.Summary, "Open a label or invoice by its signed link; needs no token")
  )
  .annotate(OpenApi.Title, "Document links") {}
