/**
 * Computes the amounts of an order exactly, and checks its sums. Source: docs/reference/orders.md#totals.
 */

import { Money, pointer, type Violation } from "@crossdock/kernel"
import { dueToSeller, lineTotal, type PaymentMethods } from "@crossdock/shipments"
import * as Result from "effect/Result"
import type { OrderDraft, OrderLineDraft } from "./OrderDraft.ts"
import { OrderRejected } from "./OrderRejected.ts"

/**
 * A line's amounts in minor units.
 */
export interface PricedLine {
  readonly mrp: Money.MinorUnits | null
  readonly esp: Money.MinorUnits
  readonly discount: Money.MinorUnits
  readonly couponDiscount: Money.MinorUnits
  readonly deliveryCharge: Money.MinorUnits
  readonly taxAmount: Money.MinorUnits
  /** esp × quantity − discount − coupon discount + delivery charge. */
  readonly total: bigint
}

/**
 * The amounts of an order. `lines` are those of each shipment, in the draft's order; `total` is in minor units.
 */
export interface PricedOrder {
  readonly lines: ReadonlyArray<ReadonlyArray<PricedLine>>
  readonly total: number
}

/**
 * The largest amount that a number shows exactly in all currencies: 15 digits.
 */
const largestTotal = 999_999_999_999_999n

/**
 * The amounts of an order. Its total is the sum of its lines and charges; a total and payment methods that were sent must
 * equal it. Fails with all violations at once: `VALIDATION_FAILED` or `TOTAL_MISMATCH`. Source:
 * docs/reference/orders.md#totals.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { OrderPricing } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 * import { Result } from "effect"
 *
 * strictEqual(Result.getOrThrow(OrderPricing.price(orderDraft())).total, 10_000)
 * const rejected = Result.getOrThrow(Result.flip(OrderPricing.price(orderDraft({ totalAmount: 99 }))))
 * strictEqual(rejected.code, "TOTAL_MISMATCH")
 * ```
 */
export const price = (draft: OrderDraft): Result.Result<PricedOrder, OrderRejected> => {
  const violations: Array<Violation> = []
  const zero = Money.MinorUnits.make(0)
  const exact = (amount: number, path: ReadonlyArray<PropertyKey>): Money.MinorUnits => {
    const minor = Money.fromNumber(amount, draft.currency)
    if (Result.isFailure(minor)) {
      const { code, message } = minor.failure
      const inCurrency = code === "INVALID_CURRENCY"
      violations.push({
        path: inCurrency ? "/ordering_currency" : pointer(path),
        code: code === "INVALID_RECORD" ? "INVALID_VALUE" : code,
        message
      })
      return zero
    }
    if (minor.success < 0)
      violations.push({ path: pointer(path), code: "OUT_OF_RANGE", message: "must not be negative" })
    return minor.success
  }

  const line = (one: OrderLineDraft, at: ReadonlyArray<PropertyKey>): PricedLine => {
    const known = violations.length
    const esp = exact(one.esp, [...at, "esp"])
    const discount = exact(one.discount, [...at, "discount"])
    const couponDiscount = exact(one.couponDiscount, [...at, "coupon_discount"])
    const deliveryCharge = exact(one.deliveryCharge, [...at, "delivery_charge"])
    const total =
      BigInt(esp) * BigInt(one.quantity) - BigInt(discount) - BigInt(couponDiscount) + BigInt(deliveryCharge)
    if (total < 0n && violations.length === known) {
      violations.push({
        path: pointer(at),
        code: "OUT_OF_RANGE",
        message: "The line's total is negative: its discounts exceed its price"
      })
    }
    const taxAmount = one.tax === null ? zero : exact(one.tax.amount, [...at, "tax", "amount"])
    if (BigInt(taxAmount) > total && violations.length === known) {
      violations.push({
        path: pointer([...at, "tax", "amount"]),
        code: "OUT_OF_RANGE",
        message: `must not be greater than the line's total, ${Money.toText(Number(total), draft.currency)}, which includes it`
      })
    }
    return {
      mrp: one.mrp === null ? null : exact(one.mrp, [...at, "mrp"]),
      esp,
      discount,
      couponDiscount,
      deliveryCharge,
      taxAmount,
      total
    }
  }

  const lines = draft.shipments.map((shipment, s) =>
    shipment.lines.map((one, l) => line(one, ["shipments", s, "lines", l]))
  )
  const charges = draft.charges.map((charge, c) => {
    if (charge.tax !== null) exact(charge.tax.amount, ["charges", c, "tax", "amount"])
    return BigInt(exact(charge.amount, ["charges", c, "amount"]))
  })
  if (draft.coupon !== null) exact(draft.coupon.amount, ["coupon", "amount"])
  const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((a, b) => a + b, 0n)
  const total = sum(lines.flat().map((one) => one.total)) + sum(charges)
  const stated = draft.totalAmount === null ? null : exact(draft.totalAmount, ["total_amount"])
  const methods = draft.payment.methods.map((one, m) => BigInt(exact(one.amount, ["payment", "methods", m, "amount"])))
  if (total > largestTotal) {
    violations.push({ path: "", code: "OUT_OF_RANGE", message: "The order's total has more than 15 digits" })
  }
  if (violations.length > 0) {
    const unique = [...new Map(violations.map((one) => [`${one.path} ${one.code}`, one])).values()]
    const summary = `${unique[0]?.path}: ${unique[0]?.message}`
    return Result.fail(new OrderRejected({ code: "VALIDATION_FAILED", summary, violations: unique }))
  }
  const mismatch = (path: string, found: bigint): Violation => ({
    path,
    code: "TOTAL_MISMATCH",
    message: `is ${Money.toText(Number(found), draft.currency)}, but lines and charges add up to ${Money.toText(Number(total), draft.currency)}`
  })
  const mismatches = [
    ...(stated !== null && BigInt(stated) !== total ? [mismatch("/total_amount", BigInt(stated))] : []),
    ...(methods.length > 0 && sum(methods) !== total ? [mismatch("/payment/methods", sum(methods))] : [])
  ]
  return mismatches.length > 0
    ? Result.fail(
        new OrderRejected({
          code: "TOTAL_MISMATCH",
          summary: `The order's amounts do not add up: ${mismatches[0]?.path} ${mismatches[0]?.message}`,
          violations: mismatches
        })
      )
    : Result.succeed({ lines, total: Number(total) })
}

