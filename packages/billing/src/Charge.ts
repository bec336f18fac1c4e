/**
 * The charges that an extension requests, and their rules. Source: docs/reference/billing.md#lines.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { type ChargeDraft, subscriptionCharge } from "@crossdock/billing"
 * import { Result } from "effect"
 *
 * const price = { amount: 499.99, currency: "INR" }
 * const line = { name: "Pro", term: null, price, cap: null, metadata: null, isTest: false, trialDays: 7 }
 * const monthly = { ...line, pricing: "recurring", interval: "month" } as const
 * const draft: ChargeDraft = { name: "Pro", returnUrl: "https://seller.example", isTest: false, trialDays: null, lines: [monthly] }
 * deepStrictEqual(Result.getOrThrow(subscriptionCharge(draft)).lines.map(({ amount }) => amount), [49_999])
 * ```
 */
import { Money, type Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { Line } from "./Agreement.ts"
import { BillingRejected } from "./BillingError.ts"
import { largestNet, type Tax } from "./Invoice.ts"

/** A line as it was sent, with decimal amounts. */
export interface LineDraft {
  readonly name: string
  readonly term: string | null
  readonly pricing: Line["pricing"]
  readonly price: { readonly amount: number; readonly currency: string }
  readonly interval: Line["interval"]
  readonly cap: number | null
  readonly metadata: Line["metadata"]
  readonly isTest: boolean
  readonly trialDays: number | null
}

/** A charge as it was sent. If both the recurring line and the charge have a trial, the two must be equal. */
export interface ChargeDraft {
  readonly name: string
  readonly returnUrl: string
  readonly isTest: boolean
  readonly trialDays: number | null
  readonly lines: ReadonlyArray<LineDraft>
}

/** The lines of a charge without ids, in minor units of their common currency. */
export interface ExactCharge {
  readonly currency: string
  readonly lines: ReadonlyArray<Omit<Line, "id">>
}

const rejected = (summary: string, violations: ReadonlyArray<Violation>) =>
  Result.fail(new BillingRejected({ summary, violations }))

/** Whether a period of these lines can cost more than `Money.largestTotal`, including tax. */
const isTooMuch = (lines: ExactCharge["lines"], tax: Tax | null): boolean => {
  const amounts = lines.map(({ amount, cap, pricing }) => BigInt(pricing === "usage" ? (cap ?? 0) : amount))
  return amounts.reduce((total, amount) => total + amount, 0n) > largestNet(tax)
}

/** The lines in exact minor units. `whole` is the JSON Pointer of the list, and `at` returns the pointer of each line. */
const exactCharge = (
  lines: ReadonlyArray<LineDraft>,
  tax: Tax | null,
  whole: string,
  at: (index: number) => string
): Result.Result<ExactCharge, BillingRejected> => {
  const violations: Array<Violation> = []
  const report = (path: string, code: string, message: string) => violations.push({ path, code, message })
  const currency = lines[0]?.price.currency ?? ""
  const exact = (amount: number, code: string, path: string, min: number): number => {
    const minor = Money.fromNumber(amount, code)
    if (Result.isFailure(minor)) {
      const { code, message } = minor.failure
      const place = code === "INVALID_CURRENCY" ? path.replace(/[^/]+$/, "currency_code") : path
      report(place, code === "INVALID_RECORD" ? "INVALID_VALUE" : code, message)
      return 0
    }
    if (amount < min) report(path, "OUT_OF_RANGE", `Must be ${min} or more; this is ${amount}.`)
    return minor.success
  }
  const exactLines = lines.map(({ cap, price, trialDays, ...line }, index) => {
    const mismatch = `Must be ${currency}, the currency of the first line.`
    if (price.currency !== currency) report(`${at(index)}/price/currency_code`, "CURRENCY_MISMATCH", mismatch)
    const amount = exact(price.amount, price.currency, `${at(index)}/price/amount`, 1)
    return {
      ...line,
      amount,
      // An unknown currency is reported once, together with the price.
      cap:
        cap === null || Money.exponent(price.currency) === undefined
          ? null
          : exact(cap, price.currency, `${at(index)}/capped_amount`, 0)
    }
  })
  if (violations.length === 0 && isTooMuch(exactLines, tax)) {
    const message = `The total of a billing period, with tax, must be at most ${Money.toText(Money.largestTotal, currency)} ${currency}. Lower the amounts.`
    report(whole, "OUT_OF_RANGE", message)
  }
  const [first] = violations
  return first === undefined
    ? Result.succeed({ currency, lines: exactLines })
    : rejected(`${first.path}: ${first.message}`, violations)
}

/**
 * Converts the lines of a subscription to exact minor units. It rejects inexact amounts, several recurring lines, different
 * currencies or trials, and lines that can cost more than `Money.largestTotal` in a period, including `tax`.
 * Source: docs/reference/billing.md#subscription-charges.
 */
export const subscriptionCharge = (
  draft: ChargeDraft,
  tax: Tax | null = null
): Result.Result<ExactCharge, BillingRejected> => {
  const recurring = draft.lines.flatMap((line, index) => (line.pricing === "recurring" ? [{ line, index }] : []))
  const missing = recurring.filter(({ line }) => line.interval === null)
  const faultOf = (message: string, field: string, code: string, lines: typeof recurring) =>
    rejected(
      message,
      lines.map(({ index }) => ({ path: `/line_items/${index}/${field}`, code, message }))
    )
  if (missing.length > 0) return faultOf("Missing `recurring` field", "recurring", "REQUIRED", missing)
  if (recurring.length > 1)
    return faultOf("Multiple `recurring charges` not allowed", "pricing_type", "INVALID_VALUE", recurring.slice(1))
  const [first] = recurring
  const ofLine = first?.line.trialDays ?? null
  if (first !== undefined && ofLine !== null && draft.trialDays !== null && ofLine !== draft.trialDays) {
    const path = `/line_items/${first.index}/trial_days`
    const message = `The line has ${ofLine} trial days and the subscription has ${draft.trialDays}. Send the same number, or only one of them.`
    return rejected(`${path}: ${message}`, [{ path, code: "INVALID_VALUE", message }])
  }
  return exactCharge(draft.lines, tax, "/line_items", (index) => `/line_items/${index}`)
}

/** Converts the line of a one-time charge to exact minor units, at most `Money.largestTotal` with `tax`. */
export const oneTimeCharge = (
  draft: ChargeDraft,
  tax: Tax | null = null
): Result.Result<ExactCharge, BillingRejected> => {
  const message = "Missing `one_time` field"
  return draft.lines.every((line) => line.pricing === "one_time")
    ? exactCharge(draft.lines, tax, "/charge/price/amount", () => "/charge")
    : rejected(message, [{ path: "/charge/pricing_type", code: "INVALID_VALUE", message }])
}
