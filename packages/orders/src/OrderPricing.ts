/** Computes an order's amounts exactly, and checks its sums. Source: docs/reference/orders.md#totals. */
import { Money, pointer, type Violation } from "@crossdock/kernel"
import { dueToSeller, lineTotal, type OrderCharge, type PaymentMethods, type ShipmentItem } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import { type OrderDraft, type OrderLineDraft, OrderRejected } from "./Order.ts"

/** A line's amounts in minor units. */
export interface PricedLine
  extends Pick<ShipmentItem, "mrp" | "esp" | "discount" | "couponDiscount" | "deliveryCharge" | "taxAmount"> {
  /** The line's total: esp × quantity − discount − coupon discount + delivery charge. */
  readonly total: bigint
}

/** An order's amounts. `lines` has a list per shipment. `total` is in minor units, and `addedCharges` are decimal. */
export interface PricedOrder {
  readonly lines: ReadonlyArray<ReadonlyArray<PricedLine>>
  readonly total: number
  readonly addedCharges?: NonNullable<OrderDraft["addedCharges"]>
}

/** A host's additional charge in minor units, including tax. A negative charge has no tax. `code` is an HS or SAC code. */
export interface AddedCharge {
  readonly name: string
  readonly amount: number
  readonly type?: string
  readonly tax?: { readonly rate: number; readonly amount: number }
  readonly code?: string
}

/** Returns a host's charges. `total` is the sum of the sent lines and charges in minor units. The function must be pure. */
export type ChargesOf = (order: OrderDraft, total: number) => ReadonlyArray<AddedCharge>

/** The function for the host's additional charges, if there is one. Source: docs/guides/extend.md#charges. */
export const Charges = Context.Reference<ChargesOf | undefined>("@crossdock/orders/Charges", {
  defaultValue: () => undefined
})

const inDecimals = (added: ReadonlyArray<AddedCharge>, currency: string): NonNullable<OrderDraft["addedCharges"]> => {
  const decimal = (amount: number) => Money.toNumber(amount, currency)
  return added.map(({ amount, code, name, tax: taxed, type = name }) => {
    const tax = taxed === undefined ? null : { rate: taxed.rate, amount: decimal(taxed.amount) }
    return { name, type, amount: decimal(amount), tax, ...(code !== undefined && { code }) }
  })
}

/** All charges of an order, including the host's. */
export const chargesOf = ({ addedCharges = [], charges }: OrderDraft): NonNullable<OrderDraft["addedCharges"]> => [
  ...charges,
  ...addedCharges
]

type Path = ReadonlyArray<PropertyKey>

/** Converts a draft's amounts to minor units. For each impossible amount, a violation is collected and the amount becomes 0. */
const amountReader = (currency: string) => {
  const violations: Array<Violation> = []
  const outOfRange = (path: Path, message: string) => {
    violations.push({ path: pointer(path), code: "OUT_OF_RANGE", message })
  }
  const exact = (amount: number, path: Path): Money.MinorUnits => {
    const minor = Money.fromNumber(amount, currency)
    if (Result.isSuccess(minor)) {
      if (minor.success < 0) outOfRange(path, "must not be negative")
      return minor.success
    }
    const { code, message } = minor.failure
    violations.push({
      path: code === "INVALID_CURRENCY" ? "/ordering_currency" : pointer(path),
      code: code === "INVALID_RECORD" ? "INVALID_VALUE" : code,
      message
    })
    return Money.minorUnits(0)
  }
  return { exact, outOfRange, violations }
}

type AmountReader = ReturnType<typeof amountReader>

