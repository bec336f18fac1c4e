/**
 * Use cases: move shipments in bulk, and read them.
 */

import {
  type Caller,
  Directory,
  Forbidden,
  type Integration,
  type MarketplaceCaller,
  mayUse,
  UnknownLocation
} from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Inventory, StockLevels } from "@crossdock/inventory"
import { Bulk, type CompanyId, Ids, type Page, pointer, type StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Couriers } from "./Couriers.ts"
import * as MoveRecord from "./internal/MoveRecord.ts"
import * as MoveBatch from "./MoveBatch.ts"
import type { OperationFamily } from "./RejectionCodes.ts"
import type { Courier, Shipment } from "./Shipment.ts"
import type { OrderedShipment } from "./ShipmentOrder.ts"
import { type ShipmentFilter, ShipmentStore } from "./ShipmentStore.ts"
import * as StockMoves from "./StockMoves.ts"

type Requests = ReadonlyArray<Result.Result<MoveBatch.MoveRequest, Bulk.Rejection>>

/**
 * A shipment and the courier's page that shows where it is; null when there is no such page.
 */
export interface Tracking {
  readonly shipment: Shipment
  readonly url: string | null
}

/**
 * Which shipments a caller wants to read. `location` is the code of one of its locations.
 */
export interface ShipmentQuery extends Omit<ShipmentFilter, "locations"> {
  readonly location?: string
}

