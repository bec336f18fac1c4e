/**
 * Handlers: labels and invoices as PDF.
 */

import { type PrintSize, ShipmentDocuments } from "@crossdock/documents"
import { pointer } from "@crossdock/kernel"
import { Limits } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Result from "effect/Result"
import { Seller } from "../Authentication.ts"
import * as Body from "../Body.ts"
import * as Decode from "../Decode.ts"
import { Failure, validationFailed } from "../Failure.ts"
import * as Pdf from "../Pdf.ts"
import * as Records from "../Records.ts"
import { DocumentLinks } from "./DocumentLinks.ts"
import { SellerApi } from "./SellerApi.ts"
import { PackRecord } from "./ShipmentRecords.ts"

type Family = ShipmentDocuments.DocumentFamily

const defaultSize: { readonly [F in Family]: PrintSize } = { labels: "a6", invoice: "a4" }

const decode = Decode.all(PackRecord)

/**
 * The shipments asked for. Nothing is printed for some of them only, so one wrong record fails the request; all are told.
 */
const idsIn = (records: ReadonlyArray<unknown>): Result.Result<ReadonlyArray<string>, Failure> => {
  const decoded = records.map((record, index) => decode(record, [index]))
  const violations = decoded.flatMap((one) => (Result.isFailure(one) ? one.failure : []))
  return violations.length > 0
    ? Result.fail(validationFailed(violations))
    : Result.succeed(decoded.flatMap((one) => (Result.isSuccess(one) ? [one.success.orderId] : [])))
}

const failureOf = (rejected: ShipmentDocuments.DocumentsRejected): Failure =>
  new Failure({
    status: 400,
    code: rejected.rejected[0].code,
    message: rejected.message,
    errors: rejected.rejected.map(({ code, index, message }) => ({ path: pointer([index, "orderId"]), code, message }))
  })

export const layer = HttpApiBuilder.group(SellerApi, "documents", (handlers) =>
  Effect.gen(function* () {
    const documents = yield* ShipmentDocuments.ShipmentDocuments
    const print =
      (family: Family) =>
      ({ query }: { readonly query: { readonly printSize?: PrintSize } }) =>
        Effect.gen(function* () {
          const { principal } = yield* Seller
          const body = yield* Body.read(yield* HttpServerRequest.HttpServerRequest, Body.ordinaryLimit)
          const ids = yield* Effect.fromResult(idsIn(yield* Records.envelope(body, Limits.recordsPerRequest)))
          const printed = documents.print(principal, family, ids, query.printSize ?? defaultSize[family])
          return Pdf.response(yield* Effect.catchTag(printed, "DocumentsRejected", failureOf), family)
        })
    return handlers.handleRaw("labels", print("labels")).handleRaw("invoice", print("invoice"))
  })
)

export const linksLayer = HttpApiBuilder.group(SellerApi, "documentLinks", (handlers) =>
  Effect.gen(function* () {
    const documents = yield* ShipmentDocuments.ShipmentDocuments
    const links = yield* DocumentLinks
    return handlers.handle("open", ({ params, query }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { companyId, family, shipmentId, size } = yield* Effect.fromResult(
          links.open({ ...params, ...query }, now)
        )
        const printed = yield* documents.print({ companyId, locations: null }, family, [shipmentId], size)
        return Pdf.response(printed, `${family}-${shipmentId}`)
      }).pipe(
        Effect.catchTag("DocumentsRejected", ({ message }) => new Failure({ status: 404, code: "NOT_FOUND", message }))
      )
    )
  })
)
