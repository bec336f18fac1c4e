/** Builders of shipments, for tests of the rules. They need no test framework. */
import { CompanyId, Money } from "@crossdock/kernel"
import * as Lifecycle from "../Lifecycle.ts"
import type { ShipmentItem } from "../Shipment.ts"
import { beginShipment, type Shipment, type ShipmentDraft } from "../Shipment.ts"
import type { ShipmentCommand } from "../ShipmentCommand.ts"
import type { ShipmentEvent } from "../ShipmentEvent.ts"

const none = Money.minorUnits(0)

/** A line with one unit of `SKU-1` at 100.00, without discounts, charges or tax. `changes` replaces any field. */
export const shipmentItem = (changes: Partial<ShipmentItem> = {}): ShipmentItem => ({
  id: "1",
  externalLineId: null,
  sku: "SKU-1",
  title: "Sample",
  hsCode: null,
  ordered: 1,
  cancelled: 0,
  splitOff: 0,
  invoiced: 0,
  mrp: null,
  esp: Money.minorUnits(10_000),
  discount: none,
  couponDiscount: none,
  deliveryCharge: none,
  taxRate: null,
  taxAmount: none,
  taxBefore: none,
  good: 0,
  bad: 0,
  qcReasons: [],
  unmappedReasons: [],
  imei: [],
  returnReason: null,
  ...changes
})

/** A shipment with one `shipmentItem`, shipped by the seller and placed at `at`, in epoch milliseconds. */
export const placedShipment = (changes: Partial<ShipmentDraft> = {}, at = 0): Shipment =>
  beginShipment(
    {
      id: "00000000000000000001",
      companyId: CompanyId.make(1),
      location: "BLR1",
      marketplace: "bazaar",
      orderId: "order-1",
      externalOrderId: "EXT-1",
      externalShipmentId: "EXT-1-1",
      fulfillment: "SELLER",
      selfShip: true,
      currency: "INR",
      linesBefore: 0,
      items: [shipmentItem()],
      packAfter: null,
      packBy: null,
      dispatchBy: null,
      deliverBy: null,
      sla: at + 86_400_000,
      orderDate: at,
      ...changes
    },
    at
  )

/**
 * Decides a command for a shipment after the given events.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { noMeta } from "@crossdock/shipments"
 * import { given, placedShipment } from "@crossdock/shipments/testing"
 * import { Result } from "effect"
 *
 * const confirmed = { _tag: "Moved", at: 1, to: "bag_confirmed", meta: noMeta } as const
 * const decision = given(placedShipment(), confirmed).when({ _tag: "Lock" }, 2)
 * deepStrictEqual(Result.getOrThrow(decision), [{ _tag: "LockChanged", at: 2, locked: true }])
 * ```
 */
export const given = (shipment: Shipment, ...events: ReadonlyArray<ShipmentEvent>) => ({
  when: (command: ShipmentCommand, at = 0, context?: Lifecycle.Context): Lifecycle.Decision =>
    Lifecycle.decide(events.reduce(Lifecycle.evolve, shipment), command, at, context)
})
