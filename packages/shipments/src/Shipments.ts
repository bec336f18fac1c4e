/**
 * Use cases: move shipments in bulk, and read them.
 */

import type { Caller, Directory, Forbidden, Integration, MarketplaceCaller, UnknownLocation } from "@crossdock/access"
import type { CompanyWrite } from "@crossdock/audit"
import type { Inventory, StockLevels } from "@crossdock/inventory"
import type { Bulk, CompanyId, Ids, Page, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Couriers } from "./Couriers.ts"
import * as BulkMoves from "./internal/BulkMoves.ts"
import * as HostMoves from "./internal/HostMoves.ts"
import type { Requests } from "./internal/MoveRequests.ts"
import type { ShipmentQuery, Tracking } from "./internal/Reading.ts"
import * as Reading from "./internal/Reading.ts"
import type { OperationFamily } from "./RejectionCodes.ts"
import type { Courier, Shipment } from "./Shipment.ts"
import type { OrderedShipment } from "./ShipmentOrder.ts"
import type { ShipmentStore } from "./ShipmentStore.ts"

export type { ShipmentQuery, Tracking }

/**
 * Moves shipments in bulk and reads them.
 */
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
    /** Cancels all that is left of shipments, for the host in the seller's place. */
    readonly cancel: (
      caller: Caller,
      company: CompanyId,
      shipmentIds: ReadonlyArray<string>,
      reasonCode: string | null
    ) => Effect.Effect<Bulk.Summary, StorageError>
    /** Reports the status that shipments have reached, for the host in the place of the seller or the marketplace. */
    readonly report: (
      caller: Caller,
      company: CompanyId,
      shipmentIds: ReadonlyArray<string>,
      report: HostMoves.HostReport
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

/**
 * All operations of shipments; needs the ports for shipments, stock and couriers, `Inventory` to save stock, and
 * `CompanyWrite`.
 */
export const make = Effect.gen(function* () {
  const { moveAsMarketplace, moveAsSeller } = yield* BulkMoves.make
  const { assignCouriers, cancel, report, setLocked } = yield* HostMoves.make
  const { page, read, track } = yield* Reading.make
  return Shipments.of({ moveAsSeller, moveAsMarketplace, setLocked, assignCouriers, cancel, report, read, track, page })
})

/**
 * `Shipments` on the ports of a storage and a `Couriers`.
 */
export const layer: Layer.Layer<
  Shipments,
  never,
  ShipmentStore | Directory | StockLevels | Inventory.Inventory | Couriers | CompanyWrite.CompanyWrite | Ids.Ids
> = Layer.effect(Shipments, make)
