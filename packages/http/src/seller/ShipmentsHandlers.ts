/** Handlers: the shipments of orders. */
import type { Caller, Integration } from "@crossdock/access"
import { CustomFields, Products } from "@crossdock/catalog"
import { Ids, Instant, type Page } from "@crossdock/kernel"
import type { OperationFamily, OrderedShipment } from "@crossdock/shipments"
import { MoveBatch, orderStatusValues, PaperNumbers, Shipments } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Record from "effect/Record"
import { Seller } from "../Authentication.ts"
import { Failure, validationFailed } from "../Failure.ts"
import * as Body from "../internal/Body.ts"
import { type Listed, listOfShipments } from "../internal/BulkOperation.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import * as FieldFilters from "../internal/FieldFilters.ts"
import { presentFields } from "../internal/Fields.ts"
import { Reply } from "../Reply.ts"
import { DocumentLinks } from "./DocumentLinks.ts"
import { qualityChecks } from "./ReturnBody.ts"
import { shipmentKeys, shipmentMoves, unnumberedInvoices } from "./ShipmentMoves.ts"
import { type ShipmentQuery, ShipmentsGroup } from "./ShipmentsApi.ts"
import * as ShipmentTracking from "./ShipmentTracking.ts"
import { infoView, shipmentView } from "./ShipmentView.ts"

type Query = typeof ShipmentQuery.Type & Pick<Shipments.ShipmentQuery, "fields">

const noStatus = {
  path: "/orderStatus",
  code: "REQUIRED",
  message: `is required when there is no orderId: ${orderStatusValues.join(", ")}`
}
const endsEarly = { path: "/orderDateFrom", code: "OUT_OF_RANGE", message: "must not be after orderDateTo" }
const noLocation = {
  path: "/locationCode",
  code: "REQUIRED",
  message: "is required with a token for the whole company: the code of one of its locations"
}

/** The shipments that a query of the info read selects. Source: docs/reference/shipments.md#info. */
const infoQueryOf = (sent: Query) => {
  const { locationCode, orderDateFrom, orderDateTo, orderId, orderStatus, orderingChannel } = sent
  if (orderId === undefined && orderStatus === undefined && sent.fields === undefined)
    return validationFailed([noStatus])
  if (orderId === undefined && (orderDateFrom ?? -Infinity) > (orderDateTo ?? Infinity))
    return validationFailed([endsEarly])
  return Effect.succeed(
    presentFields({
      location: locationCode,
      id: orderId,
      orderStatus,
      marketplace: orderingChannel,
      from: orderDateFrom === undefined ? undefined : orderDateFrom / Instant.dayMillis,
      to: orderDateTo === undefined ? undefined : orderDateTo / Instant.dayMillis,
      fields: sent.fields
    })
  )
}

/** The shipments that a query of the order read selects. With a company-level token, a list needs a location too. */
const queryOf = (caller: Caller<Integration>, sent: Query) => {
  const { locationCode, orderId, orderStatus } = sent
  return orderId === undefined && locationCode === undefined && caller.principal.locations === null
    ? validationFailed([...(orderStatus === undefined ? [noStatus] : []), noLocation])
    : infoQueryOf(sent)
}

const noShipment = (named: string) =>
  new Failure({ code: "NOT_FOUND", message: MoveBatch.noShipment(named) + listOfShipments })

const answer = (views: unknown, { total }: Page.Paged<unknown>) =>
  HttpServerResponse.jsonUnsafe(views, { headers: { "x-total-count": String(total) } })

export const layer = Endpoints.group(ShipmentsGroup, function* (handlers) {
  const shipments = yield* Shipments.Shipments
  const products = yield* Products.Products
  const links = yield* DocumentLinks
  const filters = FieldFilters.reader(yield* CustomFields.Policy)
  const services = { caller: Seller, ids: yield* Ids.Ids, reply: yield* Reply }

  const moveAs =
    (family: OperationFamily) => (caller: Caller<Integration>, moves: Listed<MoveBatch.MoveRequest>["decoded"]) =>
      shipments.moveAsSeller(caller, family, moves)

  const found = (caller: Caller<Integration>, query: Shipments.ShipmentQuery, sent: Query) =>
    Effect.filterOrElse(
      shipments.page(caller, query, { number: sent.pageNumber, size: sent.pageSize }),
      ({ total }) => query.id === undefined || total > 0,
      () => noShipment(query.id ?? "")
    )

  const viewsOf = (caller: Caller<Integration>, { items }: Page.Paged<OrderedShipment>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const skus = items.flatMap(({ shipment }) => shipment.items.map(({ sku }) => sku))
      const returnless = skus.length === 0 ? new Set<string>() : yield* products.returnless(caller, skus)
      return items.map((one) => shipmentView(one, links.urlsOf(one.shipment, now), returnless))
    })

  const isNumbered = (yield* PaperNumbers.Series) !== undefined

  return handlers({
    ...Record.map(shipmentMoves, ({ family, handler }) => handler(services, moveAs(family))),
    ...(isNumbered && { invoiceUpdate: unnumberedInvoices.handler(services, moveAs("invoiceUpdate")) }),
    return: ({ query }) => qualityChecks.handler(services, moveAs("return"), qualityChecks.payload(query))(),
    read: Effect.fnUntraced(function* ({ query }) {
      const caller = yield* Seller
      const sent = { ...query, ...(yield* filters("GET /oms/v3/shipment")) }
      const page = yield* found(caller, yield* queryOf(caller, sent), sent)
      return answer(yield* viewsOf(caller, page), page)
    }),
    info: Effect.fnUntraced(function* ({ query }) {
      const caller = yield* Seller
      const sent = { ...query, ...(yield* filters("GET /oms/v3/shipment/info")) }
      const page = yield* found(caller, yield* infoQueryOf(sent), sent)
      return answer(infoView(yield* viewsOf(caller, page)), page)
    }),
    courierDetails: Effect.fnUntraced(function* () {
      const records = yield* shipmentKeys.read(yield* Body.readOnly)
      const caller = yield* Seller
      return HttpServerResponse.jsonUnsafe(
        yield* ShipmentTracking.courierDetails(records, (ids) => shipments.read(caller, ids))
      )
    }),
    track: Effect.fnUntraced(function* ({ payload }) {
      const lookup = yield* ShipmentTracking.lookupOf(yield* payload({ json: (yield* Body.readOnly)?.json ?? {} }))
      const found = yield* shipments.track(yield* Seller, lookup)
      if (found !== undefined) return HttpServerResponse.jsonUnsafe(ShipmentTracking.trackingView(found, lookup))
      if (!("awbNumber" in lookup)) return yield* noShipment(lookup.shipmentId)
      const message = `There is no shipment with the AWB ${lookup.awbNumber}. Check the number.`
      return yield* new Failure({ code: "NOT_FOUND", message })
    })
  })
})