const priceLine = (
  { exact, outOfRange, violations }: AmountReader,
  currency: string,
  line: OrderLineDraft,
  at: Path
): PricedLine => {
  const known = violations.length
  const esp = exact(line.esp, [...at, "esp"])
  const discount = exact(line.discount, [...at, "discount"])
  const couponDiscount = exact(line.couponDiscount, [...at, "coupon_discount"])
  const deliveryCharge = exact(line.deliveryCharge, [...at, "delivery_charge"])
  const price = BigInt(esp) * BigInt(line.quantity) + BigInt(deliveryCharge)
  const discounts = BigInt(discount) + BigInt(couponDiscount)
  const total = price - discounts
  const shown = (amount: bigint) => Money.toText(Number(amount), currency)
  if (total < 0n && violations.length === known) {
    const priced = `the line's price with delivery, ${shown(price)}`
    outOfRange(at, `The discounts, ${shown(discounts)}, are more than ${priced}. Lower the discounts`)
  }
  const taxPath = [...at, "tax", "amount"]
  const taxAmount = line.tax === null ? Money.minorUnits(0) : exact(line.tax.amount, taxPath)
  if (BigInt(taxAmount) > total && violations.length === known)
    outOfRange(taxPath, `must be at most ${shown(total)}, the line's total: totals include tax`)
  const mrp = line.mrp === null ? null : exact(line.mrp, [...at, "mrp"])
  return { mrp, esp, discount, couponDiscount, deliveryCharge, taxAmount, total }
}

/** Reads a charge. Like a line's total, a charge's amount includes the tax. */
const priceCharge = (
  { exact, outOfRange, violations }: AmountReader,
  currency: string,
  { amount, tax }: OrderDraft["charges"][number],
  at: Path
): bigint => {
  const known = violations.length
  const charged = exact(amount, [...at, "amount"])
  const taxPath = [...at, "tax", "amount"]
  const taxAmount = tax === null ? 0 : exact(tax.amount, taxPath)
  if (taxAmount > charged && violations.length === known) {
    const shown = Money.toText(charged, currency)
    outOfRange(taxPath, `must be at most ${shown}, the charge's amount: amounts include tax`)
  }
  return BigInt(charged)
}

const sumOf = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((a, b) => a + b, 0n)

/**
 * Computes an order's amounts with the host's charges. A sent total must equal the computed one, and so must the sum of sent
 * payment methods. Fails with all impossible amounts (`VALIDATION_FAILED`), else with all mismatches (`TOTAL_MISMATCH`).
 * Source: docs/reference/orders.md#totals.
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
export const price = (draft: OrderDraft, added?: ChargesOf): Result.Result<PricedOrder, OrderRejected> => {
  const { currency } = draft
  const reader = amountReader(currency)
  const { exact, outOfRange, violations } = reader
  const lines = draft.shipments.map((shipment, s) =>
    shipment.lines.map((line, l) => priceLine(reader, currency, line, ["shipments", s, "lines", l]))
  )
  const charges = draft.charges.map((charge, c) => priceCharge(reader, currency, charge, ["charges", c]))
  if (draft.coupon !== null) exact(draft.coupon.amount, ["coupon", "amount"])
  const sent = { lines: sumOf(lines.flat().map((one) => one.total)), charges: sumOf(charges) }
  const stated = draft.totalAmount === null ? null : BigInt(exact(draft.totalAmount, ["total_amount"]))
  const methods = draft.payment.methods.map((one, m) => BigInt(exact(one.amount, ["payment", "methods", m, "amount"])))
  const reduced = sumOf(lines.flat().flatMap((one) => [BigInt(one.discount), BigInt(one.couponDiscount)]))
  if (sent.lines + sent.charges + reduced > Money.largestTotal)
    outOfRange([], "The order's total before discounts has more than 15 digits. Split the order")
  if (violations.length > 0) {
    const unique = [...new Map(violations.map((one) => [`${one.path} ${one.code}`, one])).values()]
    return Result.fail(new OrderRejected({ code: "VALIDATION_FAILED", violations: unique }))
  }
  const own = added?.(draft, Number(sent.lines + sent.charges))
  const sums = { ...sent, charges: sent.charges + sumOf((own ?? []).map(({ amount }) => BigInt(amount))) }
  const total = sums.lines + sums.charges
  const mismatches = [
    ...(stated === null ? [] : mismatch("/total_amount", stated, sums, currency)),
    ...(methods.length === 0 ? [] : mismatch("/payment/methods", sumOf(methods), sums, currency))
  ]
  const [first] = mismatches
  if (first === undefined) {
    const priced = { lines, total: Number(total) }
    return Result.succeed(own === undefined ? priced : { ...priced, addedCharges: inDecimals(own, currency) })
  }
  const summary = `The order's amounts don't add up: ${first.path} ${first.message}`
  return Result.fail(new OrderRejected({ code: "TOTAL_MISMATCH", summary, violations: mismatches }))
}

const mismatch = (
  path: string,
  found: bigint,
  { charges, lines }: { readonly lines: bigint; readonly charges: bigint },
  currency: string
): ReadonlyArray<Violation> => {
  const shown = (amount: bigint) => Money.toText(Number(amount), currency)
  const parts = `lines (${shown(lines)}, with tax) and charges (${shown(charges)})`
  const message = `is ${shown(found)}, but ${parts} come to ${shown(lines + charges)}`
  return found === lines + charges ? [] : [{ path, code: "TOTAL_MISMATCH", message }]
}

/** Converts amounts of an accepted order to minor units. This can't fail, since `price` has checked the amounts. */
const minorOf = (draft: OrderDraft) => (amount: number) => Result.getOrThrow(Money.fromNumber(amount, draft.currency))

