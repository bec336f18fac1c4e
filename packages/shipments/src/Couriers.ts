/**
 * Port: the courier of shipments whose logistics neither the seller nor the marketplace runs.
 */

import { Ids } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Courier, Shipment } from "./Shipment.ts"

/**
 * Asked inside the transaction of the move that makes a courier needed, so it must not wait for a network: a host whose
 * courier has to be asked answers null and assigns later.
 */
export class Couriers extends Context.Tag("@crossdock/shipments/Couriers")<
  Couriers,
  { readonly assign: (shipment: Shipment) => Effect.Effect<Courier | null> }
>() {}

/**
 * Assigns at once, with an AWB number of its own.
 */
export const make = (name: string, code: string) =>
  Effect.map(Ids.Ids, (ids) =>
    Couriers.of({
      assign: () => Effect.map(ids.decimals(1), ([number = ""]) => ({ name, code, awbNumbers: [`${code}${number}`] }))
    })
  )

export const layer: Layer.Layer<Couriers, never, Ids.Ids> = Layer.effect(Couriers, make("Crossdock Courier", "XD"))
