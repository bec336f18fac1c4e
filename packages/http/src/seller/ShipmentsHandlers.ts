/**
 * Handlers: the shipment operations.
 */

import { Directory } from "@crossdock/access"
import { type Bulk, Ids } from "@crossdock/kernel"
import { type MoveBatch, type OperationFamily, Shipments } from "@crossdock/shipments"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import { Seller } from "../Authentication.ts"
import { answering, Failure } from "../Failure.ts"
import * as Outcome from "../Outcome.ts"
import * as Records from "../Records.ts"
import { Reply } from "../Reply.ts"
import { DocumentLinks } from "./DocumentLinks.ts"
import { SellerApi } from "./SellerApi.ts"
import { filterOf } from "./ShipmentQuery.ts"
import * as ShipmentRecords from "./ShipmentRecords.ts"
import { recordLimit } from "./ShipmentsApi.ts"
import { shipmentView } from "./ShipmentView.ts"

type Decoder = (value: unknown, root: ReadonlyArray<PropertyKey>) => Either.Either<MoveBatch.MoveRequest, Bulk.Refusal>

type Shape<A> = (
  summary: Bulk.Summary,
  records: ReadonlyArray<unknown>,
  keys: ReadonlyArray<string>
) => Effect.Effect<A>

export const layer = HttpApiBuilder.group(SellerApi, "shipments", (handlers) =>
  Effect.gen(function* () {
    const shipments = yield* Shipments.Shipments
    const directory = yield* Directory
    const reply = yield* Reply
    const ids = yield* Ids.Ids
    const links = yield* DocumentLinks

    const move =
      <A>(family: OperationFamily, decode: Decoder, shape: Shape<A>) =>
      () =>
        Effect.gen(function* () {
          const caller = yield* Seller
          return yield* reply.write({ caller }, (body) =>
            Effect.gen(function* () {
              const records = yield* Records.envelope(body, recordLimit)
              const decoded = Records.decodeEach(records, decode)
              const summary = yield* answering(shipments.moveAsSeller(caller, family, decoded))
              return yield* shape(summary, records, ["orderId"])
            })
          )
        })

    const envelope = Outcome.envelope(ids)

    return handlers
      .handleRaw("read", ({ urlParams }) =>
        Effect.gen(function* () {
          const caller = yield* Seller
          const filter = yield* filterOf(directory, caller, urlParams)
          const page = { number: urlParams.pageNumber, size: urlParams.pageSize }
          const found = yield* shipments.page(caller.principal.companyId, filter, page)
          if (filter.id !== undefined && found.total === 0) {
            return yield* new Failure({ status: 404, code: "NOT_FOUND", message: `There is no shipment ${filter.id}` })
          }
          const now = yield* Clock.currentTimeMillis
          const views = found.items.map((one) => shipmentView(one, links.urlsOf(one.shipment, now)))
          return HttpServerResponse.unsafeJson(views, {
            headers: { "x-total-count": String(found.total) }
          })
        }).pipe(answering)
      )
      .handleRaw("confirm", move("confirm", ShipmentRecords.confirm, Outcome.moves))
      .handleRaw("cancel", move("cancel", ShipmentRecords.cancel, Outcome.moves))
      .handleRaw("invoiceUpdate", move("invoiceUpdate", ShipmentRecords.invoiceUpdate, Outcome.moves))
      .handleRaw("pack", move("pack", ShipmentRecords.pack, Outcome.moves))
      .handleRaw("dispatch", move("dispatch", ShipmentRecords.dispatch, Outcome.moves))
      .handleRaw("awb", move("awb", ShipmentRecords.awb, envelope))
      .handleRaw("status", move("status", ShipmentRecords.status, envelope))
  })
)