export class Shipments extends Context.Service<
  Shipments,
  {
    /**
     * Makes the moves in order. Each is made or rejected on its own; all that are made share one transaction and one audit
     * record. `family` names the codes of rejections. Source: docs/reference/bulk.md#moves.
     */
    readonly moveAsSeller: (
      caller: Caller<Integration>,
      family: OperationFamily,
      requests: Requests
    ) => Effect.Effect<Bulk.Summary, StorageError>
    /** The same for a marketplace, which sees only its own orders; each company gets its own audit record. */
    readonly moveAsMarketplace: (
      caller: Caller<MarketplaceCaller>,
      family: OperationFamily,
      requests: Requests
    ) => Effect.Effect<Bulk.Summary, StorageError>
    /**
     * Locks or unlocks shipments, for the host: every move of a locked shipment is rejected. A repeat succeeds and changes
     * nothing. Source: docs/reference/shipments.md#locked.
     */
    readonly setLocked: (
      caller: Caller,
      company: CompanyId,
      shipmentIds: ReadonlyArray<string>,
      locked: boolean
    ) => Effect.Effect<Bulk.Summary, StorageError>
    /** Assigns couriers later, for the host whose courier port returned null when they were needed. */
    readonly assignCouriers: (
      caller: Caller,
      company: CompanyId,
      assignments: ReadonlyArray<{ readonly shipmentId: string; readonly courier: Courier }>
    ) => Effect.Effect<Bulk.Summary, StorageError>
    /** Those of the shipments that the caller may see, with their orders, in no order. */
    readonly read: (
      caller: Caller<Integration>,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<OrderedShipment<Shipment>>, StorageError>
    /** One shipment, by id or by AWB. By AWB, an open shipment comes before a closed one, then the newest first. */
    readonly track: (
      caller: Caller<Integration>,
      sought: { readonly shipmentId: string } | { readonly awbNumber: string }
    ) => Effect.Effect<Tracking | undefined, StorageError>
    /** A page of the caller's shipments, newest first: of all its locations, or of the one that `query` names. */
    readonly page: (
      caller: Caller<Integration>,
      query: ShipmentQuery,
      page: Page.Page
    ) => Effect.Effect<Page.Paged<OrderedShipment<Shipment>>, Forbidden | UnknownLocation | StorageError>
  }
>()("@crossdock/shipments/Shipments") {}

interface Indexed {
  readonly index: number
  readonly record: MoveBatch.MoveRequest
}

export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const directory = yield* Directory
  const levels = yield* StockLevels
  const inventory = yield* Inventory.Inventory
  const couriers = yield* Couriers
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids

  /**
   * Loads the shipments of one company's requests, then the stock levels that their moves may change, and locks both.
   */
  const load = (company: CompanyId, family: OperationFamily, requests: ReadonlyArray<Indexed>) =>
    Effect.gen(function* () {
      const wanted = [...new Set(requests.map(({ record }) => record.shipmentId))]
      const shipments = yield* store.load(company, wanted)
      const returns = family === "status" ? yield* store.returnsOf(company, wanted) : []
      const known = [...shipments, ...returns]
      const keys = MoveBatch.movesStock.has(family) ? StockMoves.stockKeys(known) : []
      const found = keys.length === 0 ? [] : yield* levels.load(company, keys)
      return { company, requests, shipments: known, levels: found.filter((one) => typeof one !== "string") }
    })

  /**
   * The invoice numbers and AWBs of the requests that are already used. The company is locked, so no other write uses one
   * meanwhile.
   */
  const usedNumbers = (company: CompanyId, requests: ReadonlyArray<Indexed>) =>
    Effect.gen(function* () {
      const numbers = requests.flatMap(({ record }) =>
        record.invoiceNumber === undefined ? [] : [record.invoiceNumber]
      )
      const used = numbers.length === 0 ? [] : yield* store.usedInvoiceNumbers(company, numbers)
      const awbs = requests.flatMap(({ record }) => (record.awb === undefined ? [] : [record.awb]))
      return { used, open: awbs.length === 0 ? [] : yield* store.openAwbs(company, awbs) }
    })

  /**
   * Makes the moves of one company, and returns what to write.
   */
  const makeMoves = (
    loaded: Effect.Success<ReturnType<typeof load>>,
    family: OperationFamily,
    mayMove: (shipment: Shipment) => boolean,
    at: number
  ): Effect.Effect<CompanyWrite.Decision<MoveRecord.Outcomes>, StorageError> =>
    Effect.gen(function* () {
      const { company, requests } = loaded
      const newIds = yield* ids.decimals(requests.length)
      const { open, used } = yield* usedNumbers(company, requests)
      const batch = MoveBatch.begin(family, loaded.shipments, used, open)
      const outcomes: Array<MoveRecord.Outcomes[number]> = []
      const asked = requests.map((one, nth) => ({ ...one, command: one.record.command(newIds[nth] ?? "") }))
      for (const { command, index, record } of asked) {
        const outcome = batch.move(record, command, at, mayMove)
        outcomes.push([index, outcome])
        const needing = Result.isSuccess(outcome) ? MoveBatch.courierNeeded(outcome.success) : null
        const courier = needing === null ? null : yield* couriers.assign(needing)
        if (needing !== null && courier !== null) batch.assign(needing, courier, at)
      }
      const changes = batch.changes()
      const changed = [...changes.updates.map(({ after }) => after.id), ...changes.inserts.map((created) => created.id)]
      if (changed.length === 0) return CompanyWrite.nothing(outcomes)
      const stock = StockMoves.levelChanges(loaded.levels, changes.stock)
      const faults = StockMoves.faults(loaded.levels, changes.stock, stock)
      const save = (mark: CompanyWrite.Mark) =>
        Effect.gen(function* () {
          if (faults.some(({ code }) => code === "NOT_RESERVED")) {
            yield* Effect.logError("Shipments released stock that was not reserved", { company, faults })
          }
          yield* store.update(company, changes.updates)
          if (changes.inserts.length > 0) yield* store.insert(changes.inserts)
          yield* inventory.save(mark, company, stock)
          return MoveRecord.batchRecord(asked, outcomes, changes, faults)
        })
      const more = changed.length > 1 ? { ids: changed } : {}
      const entity = { type: "shipment", id: changed[0] ?? "", action: family, ...more }
      return { answer: outcomes, changes: [{ companyId: company, entity, save }] }
    })

  /**
   * Makes the moves of all companies in one transaction.
   */
  const move = (
    caller: Caller,
    family: OperationFamily,
    mayMove: (shipment: Shipment) => boolean,
    requests: ReadonlyArray<readonly [company: CompanyId, requests: ReadonlyArray<Indexed>]>
  ): Effect.Effect<MoveRecord.Outcomes, StorageError> => {
    const loadAll = Effect.forEach(requests, ([company, own]) => load(company, family, own))
    return run(caller, {
      load: loadAll,
      companies: (all) => all.map(({ company }) => company),
      decide: (all, at) =>
        Effect.map(
          Effect.forEach(all, (loaded) => makeMoves(loaded, family, mayMove, at)),
          (decisions) => ({
            answer: decisions.flatMap(({ answer }) => answer),
            changes: decisions.flatMap(({ changes }) => changes)
          })
        )
    })
  }

  const summarize = (requests: Requests, outcomes: MoveRecord.Outcomes): Bulk.Summary => {
    const byIndex = new Map(outcomes)
    return Bulk.summarize(
      requests.map((request, index) =>
        Result.isFailure(request) ? request : (byIndex.get(index) ?? Result.succeed(null))
      )
    )
  }

  const indexed = (requests: Requests): ReadonlyArray<Indexed> =>
    requests.flatMap((request, index) => (Result.isSuccess(request) ? [{ index, record: request.success }] : []))

  const moveAsSeller = Effect.fn("Shipments.moveAsSeller")(function* (
    caller: Caller<Integration>,
    family: OperationFamily,
    requests: Requests
  ) {
    const sound = indexed(requests)
    if (sound.length === 0) return Bulk.summarize(requests)
    const { companyId } = caller.principal
    const mayMove = (shipment: Shipment) => mayUse(caller.principal, shipment.location)
    return summarize(requests, yield* move(caller, family, mayMove, [[companyId, sound]]))
  })

  const moveAsMarketplace = Effect.fn("Shipments.moveAsMarketplace")(function* (
    caller: Caller<MarketplaceCaller>,
    family: OperationFamily,
    requests: Requests
  ) {
    const sound = indexed(requests)
    if (sound.length === 0) return Bulk.summarize(requests)
    const own = yield* store.companiesOf(
      caller.principal.id,
      sound.map(({ record }) => record.shipmentId)
    )
    const companyOf = new Map(own.map(({ companyId, id }) => [id, companyId]))
    const unknown = sound
      .filter(({ record }) => !companyOf.has(record.shipmentId))
      .map(({ index, record }) => [index, Result.fail(MoveBatch.notFound(family, record))] as const)
    const companies = [...new Set(companyOf.values())].sort((a, b) => a - b)
    const outcomes = yield* move(
      caller,
      family,
      () => true,
      companies.map((company) => [company, sound.filter(({ record }) => companyOf.get(record.shipmentId) === company)])
    )
    return summarize(requests, [...unknown, ...outcomes])
  })

  const moveAsHost = Effect.fn("Shipments.moveAsHost")(function* (
    caller: Caller,
    company: CompanyId,
    family: OperationFamily,
    records: ReadonlyArray<Pick<MoveBatch.MoveRequest, "shipmentId" | "command" | "awb">>
  ) {
    const requests = records.map((record, index) => Result.succeed({ ...record, path: pointer([index]) }))
    if (requests.length === 0) return Bulk.summarize(requests)
    return summarize(requests, yield* move(caller, family, () => true, [[company, indexed(requests)]]))
  })

  const setLocked: typeof Shipments.Service.setLocked = (caller, company, shipmentIds, locked) =>
    moveAsHost(
      caller,
      company,
      "lock",
      shipmentIds.map((shipmentId) => ({
        shipmentId,
        command: () => ({ _tag: locked ? "Lock" : "Unlock" })
      }))
    )

  const assignCouriers: typeof Shipments.Service.assignCouriers = (caller, company, assignments) =>
    moveAsHost(
      caller,
      company,
      "awb",
      assignments.map(({ courier, shipmentId }) => ({
        shipmentId,
        ...(courier.awbNumbers[0] === undefined ? {} : { awb: courier.awbNumbers[0] }),
        command: () => ({ _tag: "AssignCourier", by: "courier", courier })
      }))
    )

  const read = Effect.fn("Shipments.read")(function* (caller: Caller<Integration>, ids: ReadonlyArray<string>) {
    const { companyId } = caller.principal
    const found = ids.length === 0 ? [] : yield* store.withOrders(companyId, ids)
    return found.filter(({ shipment }) => mayUse(caller.principal, shipment.location))
  })

  const track: typeof Shipments.Service.track = (caller, sought) =>
    Effect.map(
      "shipmentId" in sought
        ? Effect.map(read(caller, [sought.shipmentId]), (found) => found.map(({ shipment }) => shipment))
        : store.byAwb(caller.principal.companyId, sought.awbNumber),
      (found) => {
        const shipment = found.find(({ location }) => mayUse(caller.principal, location))
        return shipment === undefined ? undefined : { shipment, url: couriers.trackingUrl(shipment) }
      }
    )

  const locationsOf = (caller: Caller<Integration>, location: string | undefined) =>
    Effect.gen(function* () {
      const { companyId, locations } = caller.principal
      if (location === undefined) return locations
      if (!mayUse(caller.principal, location)) {
        return yield* new Forbidden({ reason: "The token is for another location" })
      }
      const known = yield* directory.locations(companyId)
      return known.some(({ code }) => code === location) ? [location] : yield* new UnknownLocation({ location })
    })

  const page = Effect.fn("Shipments.page")(function* (
    caller: Caller<Integration>,
    { location, ...filter }: ShipmentQuery,
    page: Page.Page
  ) {
    const locations = yield* locationsOf(caller, location)
    return yield* store.page(caller.principal.companyId, { ...filter, locations }, page)
  })

  return Shipments.of({ moveAsSeller, moveAsMarketplace, setLocked, assignCouriers, read, track, page })
})

export const layer: Layer.Layer<
  Shipments,
  never,
  ShipmentStore | Directory | StockLevels | Inventory.Inventory | Couriers | CompanyWrite.CompanyWrite | Ids.Ids
> = Layer.effect(Shipments, make)
