/** Reserves all stock of an order, or none. Source: docs/reference/orders.md#stock. */
import { Level } from "@crossdock/inventory"
import { pointer, type Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { OrderRejected } from "./Order.ts"

/** A line of an order: its indexes in the request, its shipment, and the level from which to reserve. */
export interface StockLine {
  readonly shipment: number
  readonly line: number
  readonly sku: string
  readonly quantity: number
  readonly shipmentId: string
  readonly level: Level.Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION" | "UNKNOWN_SKU_AND_LOCATION"
  /** The marketplace's location codes. A message about an unknown code lists them. */
  readonly codes?: ReadonlyArray<string>
}

const mostCodes = 10

const messages = {
  UNKNOWN_SKU: ({ sku }: StockLine) =>
    `The seller of this location has no SKU ${sku}, or doesn't sell it to you. Spell SKUs as your stock notifications do, capitals included`,
  UNKNOWN_LOCATION: ({ codes = [] }: StockLine) => {
    const listed = [...codes.slice(0, mostCodes), ...(codes.length > mostCodes ? ["…"] : [])].join(", ")
    return `You have no location with this code. Send one that is mapped for your marketplace${listed && `: ${listed}`}`
  }
}

const unknown = (lines: ReadonlyArray<StockLine>): ReadonlyArray<Violation> => {
  const found = lines.flatMap((asked): ReadonlyArray<Violation> => {
    const { level, line, shipment } = asked
    if (typeof level !== "string") return []
    const paths = {
      UNKNOWN_LOCATION: pointer(["shipments", shipment, "location_id"]),
      UNKNOWN_SKU: pointer(["shipments", shipment, "lines", line, "sku"])
    } as const
    const codes = level === "UNKNOWN_SKU_AND_LOCATION" ? (["UNKNOWN_LOCATION", "UNKNOWN_SKU"] as const) : [level]
    return codes.map((code) => ({ path: paths[code], code, message: messages[code](asked) }))
  })
  return [...new Map(found.map((one) => [one.path, one])).values()]
}

/**
 * Reserves an order's stock with one change per level, or rejects all unknown SKUs and locations (`UNKNOWN_SKU`,
 * `UNKNOWN_LOCATION`, or `VALIDATION_FAILED` for both), else all lines without enough stock (`INSUFFICIENT_STOCK`).
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { stockLevel } from "@crossdock/inventory/testing"
 * import { OrderReservation } from "@crossdock/orders"
 * import { Result } from "effect"
 *
 * const level = stockLevel({ onHand: 3 })
 * const [first, second] = [0, 1].map((line) => ({ shipment: 0, line, sku: "SKU-1", quantity: 2, shipmentId: "1", level }))
 * deepStrictEqual(first && Result.getOrThrow(OrderReservation.reserve([first])).map(({ after }) => after.reserved), [2])
 * // both lines want the same three units
 * const rejected = first && second && OrderReservation.reserve([first, second])
 * strictEqual(rejected && Result.isFailure(rejected) && rejected.failure.code, "INSUFFICIENT_STOCK")
 * ```
 */
export const reserve = (
  lines: ReadonlyArray<StockLine>
): Result.Result<ReadonlyArray<Level.LevelChange>, OrderRejected> => {
  const violations = unknown(lines)
  if (violations.length > 0) return OrderRejected.for(violations)
  const changes = new Map<string, Level.LevelChange>()
  const shortages: Array<Violation> = []
  for (const { level, line, quantity, shipment, shipmentId, sku } of lines) {
    if (typeof level === "string") continue
    const key = JSON.stringify([level.companyId, level.sku, level.location])
    const change = changes.get(key) ?? Level.unchanged(level)
    const free = Level.sellable(change.after)
    if (free < quantity) {
      shortages.push({
        path: pointer(["shipments", shipment, "lines", line, "quantity"]),
        code: "INSUFFICIENT_STOCK",
        message: `${quantity} of ${sku} ${quantity === 1 ? "was" : "were"} ordered, but only ${free} can be sold. Order fewer, or from another location`
      })
    } else changes.set(key, Level.move(change, Level.movementOf.reserve(quantity, shipmentId)))
  }
  return shortages.length > 0 ? OrderRejected.for(shortages) : Result.succeed([...changes.values()])
}
