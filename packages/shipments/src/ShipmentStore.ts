/** Port: shipments. */

import type { CompanyId, Page, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrderedShipment, Shipment } from "./Shipment.ts"
import type { OrderStatus } from "./ShipmentStatus.ts"

/**
 * The shipments of a company to read. `locations` null means all of them. `from` and `to` are UTC days of the order's date,
 * counted from 1970-01-01, both included.
 */
export interface ShipmentFilter {
  readonly locations: ReadonlyArray<string> | null
  readonly id?: string
  readonly orderStatus?: OrderStatus
  readonly marketplace?: string
  readonly from?: number
  readonly to?: number
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
 * Port: shipments. `update` writes all or nothing, and fails with `StaleWrite` if a shipment's version has changed since it
 * was loaded. An id is used once, and so is a company's number of an invoice, and of a credit note: a write of another
 * shipment with it fails, and writes nothing. Reads of a company never see shipments of another.
 */
export class ShipmentStore extends Context.Service<
  ShipmentStore,
  {
    /** The existing ones, in any order. Inside a transaction they are locked, by id, until it ends. */
    readonly load: (
      company: CompanyId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    /** The existing ones, with the order fields that they show, in any order and not locked. */
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
    /** All shipments of an order, of any company, oldest first. */
    readonly ofOrder: (orderId: string) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    readonly insert: (shipments: ReadonlyArray<Shipment>) => Effect.Effect<void, StaleWrite | StorageError>
    readonly update: (
      company: CompanyId,
      changes: ReadonlyArray<ShipmentChange>
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /** Those of these invoice and credit note numbers that the company has used. */
    readonly usedInvoiceNumbers: (
      company: CompanyId,
      numbers: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Those of these AWBs that open shipments of the company use, as any of their AWBs. */
    readonly openAwbs: (
      company: CompanyId,
      awbs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<OpenAwb>, StorageError>
    /** Every shipment with this AWB: open ones first, and then the newest first. */
    readonly byAwb: (company: CompanyId, awb: string) => Effect.Effect<ReadonlyArray<Shipment>, StorageError>
    /**
     * Newest first, by the order's date, then by id. The total is exact, and its cost doesn't grow with the number of
     * shipments.
     */
    readonly page: (
      company: CompanyId,
      filter: ShipmentFilter,
      page: Page.Page
    ) => Effect.Effect<Page.Paged<OrderedShipment<Shipment>>, StorageError>
  }
>()("@crossdock/shipments/ShipmentStore") {}
