/**
 * Conditions of a new order besides its sums: it has a shipment, is in the currency of its locations, and no two lines of a
 * shipment have the same external id. Source: docs/reference/orders.md#create.
 */
import { pointer, type Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { OrderDraft, OrderShipmentDraft } from "./Order.ts"
import { OrderRejected } from "./OrderRejected.ts"

/** A return names lines by these ids, so one id for two lines would be ambiguous. */
const repeatedLines = ({ lines }: OrderShipmentDraft, shipment: number): ReadonlyArray<Violation> => {
  const seen = new Set<string>()
  return lines.flatMap(({ externalLineId }, line) => {
    if (externalLineId === null || externalLineId === "") return []
    if (!seen.has(externalLineId)) {
      seen.add(externalLineId)
      return []
    }
    return [
      {
        path: pointer(["shipments", shipment, "lines", line, "external_line_id"]),
        code: "DUPLICATE_LINE",
        message: `Another line of this shipment has the id ${externalLineId}. Give each line its own id.`
      }
    ]
  })
}

const otherCurrencies = (
  { currency, shipments }: OrderDraft,
  currencies: ReadonlyArray<string | undefined>
): ReadonlyArray<Violation> => {
  const at = currencies.findIndex((one) => one !== undefined && one !== currency)
  return at < 0
    ? []
    : [
        {
          path: "/ordering_currency",
          code: "CURRENCY_MISMATCH",
          message: `Location ${shipments[at]?.location} sells in ${currencies[at]}, not ${currency}. Send the order in ${currencies[at]}.`
        }
      ]
}

/**
 * Rejects an order with `CURRENCY_MISMATCH`, `DUPLICATE_LINE`, or `VALIDATION_FAILED` when both occur or it has no shipment. `currencies` are
 * those of the shipments' locations; undefined for an unknown location.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { OrderConsistency } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 * import { Result } from "effect"
 *
 * const rejected = Result.flip(OrderConsistency.check(orderDraft({ currency: "USD" }), ["INR"]))
 * strictEqual(Result.getOrThrow(rejected).code, "CURRENCY_MISMATCH")
 * ```
 */
export const check = (
  draft: OrderDraft,
  currencies: ReadonlyArray<string | undefined>
): Result.Result<void, OrderRejected> => {
  const mismatches = otherCurrencies(draft, currencies)
  const repeated = draft.shipments.flatMap(repeatedLines)
  const empty =
    draft.shipments.length > 0
      ? []
      : [{ path: "/shipments", code: "VALIDATION_FAILED", message: "is empty. Send at least one shipment" }]
  const violations = [...empty, ...mismatches, ...repeated]
  if (violations.length === 0) return Result.succeed(undefined)
  const code =
    repeated.length === violations.length
      ? "DUPLICATE_LINE"
      : mismatches.length === violations.length
        ? "CURRENCY_MISMATCH"
        : "VALIDATION_FAILED"
  return Result.fail(new OrderRejected({ code, violations }))
}