const minorOf = (draft: OrderDraft) => (amount: number) =>
  Result.getOrElse(Money.fromNumber(amount, draft.currency), () => Money.MinorUnits.make(0))

const amountsOf = (draft: OrderDraft) => {
  const minor = minorOf(draft)
  return ({ couponDiscount, deliveryCharge, discount, esp, quantity }: OrderLineDraft) => ({
    ordered: quantity,
    esp: minor(esp),
    discount: minor(discount),
    couponDiscount: minor(couponDiscount),
    deliveryCharge: minor(deliveryCharge)
  })
}

/**
 * The sums of an accepted order's payment methods; null when it names no methods. Source:
 * docs/reference/orders.md#payment.
 */
export const methodsOf = (draft: OrderDraft): PaymentMethods | null => {
  const minor = minorOf(draft)
  const sum = (of: (mode: string) => boolean): number =>
    draft.payment.methods.filter(({ mode }) => of(mode)).reduce((total, { amount }) => total + minor(amount), 0)
  const amounts = amountsOf(draft)
  const lines = draft.shipments.flatMap((one) => one.lines.map((line) => lineTotal(amounts(line))))
  return draft.payment.methods.length === 0
    ? null
    : {
        cod: sum((mode) => mode === "COD"),
        prepaid: sum((mode) => mode !== "COD"),
        lines: lines.reduce((total, one) => total + one, 0)
      }
}

/**
 * The sums of an order's lines as it was placed, in minor units. Its charges are not included.
 */
export interface OrderSums {
  readonly discount: number
  readonly couponDiscount: number
  readonly deliveryCharge: number
  readonly tax: number
  readonly dueToSeller: number
}

/**
 * The sums of an accepted order's lines.
 */
export const sumsOf = (draft: OrderDraft): OrderSums => {
  const lines = draft.shipments.flatMap(({ lines }) => lines)
  const minor = minorOf(draft)
  const amounts = amountsOf(draft)
  const sum = (of: (line: OrderLineDraft) => number): number => lines.reduce((total, line) => total + of(line), 0)
  return {
    discount: sum((line) => minor(line.discount)),
    couponDiscount: sum((line) => minor(line.couponDiscount)),
    deliveryCharge: sum((line) => minor(line.deliveryCharge)),
    tax: sum((line) => (line.tax === null ? 0 : minor(line.tax.amount))),
    dueToSeller: sum((line) => dueToSeller(amounts(line), draft.coupon?.ownership ?? null))
  }
}
