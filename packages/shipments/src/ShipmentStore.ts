import type { CompanyId, Page, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { OrderedShipment, Shipment } from "./Shipment.ts"
import { isOpen, type OrderStatus, operationalStatuses, orderStatuses, orderStatusValues } from "./ShipmentStatus.ts"

/** A company's shipments. Null `locations` means all. `from` and `to` are UTC days of the order from 1970-01-01, inclusive. */
export interface ShipmentFilter {
  readonly locations: ReadonlyArray<string> | null
  readonly id?: string
  readonly orderStatus?: OrderStatus
  readonly marketplace?: string
  readonly from?: number
  readonly to?: number
  /** Texts of custom fields (`Shipment.filters`); a shipment must have all. */
  readonly fields?: ReadonlyArray<string>
}

/** A shipment before and after a change. */
export interface ShipmentChange {
  readonly before: Shipment
  readonly after: Shipment
}

/** An AWB that an open shipment of the company uses. */
export interface OpenAwb {
  readonly shipmentId: string
  readonly courier: string
  readonly awb: string
}

/**
 * Port: shipments. `update` writes all or nothing, and fails with `StaleWrite` if a version has changed since its load. Ids are
 * unique, and so are a company's invoice numbers and its credit note numbers: another shipment's write with a used one fails
 * and writes nothing. Reads of a company never see shipments of another.
 */
export class ShipmentStore extends Context.Service<
  ShipmentStore,
  {
    /** The existing ones, in any order. Inside a transaction they are locked, by id, until it ends. */
    readonly load: (
      company: CompanyId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    /** The existing ones with their order fields, in any order and not locked. */
    readonly withOrders: (
      company: CompanyId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<OrderedShipment<Shipment>>, StorageError>
    /** Returns of these shipments, oldest first and not locked. */
    readonly returnsOf: (
      company: CompanyId,
      forwardIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    /** The company of each of these shipments that the marketplace ordered. */
    readonly companiesOf: (
      marketplace: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly companyId: CompanyId }>, StorageError>
    /** Of any company, oldest first. */
    readonly ofOrder: (orderId: string) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    readonly insert: (shipments: ReadonlyArray<Shipment>) => Effect.Effect<void, StaleWrite | StorageError>
    readonly update: (
      company: CompanyId,
      changes: ReadonlyArray<ShipmentChange>
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /** The given invoice and credit note numbers that the company has used. */
    readonly usedInvoiceNumbers: (
      company: CompanyId,
      numbers: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** The given AWBs that open shipments of the company use, as any of their AWBs. */
    readonly openAwbs: (
      company: CompanyId,
      awbs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<OpenAwb>, StorageError>
    /** Every shipment with this AWB: open ones first, and then the newest first. */
    readonly byAwb: (company: CompanyId, awb: string) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    /** Newest first, by order date, then id. The total is exact; its cost doesn't grow with the number of shipments. */
    readonly page: (
      company: CompanyId,
      filter: ShipmentFilter,
      page: Page.Page
    ) => Effect.Effect<Page.Paged<OrderedShipment<Shipment>>, StorageError>
  }
>()("@crossdock/shipments/ShipmentStore") {}

const pageSize = 200

/** The statuses of open shipments, in the order of their moves. Few of a company's shipments have one of these. */
const openStatuses = orderStatusValues.filter((shown) =>
  operationalStatuses.some((status) => isOpen({ status }) && orderStatuses[status] === shown)
)

/**
 * A company's shipments that may still move, newest first. A shipment that moves meanwhile appears once.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { openShipments, ShipmentStore } from "@crossdock/shipments"
 * import { Effect } from "effect"
 *
 * const empty = { page: () => Effect.succeed({ items: [], total: 0 }) } as unknown as typeof ShipmentStore.Service
 * const open = Effect.provideService(openShipments(CompanyId.make(1)), ShipmentStore, empty)
 * deepStrictEqual(await Effect.runPromise(open), [])
 * ```
 */
export const openShipments = (company: CompanyId) =>
  Effect.gen(function* () {
    const store = yield* ShipmentStore
    const found = yield* Stream.fromIterable(openStatuses).pipe(
      Stream.flatMap((orderStatus) =>
        Stream.paginate(1, (number) =>
          Effect.map(
            store.page(company, { locations: null, orderStatus }, { number, size: pageSize }),
            ({ items }) => [items, items.length < pageSize ? Option.none() : Option.some(number + 1)] as const
          )
        )
      ),
      Stream.map(({ shipment }) => shipment),
      Stream.runCollect
    )
    const open = found.filter(isOpen)
    const byId = new Map(open.map((shipment) => [shipment.id, shipment]))
    return [...byId.values()].sort((a, b) => b.orderDate - a.orderDate || (a.id < b.id ? 1 : -1))
  })
