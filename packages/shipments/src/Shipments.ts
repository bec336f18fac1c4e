/** Use cases that move shipments in bulk and read them. */
import type { Caller, Integration, MarketplaceCaller } from "@crossdock/access"
import { Directory, type Forbidden, locationsToSearch, mayUse, type UnknownLocation } from "@crossdock/access"
import { Bulk, type CompanyId, type Page, pointer, type Stored } from "@crossdock/kernel"
import { unitsLeft } from "@crossdock/returns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { storedAwb } from "./AwbNumbers.ts"
import { Couriers } from "./Couriers.ts"
import type { Outcomes } from "./MoveBatch.ts"
import * as MoveBatch from "./MoveBatch.ts"
import { make as makeMove } from "./MoveWrite.ts"
import type { OperationFamily } from "./Operations.ts"
import { type Courier, noMeta, type OrderedShipment, type Shipment } from "./Shipment.ts"
import type { Report } from "./ShipmentCommand.ts"
import { type ShipmentFilter, ShipmentStore } from "./ShipmentStore.ts"

export { Policy } from "./MoveWrite.ts"

type Requests = ReadonlyArray<Result.Result<MoveBatch.MoveRequest, Bulk.Rejection>>

type HostReport = Pick<Report, "by" | "status">

/** A shipment, and the address of its courier's tracking page. The address is null if there is no such page. */
export interface Tracking {
  readonly shipment: Shipment
  readonly url: string | null
}

/** Selects the shipments to read. `location` is a code. An `id` overrides the other filters and the page. */
export interface ShipmentQuery extends Omit<ShipmentFilter, "locations"> {
  readonly location?: string
}

type MoveAs<P extends Integration | MarketplaceCaller> = (
  caller: Caller<P>,
  family: OperationFamily,
  requests: Requests
) => Stored<Bulk.Summary>

