/**
 * Handlers: the shipment operations.
 */

import type { Caller, Integration } from "@crossdock/access"
import { Products } from "@crossdock/catalog"
import { Ids, type Page } from "@crossdock/kernel"
import {
  type MoveBatch,
  type OperationFamily,
  type OrderedShipment,
  type Shipment,
  Shipments
} from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Seller } from "../Authentication.ts"
import { Failure } from "../Failure.ts"
import * as Body from "../internal/Body.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import * as Outcome from "../internal/Outcome.ts"
import * as Records from "../internal/Records.ts"
import { Limits } from "../Limits.ts"
import { Reply } from "../Reply.ts"
import * as CourierDetails from "./CourierDetails.ts"
import { DocumentLinks } from "./DocumentLinks.ts"
import * as ReturnBody from "./ReturnBody.ts"
import { SellerApi } from "./SellerApi.ts"
import { infoQueryOf, queryOf } from "./ShipmentQuery.ts"
import * as ShipmentRecords from "./ShipmentRecords.ts"
import * as ShipmentTracking from "./ShipmentTracking.ts"
import { infoView, shipmentView } from "./ShipmentView.ts"

const noShipment = (named: string) =>
  new Failure({ code: "NOT_FOUND", message: `There is no shipment ${named}. Check the id.` })

const noShipmentWithAwb = (awb: string) =>
  new Failure({ code: "NOT_FOUND", message: `There is no shipment with the AWB ${awb}. Check the number.` })

type Moves = Records.Listed<MoveBatch.MoveRequest>["decoded"]

const courierDetails = Records.listed(CourierDetails.decode, Limits.shipmentRecords)

const totalOf = ({ total }: Page.Paged<unknown>) => ({ headers: { "x-total-count": String(total) } })

export const layer = Endpoints.group(SellerApi, "shipments", (handlers) =>
  Effect.gen(function* () {
    const shipments = yield* Shipments.Shipments
    const products = yield* Products.Products
    const reply = yield* Reply
    const ids = yield* Ids.Ids
    const links = yield* DocumentLinks

    const bulk = Records.bulk(reply, Seller, ["orderId"])

    const moveAs = (family: OperationFamily) => (caller: Caller<Integration>, moves: Moves) =>
      shipments.moveAsSeller(caller, family, moves)

    const move = <A extends object>(
      family: OperationFamily,
      decode: ShipmentRecords.Decoder,
      shape: Records.Shape<A, Caller<Integration>>
    ) => {
      const handled = bulk(Records.listed(decode, Limits.shipmentRecords), moveAs(family), shape)
      return () => handled
    }

    const envelope = Outcome.envelope(ids)

    const pageOf = (caller: Caller<Integration>, query: Shipments.ShipmentQuery, page: Page.Page) =>
      Effect.filterOrElse(
        shipments.page(caller, query, page),
        ({ total }) => query.id === undefined || total > 0,
        () => noShipment(query.id ?? "")
      )

    const viewsOf = (caller: Caller<Integration>, { items }: Page.Paged<OrderedShipment<Shipment>>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const skus = items.flatMap(({ shipment }) => shipment.items.map(({ sku }) => sku))
        const returnless = skus.length === 0 ? new Set<string>() : yield* products.returnless(caller, skus)
        return items.map((one) => shipmentView(one, links.urlsOf(one.shipment, now), returnless))
      })

    return handlers({
      read: ({ query }) =>
        Effect.gen(function* () {
          const caller = yield* Seller
          const page = { number: query.pageNumber, size: query.pageSize }
          const found = yield* pageOf(caller, yield* queryOf(caller, query), page)
          return HttpServerResponse.jsonUnsafe(yield* viewsOf(caller, found), totalOf(found))
        }),
      info: ({ query }) =>
        Effect.gen(function* () {
          const caller = yield* Seller
          const page = { number: query.pageNumber, size: query.pageSize }
          const found = yield* pageOf(caller, yield* infoQueryOf(query), page)
          return HttpServerResponse.jsonUnsafe(infoView(yield* viewsOf(caller, found)), totalOf(found))
        }),
      courierDetails: () =>
        Effect.gen(function* () {
          const caller = yield* Seller
          const { decoded, records } = yield* courierDetails(yield* Body.readOnly)
          const found = yield* shipments.read(caller, CourierDetails.idsOf(decoded))
          return HttpServerResponse.jsonUnsafe(CourierDetails.courierDetails(records, decoded, found))
        }),
      track: () =>
        Effect.gen(function* () {
          const caller = yield* Seller
          const lookup = yield* ShipmentTracking.read(yield* Body.readOnly)
          const found = yield* shipments.track(caller, lookup)
          if (found === undefined)
            return yield* "awbNumber" in lookup ? noShipmentWithAwb(lookup.awbNumber) : noShipment(lookup.shipmentId)
          return HttpServerResponse.jsonUnsafe(ShipmentTracking.trackingView(found, lookup))
        }),
      confirm: move("confirm", ShipmentRecords.confirm, Outcome.moves),
      cancel: move("cancel", ShipmentRecords.cancel, Outcome.moves),
      invoiceUpdate: move("invoiceUpdate", ShipmentRecords.invoiceUpdate, Outcome.moves),
      pack: move("pack", ShipmentRecords.pack, Outcome.moves),
      dispatch: move("dispatch", ShipmentRecords.dispatch, Outcome.moves),
      return: ({ query }) => bulk(ReturnBody.reader(query), moveAs("return"), Outcome.moves),
      awb: move("awb", ShipmentRecords.awb, envelope),
      status: move("status", ShipmentRecords.status, envelope)
    })
  })
)