/** All charges of an accepted order as papers print them, in minor units. */
export const printedCharges = (draft: OrderDraft): ReadonlyArray<OrderCharge> => {
  const minor = minorOf(draft)
  return chargesOf(draft).map(({ amount, code, name, tax }) => {
    const taxAmount = tax === null ? 0 : minor(tax.amount)
    return { name, code: code ?? null, amount: minor(amount), taxRate: tax?.rate ?? null, taxAmount }
  })
}

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
 * The COD and prepaid amounts in minor units, and the totals of the lines. Source: docs/reference/orders.md#payment.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { OrderPricing } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const methods = [{ mode: "WALLET", name: "Wallet", amount: 30 }, { mode: "COD", name: "Cash", amount: 70 }]
 * const draft = orderDraft({ payment: { mode: "COD", methods } })
 * deepStrictEqual(OrderPricing.methodsOf(draft), { cod: 7_000, prepaid: 3_000, lines: 10_000, units: 1 })
 * const prepaid = orderDraft({ payment: { mode: "PREPAID", methods: [] } })
 * strictEqual(OrderPricing.methodsOf(prepaid).prepaid, 10_000)
 * ```
 */
export const methodsOf = (draft: OrderDraft): PaymentMethods => {
  const minor = minorOf(draft)
  const sum = (all: ReadonlyArray<{ readonly amount: number }>): number =>
    all.reduce((total, { amount }) => total + minor(amount), 0)
  const amounts = amountsOf(draft)
  const lines = draft.shipments.flatMap((one) => one.lines.map(amounts))
  const sums = {
    lines: lines.reduce((total, one) => total + lineTotal(one), 0),
    units: lines.reduce((total, one) => total + one.ordered, 0)
  }
  const { methods, mode } = draft.payment
  if (methods.length === 0) {
    const total = sums.lines + sum(chargesOf(draft))
    return mode === "COD" ? { cod: total, prepaid: 0, ...sums } : { cod: 0, prepaid: total, ...sums }
  }
  return {
    cod: sum(methods.filter((one) => one.mode === "COD")),
    prepaid: sum(methods.filter((one) => one.mode !== "COD")),
    ...sums
  }
}

/** Whether every line of the order has a stated tax of 0. */
export const isTaxExempt = ({ shipments }: OrderDraft): boolean =>
  shipments.every(({ lines }) => lines.every(({ tax }) => tax?.rate === 0 && tax.amount === 0))

/** The sums of a placed order in minor units. `tax` includes the tax of charges. The other sums are of the lines only. */
export interface OrderSums {
  readonly discount: number
  readonly couponDiscount: number
  readonly deliveryCharge: number
  readonly tax: number
  readonly dueToSeller: number
}

/** The sums of an accepted order. If the marketplace bears a coupon, the coupon doesn't reduce the amount due to the seller. */
export const sumsOf = (draft: OrderDraft): OrderSums => {
  const lines = draft.shipments.flatMap(({ lines }) => lines)
  const minor = minorOf(draft)
  const amounts = lines.map(amountsOf(draft))
  const sum = (of: (line: (typeof amounts)[number]) => number): number =>
    amounts.reduce((total, line) => total + of(line), 0)
  return {
    discount: sum((line) => line.discount),
    couponDiscount: sum((line) => line.couponDiscount),
    deliveryCharge: sum((line) => line.deliveryCharge),
    tax: [...lines, ...chargesOf(draft)].reduce((total, { tax }) => total + (tax === null ? 0 : minor(tax.amount)), 0),
    dueToSeller: sum((line) => dueToSeller(line, draft.coupon?.ownership ?? null))
  }
}
