/** Port: couriers where neither seller nor marketplace runs the logistics. Source: docs/reference/shipments.md#logistics. */
import { Eventual, frozen, Ids, required } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { comparableCourier } from "./AwbNumbers.ts"
import type { Table } from "./LifecycleTable.ts"
import { type Courier, logistics, type Shipment } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"

/** The commands after which the port may assign a courier. */
export const assignedAfter: ReadonlyArray<ShipmentCommand["_tag"]> = /* @__PURE__ */ frozen([
  "InvoiceSale",
  "InitiateReturn"
])

/** The shipment to which the port assigns a courier after this move: a new return, or else the moved shipment. */
export const unassignedAfter = (
  move: { readonly created: Shipment | null; readonly shipment: Shipment; readonly unchanged: boolean },
  { rows }: Table
): Shipment | undefined => {
  const isUnassigned = (one: Shipment) => logistics(one) === "courier" && rows[one.status]?.assignCourier !== undefined
  return move.unchanged ? undefined : [move.created ?? [], move.shipment].flat().find(isUnassigned)
}

/** Assigns couriers and knows their tracking pages. */
export class Couriers extends Context.Service<
  Couriers,
  {
    /**
     * Returns the courier. It runs in the move's transaction, so it must not wait for a network. To assign a courier later
     * with `Shipments.assignCouriers`, return null. An AWB of another open shipment is logged as an error and not assigned.
     */
    readonly assign: (shipment: Shipment) => Effect.Effect<Courier | null>
    /** The page on which customers follow the bag. It is null if there is no such page. */
    readonly trackingUrl: (shipment: Shipment) => string | null
  }
>()("@crossdock/shipments/Couriers") {}

/**
 * Assigns one courier to every shipment, with a new AWB. `pages` are tracking addresses by the courier's name, in any case.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Couriers } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import { Ids } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const couriers = Couriers.make("Swift", "sw", { Swift: "https://swift.example/track?awb={awb}" })
 * const { trackingUrl } = await Effect.runPromise(Effect.provide(couriers, Ids.layer))
 * const courier = { name: "SWIFT ", code: "sw", awbNumbers: ["sw 1"] }
 *
 * strictEqual(trackingUrl({ ...placedShipment(), courier }), "https://swift.example/track?awb=sw%201")
 * strictEqual(trackingUrl({ ...placedShipment(), courier: { ...courier, name: "Other" } }), null)
 * ```
 */
export const make = (name: string, code: string, pages: Readonly<Record<string, string>> = {}) =>
  Effect.map(Ids.Ids, (ids) => {
    const pageOf = new Map(Object.entries(pages).map(([courier, page]) => [comparableCourier(courier), page]))
    return Couriers.of({
      assign: () =>
        Effect.map(ids.decimals(1), ([number]) => ({
          name,
          code,
          awbNumbers: [`${code}${required(number, "the new AWB number")}`]
        })),
      trackingUrl: ({ courier }) => {
        const page = courier === null ? undefined : pageOf.get(comparableCourier(courier.name))
        const awb = courier?.awbNumbers[0]
        return page === undefined || awb === undefined ? null : page.replaceAll("{awb}", encodeURIComponent(awb))
      }
    })
  })

/** Makes `Couriers` from plain functions. When `assign` throws or rejects, the move fails and nothing is written. */
export const from = (own: {
  readonly assign: (shipment: Shipment) => Eventual.Eventual<Courier | null>
  readonly trackingUrl?: (shipment: Shipment) => string | null
}): Layer.Layer<Couriers> =>
  Layer.succeed(Couriers, {
    assign: (shipment) => Eventual.of(() => own.assign(shipment)),
    trackingUrl: (shipment) => own.trackingUrl?.(shipment) ?? null
  })

/** Assigns "Crossdock Courier" to every shipment. This courier has no tracking pages. */
export const layer = Layer.effect(Couriers, make("Crossdock Courier", "XD"))
