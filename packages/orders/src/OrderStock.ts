/**
 * The rule of an order's stock: everything it asks for is there, or nothing is taken.
 */

import { Level } from "@crossdock/inventory"
import { pointer, stockKeyText, type Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { OrderRejected } from "./OrderRejected.ts"

/**
 * A line with where it stands in the request, the shipment it belongs to, and the level that it takes from.
 */
export interface StockLine {
  readonly shipment: number
  readonly line: number
  readonly sku: string
  readonly quantity: number
  readonly shipmentId: string
  readonly level: Level.Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION" | "UNKNOWN_SKU_AND_LOCATION"
}

const messages = {
  UNKNOWN_SKU: "There is no such SKU at this location's seller",
  UNKNOWN_LOCATION: "There is no such location for this marketplace"
} as const

const unknown = (lines: ReadonlyArray<StockLine>): ReadonlyArray<Violation> => {
  const found = lines.flatMap(({ level, line, shipment }): ReadonlyArray<Violation> => {
    if (typeof level !== "string") return []
    const places = {
      UNKNOWN_LOCATION: pointer(["shipments", shipment, "location_id"]),
      UNKNOWN_SKU: pointer(["shipments", shipment, "lines", line, "sku"])
    } as const
    const codes = level === "UNKNOWN_SKU_AND_LOCATION" ? (["UNKNOWN_LOCATION", "UNKNOWN_SKU"] as const) : [level]
    return codes.map((code) => ({ path: places[code], code, message: messages[code] }))
  })
  return [...new Map(found.map((one) => [one.path, one])).values()]
}

/**
 * The levels with the order's reservations, one change a level, or the lines at fault. Source: contract, Marketplace.
 */
export const reserve = (
  lines: ReadonlyArray<StockLine>
): Result.Result<ReadonlyArray<Level.LevelChange>, OrderRejected> => {
  const violations = unknown(lines)
  const [first] = violations
  if (first !== undefined) {
    const codes = new Set(violations.map(({ code }) => code))
    const code = codes.size > 1 ? "VALIDATION_FAILED" : (first.code as "UNKNOWN_SKU" | "UNKNOWN_LOCATION")
    return Result.fail(new OrderRejected({ code, summary: `${first.path}: ${first.message}`, violations }))
  }
  const changes = new Map<string, Level.LevelChange>()
  const short: Array<Violation> = []
  for (const { level, line, quantity, shipment, shipmentId, sku } of lines) {
    if (typeof level === "string") continue
    const key = `${level.companyId} ${stockKeyText(level)}`
    const change = changes.get(key) ?? Level.unchanged(level)
    const free = Level.sellable(change.after)
    if (free < quantity) {
      short.push({
        path: pointer(["shipments", shipment, "lines", line, "quantity"]),
        code: "INSUFFICIENT_STOCK",
        message: `${quantity} of ${sku} were ordered, ${free} can be sold`
      })
    } else changes.set(key, Level.move(change, Level.movementOf.reserve(quantity, shipmentId)))
  }
  return short.length > 0
    ? Result.fail(
        new OrderRejected({
          code: "INSUFFICIENT_STOCK",
          summary: short[0]?.message ?? "There is not enough stock",
          violations: short
        })
      )
    : Result.succeed([...changes.values()])
}
