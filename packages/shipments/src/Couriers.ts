/**
 * Port: the courier of shipments whose logistics neither the seller nor the marketplace runs, and the pages on which
 * couriers show where a bag is.
 */

import { Ids } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Courier, Shipment } from "./Shipment.ts"

export class Couriers extends Context.Service<
  Couriers,
  {
    /**
     * Asked inside the transaction of the move that makes a courier needed, so it must not wait for a network: a host
     * whose courier has to be asked answers null and assigns later (`Shipments.assignCourier`).
     */
    readonly assign: (shipment: Shipment) => Effect.Effect<Courier | null>
    /** Where customers follow this bag, whoever assigned its courier; null when the courier has no such page. */
    readonly trackingUrl: (shipment: Shipment) => string | null
  }
>()("@crossdock/shipments/Couriers") {}

/**
 * Assigns at once, with an AWB number of its own. `pages` has the address of a courier's page by the courier's name,
 * `{awb}` standing for the AWB number.
 */
export const make = (name: string, code: string, pages: Readonly<Record<string, string>> = {}) =>
  Effect.map(Ids.Ids, (ids) =>
    Couriers.of({
      assign: () => Effect.map(ids.decimals(1), ([number = ""]) => ({ name, code, awbNumbers: [`${code}${number}`] })),
      trackingUrl: ({ courier }) => {
        const page = courier !== null && Object.hasOwn(pages, courier.name) ? pages[courier.name] : undefined
        const awb = courier?.awbNumbers[0]
        return page === undefined || awb === undefined ? null : page.replaceAll("{awb}", encodeURIComponent(awb))
      }
    })
  )

export const layer: Layer.Layer<Couriers, never, Ids.Ids> = Layer.effect(Couriers, make("Crossdock Courier", "XD"))
