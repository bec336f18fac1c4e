/** Handlers: labels and invoices as PDF. */
import { OwnPapers, type PrintSize, ShipmentDocuments } from "@crossdock/documents"
import { pointer } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Seller } from "../Authentication.ts"
import { Failure, validationFailed } from "../Failure.ts"
import * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { turnOf } from "../RequestContext.ts"
import { documentResponse } from "../SignedLinks.ts"
import { type DocumentLink, DocumentLinks } from "./DocumentLinks.ts"
import { PackRecord, shipmentKeys } from "./ShipmentMoves.ts"
import { DocumentLinksGroup, DocumentsGroup } from "./ShipmentsApi.ts"

type Family = ShipmentDocuments.DocumentFamily

const sizeOf = (sent: PrintSize | Uppercase<PrintSize> | undefined): PrintSize | undefined =>
  sent === "A4" ? "a4" : sent === "A6" ? "a6" : sent

const decode = Decode.all(PackRecord)

/** The ids of the shipments to print. One invalid record fails the request, which reports all invalid records. */
const idsIn = (records: ReadonlyArray<unknown>): Result.Result<ReadonlyArray<string>, Failure> => {
  const [keys, violations] = Arr.partition(records, (record, index) => decode(record, [index]))
  return violations.length > 0
    ? Result.fail(validationFailed(violations.flat()))
    : Result.succeed(keys.map(({ orderId }) => orderId))
}

const failureOf = (rejected: ShipmentDocuments.DocumentsRejected): Failure =>
  new Failure({
    code: rejected.rejected[0].code,
    message: rejected.message,
    errors: rejected.rejected.map(({ code, index, message }) => ({ path: pointer([index, "orderId"]), code, message }))
  })

export const documents = Endpoints.group(DocumentsGroup, function* (handlers) {
  const documents = yield* ShipmentDocuments.ShipmentDocuments
  const own = yield* OwnPapers
  const print =
    (family: Family) =>
    ({ query }: { readonly query: { readonly printSize?: PrintSize | Uppercase<PrintSize> } }) =>
      Effect.gen(function* () {
        const { principal } = yield* Seller
        const ids = yield* Effect.fromResult(idsIn(yield* shipmentKeys.read(yield* Body.readOnly)))
        const printed = documents.print(principal, family, ids, sizeOf(query.printSize))
        return documentResponse(yield* Effect.catchTag(printed, "DocumentsRejected", failureOf), family, own[family])
      })
  return handlers({ labels: print("labels"), invoice: print("invoice") })
})

export const links = Endpoints.group(DocumentLinksGroup, function* (handlers) {
  const documents = yield* ShipmentDocuments.ShipmentDocuments
  const links = yield* DocumentLinks
  const own = yield* OwnPapers
  const print = ({ companyId, family, shipmentId, size }: DocumentLink) =>
    documents.print({ companyId, locations: null }, family, [shipmentId], size).pipe(
      Effect.map((bytes) => documentResponse(bytes, `${family}-${shipmentId}`, own[family])),
      Effect.catchTag("DocumentsRejected", ({ message }) => new Failure({ code: "NOT_FOUND", message }))
    )
  return handlers({
    open: Effect.fnUntraced(function* ({ params, query }) {
      const now = yield* Clock.currentTimeMillis
      const link = yield* Effect.fromResult(links.open({ ...params, ...query }, now))
      yield* turnOf(`links:${link.companyId}`)
      return yield* print(link)
    })
  })
})
