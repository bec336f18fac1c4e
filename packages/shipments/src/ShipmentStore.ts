import type { CompanyId, Page, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { OrderedShipment, Shipment } from "./Shipment.ts"
import { isOpen, type OrderStatus } from "./ShipmentStatus.ts"

/** Selects shipments. `from` and `to` are days of the order, counted from 1970-01-01 in UTC. `to` is included. */
export interface ShipmentFilter {
  readonly locations: ReadonlyArray<string> | null
  readonly id?: string
  readonly orderStatus?: OrderStatus
  /** Selects open shipments, which are few, whatever order status they have. */
  readonly isOpen?: true
  readonly marketplace?: string
  readonly from?: number
  readonly to?: number
  /** Texts of custom fields (`Shipment.filters`). Only shipments that have all of them are selected. */
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
 * Port: stores shipments. `update` writes all changes or none, and fails with `StaleWrite` if a version has changed.
 * Shipment ids are unique, and so are the numbers of a company's invoices and of its credit notes: a write with a used
 * number fails and writes nothing. Reads of a company never return shipments of another company.
 */
export class ShipmentStore extends Context.Service<
  ShipmentStore,
  {
    /** Loads the shipments that exist, in any order. A transaction locks them in the order of their ids. */
    readonly load: (company: CompanyId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<Shipment>>
    /** Reads the shipments that exist, with their order fields. The shipments are in any order and aren't locked. */
    readonly withOrders: (company: CompanyId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<OrderedShipment>>
    /** Reads the returns of these shipments, oldest first. They aren't locked. */
    readonly returnsOf: (company: CompanyId, forwardIds: ReadonlyArray<string>) => Stored<ReadonlyArray<Shipment>>
    /** The company of each of these shipments, for those that the marketplace ordered. */
    readonly companiesOf: (
      marketplace: string,
      ids: ReadonlyArray<string>
    ) => Stored<ReadonlyArray<{ readonly id: string; readonly companyId: CompanyId }>>
    /** The shipments of an order, oldest first. They may belong to any company. */
    readonly ofOrder: (orderId: string) => Stored<ReadonlyArray<Shipment>>
    readonly insert: (shipments: ReadonlyArray<Shipment>) => Stored<void, StaleWrite>
    readonly update: (company: CompanyId, changes: ReadonlyArray<ShipmentChange>) => Stored<void, StaleWrite>
    /** Returns the given invoice and credit note numbers that the company has used. */
    readonly usedInvoiceNumbers: (company: CompanyId, numbers: ReadonlyArray<string>) => Stored<ReadonlyArray<string>>
    /** The given AWBs that open shipments of the company use. A shipment may have several AWBs. */
    readonly openAwbs: (company: CompanyId, awbs: ReadonlyArray<string>) => Stored<ReadonlyArray<OpenAwb>>
    /** Every shipment with this AWB: first the open ones, then the closed ones, each newest first. */
    readonly byAwb: (company: CompanyId, awb: string) => Stored<ReadonlyArray<Shipment>>
    /**
     * A page, sorted by order date and then by id, newest first. The total is exact. Its cost is constant, except if the filter
     * has `isOpen`, `id` or `fields`.
     */
    readonly page: (company: CompanyId, filter: ShipmentFilter, page: Page.Page) => Stored<Page.Paged<OrderedShipment>>
  }
>()("@crossdock/shipments/ShipmentStore") {}

/** Each page counts and sorts all open shipments, so a page is large. */
const pageSize = 5000

/**
 * A company's open shipments, newest first. A shipment that moves during the read appears only once.
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
    const found = yield* Stream.paginate(1, (number) =>
      Effect.map(
        store.page(company, { locations: null, isOpen: true }, { number, size: pageSize }),
        ({ items }) => [items, items.length < pageSize ? Option.none() : Option.some(number + 1)] as const
      )
    ).pipe(
      Stream.map(({ shipment }) => shipment),
      Stream.runCollect
    )
    const open = found.filter(isOpen)
    const byId = new Map(open.map((shipment) => [shipment.id, shipment]))
    return [...byId.values()].sort((a, b) => b.orderDate - a.orderDate || (a.id < b.id ? 1 : -1))
  })