/** Moves shipments in bulk and reads them. */
export class Shipments extends Context.Service<
  Shipments,
  {
    /** Makes moves in order, in one transaction. A rejected move doesn't stop the others: docs/reference/bulk.md#moves. */
    readonly moveAsSeller: MoveAs<Integration>
    /** Makes moves on the orders of a marketplace. Each company gets an audit record. */
    readonly moveAsMarketplace: MoveAs<MarketplaceCaller>
    /** Locks or unlocks shipments. A locked shipment can't move. Source: docs/reference/shipments.md#locked. */
    readonly setLocked: (
      caller: Caller,
      company: CompanyId,
      shipmentIds: ReadonlyArray<string>,
      locked: boolean
    ) => Stored<Bulk.Summary>
    /** Assigns couriers later, for a host whose courier port returned null at first. */
    readonly assignCouriers: (
      caller: Caller,
      company: CompanyId,
      assignments: ReadonlyArray<{ readonly shipmentId: string; readonly courier: Courier }>
    ) => Stored<Bulk.Summary>
    /** Cancels the remaining units of shipments. The host does this on behalf of the seller. */
    readonly cancelAsHost: (
      caller: Caller,
      company: CompanyId,
      shipmentIds: ReadonlyArray<string>,
      reasonCode: string | null
    ) => Stored<Bulk.Summary>
    /** Reports statuses of shipments. The host does this on behalf of the seller or the marketplace. */
    readonly reportAsHost: (
      caller: Caller,
      company: CompanyId,
      shipmentIds: ReadonlyArray<string>,
      report: HostReport
    ) => Stored<Bulk.Summary>
    /** Reads the given shipments that the caller has access to, with their orders. They are in any order. */
    readonly read: (caller: Caller<Integration>, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<OrderedShipment>>
    /** Finds one shipment by id or AWB. Open shipments are preferred to closed ones, and then newer ones to older ones. */
    readonly track: (
      caller: Caller<Integration>,
      sought: { readonly shipmentId: string } | { readonly awbNumber: string }
    ) => Stored<Tracking | undefined>
    /** A page of shipments, newest first. The page covers all locations of the caller, or the location in `query`. */
    readonly page: (
      caller: Caller<Integration>,
      query: ShipmentQuery,
      page: Page.Page
    ) => Stored<Page.Paged<OrderedShipment>, Forbidden | UnknownLocation>
  }
>()("@crossdock/shipments/Shipments") {}

/** Summarizes the bulk, with one outcome per record in the order of the request. A missing outcome is a bug. */
const summarize = (requests: Requests, outcomes: Outcomes): Effect.Effect<Bulk.Summary> => {
  const byIndex = new Map(outcomes)
  const all = Effect.forEach(requests, (request, index) => {
    const outcome = Result.isFailure(request) ? request : byIndex.get(index)
    return outcome === undefined ? Effect.die(new Error(`Record ${index} has no outcome`)) : Effect.succeed(outcome)
  })
  return Effect.map(all, Bulk.summarize)
}

const portionsLeft = ({ items }: Shipment) =>
  items.flatMap((item) => (unitsLeft(item) > 0 ? [{ itemId: item.id, quantity: unitsLeft(item) }] : []))

export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const directory = yield* Directory
  const couriers = yield* Couriers
  const move = yield* makeMove

  const moveAsHost = Effect.fn("Shipments.moveAsHost")(function* (
    caller: Caller,
    company: CompanyId,
    family: OperationFamily,
    records: ReadonlyArray<Pick<MoveBatch.MoveRequest, "shipmentId" | "command">>
  ) {
    const requests = records.map((record, index) => Result.succeed({ ...record, path: pointer([index]) }))
    if (requests.length === 0) return Bulk.summarize(requests)
    const all = { family, by: null, mayMove: () => true, requests: [[company, Bulk.indexed(requests)]] } as const
    return yield* summarize(requests, yield* move(caller, all))
  })

  const read: typeof Shipments.Service.read = Effect.fn("Shipments.read")(function* (caller, ids) {
    const { companyId } = caller.principal
    const found = ids.length === 0 ? [] : yield* store.withOrders(companyId, ids)
    return found.filter(({ shipment }) => mayUse(caller.principal, shipment.location))
  })

  return Shipments.of({
    moveAsSeller: Effect.fn("Shipments.moveAsSeller")(function* (caller, family, requests) {
      const valid = Bulk.indexed(requests)
      if (valid.length === 0) return Bulk.summarize(requests)
      const { companyId } = caller.principal
      const mayMove = (shipment: Shipment) => mayUse(caller.principal, shipment.location)
      const all = { family, by: "seller", mayMove, requests: [[companyId, valid]] } as const
      return yield* summarize(requests, yield* move(caller, all))
    }),

    moveAsMarketplace: Effect.fn("Shipments.moveAsMarketplace")(function* (caller, family, requests) {
      const valid = Bulk.indexed(requests)
      if (valid.length === 0) return Bulk.summarize(requests)
      const ids = valid.map(({ record }) => record.shipmentId)
      const own = yield* store.companiesOf(caller.principal.id, ids)
      const companyOf = new Map(own.map(({ companyId, id }) => [id, companyId]))
      const unknown = valid
        .filter(({ record }) => !companyOf.has(record.shipmentId))
        .map(({ index, record }) => [index, Result.fail(MoveBatch.notFound(family, record))] as const)
      const companies = [...new Set(companyOf.values())].sort((a, b) => a - b)
      const byCompany = companies.map((company) => {
        const own = valid.filter(({ record }) => companyOf.get(record.shipmentId) === company)
        return [company, own] as const
      })
      const all = { family, by: "marketplace", mayMove: () => true, requests: byCompany } as const
      return yield* summarize(requests, [...unknown, ...(yield* move(caller, all))])
    }),

    setLocked: (caller, company, shipmentIds, locked) => {
      const command = () => ({ _tag: locked ? "Lock" : "Unlock" }) as const
      const records = shipmentIds.map((shipmentId) => ({ shipmentId, command }))
      return moveAsHost(caller, company, "lock", records)
    },

    cancelAsHost: (caller, company, shipmentIds, reasonCode) =>
      Effect.flatMap(store.withOrders(company, shipmentIds), (found) => {
        const itemsOf = new Map(found.map(({ shipment }) => [shipment.id, portionsLeft(shipment)]))
        const records = shipmentIds.map((shipmentId) => {
          const items = (itemsOf.get(shipmentId) ?? []).map((item) => ({ ...item, reasonCode }))
          return { shipmentId, command: (partId: string) => ({ _tag: "Cancel", partId, items }) as const }
        })
        return moveAsHost(caller, company, "cancel", records)
      }),

    reportAsHost: (caller, company, shipmentIds, made) => {
      const command = () => ({ ...made, _tag: "Report", meta: noMeta }) as const
      const records = shipmentIds.map((shipmentId) => ({ shipmentId, command }))
      return moveAsHost(caller, company, "status", records)
    },

    assignCouriers: (caller, company, assignments) => {
      const records = assignments.map(({ courier, shipmentId }) => ({
        shipmentId,
        command: () => ({ _tag: "AssignCourier", by: "courier", courier }) as const
      }))
      return moveAsHost(caller, company, "awb", records)
    },

    read,

    track: (caller, sought) =>
      Effect.map(
        "shipmentId" in sought
          ? Effect.map(read(caller, [sought.shipmentId]), (found) => found.map(({ shipment }) => shipment))
          : store.byAwb(caller.principal.companyId, storedAwb(sought.awbNumber)),
        (found) => {
          const shipment = found.find(({ location }) => mayUse(caller.principal, location))
          return shipment && { shipment, url: couriers.trackingUrl(shipment) }
        }
      ),

    page: Effect.fn("Shipments.page")(function* (caller, { location, ...filter }, page) {
      const { companyId, locations: own } = caller.principal
      const locations = yield* locationsToSearch(directory, caller.principal, location)
      return filter.id === undefined
        ? yield* store.page(companyId, { ...filter, locations }, page)
        : yield* store.page(companyId, { id: filter.id, locations: own }, { ...page, number: 1 })
    })
  })
})

/** The service `Shipments`. It needs the ports of a storage and `Couriers`. */
export const layer = Layer.effect(Shipments, make)
