/** Use cases for the plans, coupons and extensions that the operator offers. Source: docs/reference/billing.md#plans. */
import { Instant, Money, Text, type Violation } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BillingNotFound, BillingRejected } from "./BillingError.ts"
import { BillingStore } from "./BillingStore.ts"
import type { Coupon, Reduction } from "./Coupon.ts"
import { type Extension, type Plan, planFault, planLimits } from "./Plan.ts"

const that = (isFine: (text: string) => boolean, must: string) =>
  Schema.String.check(Schema.makeFilter((text) => (isFine(text) ? undefined : must)))

const line = that((text) => Text.isLine(text, 300), "must be one line of 1 to 300 characters")
const identifier = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/))
const limit = Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1))
const withDefault = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey<S>(Effect.succeed(value)))
const orNull = <S extends Schema.Top>(schema: S) => withDefault(Schema.NullOr(schema), null)

const enabled = Schema.Boolean

const Limits = Schema.Struct({
  application: Schema.Struct({ enabled, hardLimit: limit, softLimit: limit }),
  marketplace: Schema.Struct({ enabled }),
  otherPlatform: Schema.Struct({ enabled }),
  team: Schema.Struct({ limit }),
  products: Schema.Struct({ bulk: Schema.Boolean, limit }),
  extensions: Schema.Struct({ enabled, limit }),
  integrations: Schema.Struct({ enabled, limit })
})

/** A plan to add or change. `price` is a decimal amount in the plan's currency, for one interval. */
export const PlanInput = Schema.Struct({
  id: identifier,
  name: line,
  description: withDefault(
    that((text) => Text.forbiddenCharacter(text) === undefined, "must not have control characters"),
    ""
  ),
  price: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  currency: Schema.String,
  interval: Schema.Literals(["month", "year"]),
  trialDays: withDefault(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3650 })), 0),
  productSuite: orNull(line),
  limits: withDefault(Limits, planLimits(true, -1))
})

/**
 * Whether a percentage is above 0 and at most 100, and has at most two decimals, despite floating point.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { PriceList } from "@crossdock/billing"
 *
 * deepStrictEqual([1.1, 33.333, 101].map(PriceList.isPercent), [true, false, false])
 * ```
 */
export const isPercent = (percent: number): boolean =>
  percent > 0 && percent <= 100 && Math.round(percent * 100) / 100 === percent

/** Whether customers can enter this text as a coupon code: 1 to 100 characters without spaces. */
export const isCode = (text: string): boolean => /^\S{1,100}$/.test(text) && Text.forbiddenCharacter(text) === undefined

/** Whether a text is a day, or a time with an offset, of ISO 8601. A day means its beginning in UTC. */
export const isDate = (text: string): boolean =>
  Instant.parse(text.includes("T") ? text : `${text}T00:00Z`) !== undefined

const date = that(isDate, "must be a date of ISO 8601, such as 2030-01-31T18:30:00Z")

/** A coupon to add or change, for all plans if `plans` is null. At `until` it is no longer valid. */
export const CouponInput = Schema.Struct({
  code: that(isCode, "must be 1 to 100 characters without spaces"),
  percent: orNull(
    Schema.Finite.check(
      Schema.makeFilter((percent) =>
        isPercent(percent) ? undefined : "must be above 0, at most 100, and of at most two decimals"
      )
    )
  ),
  amount: orNull(Schema.Finite.check(Schema.isGreaterThan(0))),
  currency: orNull(Schema.String),
  plans: orNull(Schema.Array(Schema.String)),
  from: orNull(date),
  until: orNull(date),
  uses: orNull(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
})

/** An extension to add or change, and the companies that it may charge. Null means all companies. */
export const ExtensionInput = Schema.Struct({
  id: identifier,
  name: line,
  companies: orNull(Schema.Array(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))))
})

const rejected = (violation: Violation) =>
  new BillingRejected({ summary: `${violation.path}: ${violation.message}`, violations: [violation] })

const minorUnits = (path: string, amount: number, currency: string) =>
  Effect.mapError(Effect.fromResult(Money.fromNumber(amount, currency)), ({ code, message }) =>
    rejected({ path, code, message })
  )

const reductionOf = (given: typeof CouponInput.Type): Effect.Effect<Reduction, BillingRejected> => {
  const { amount, currency, percent } = given
  if (percent !== null && amount === null)
    return Effect.succeed({ kind: "percent", hundredths: Math.round(percent * 100) })
  if (percent === null && amount !== null && currency !== null)
    return Effect.map(minorUnits("/amount", amount, currency), (amount) => ({ kind: "fixed", amount, currency }))
  const message = "Give either percent, or amount and its currency"
  return Effect.fail(rejected({ path: "/percent", code: "INVALID_VALUE", message }))
}

const pathOf = (path: string): string => (path === "/0/amount" ? "/price" : path.replace(/^\/0/, ""))

const millis = (date: string | null) => (date === null ? null : Date.parse(date))

export const make = Effect.map(BillingStore, (store) => {
  const named = (error: BillingRejected) => {
    const violations = error.violations.map((one) => ({ ...one, path: pathOf(one.path) }))
    return new BillingRejected({ summary: error.summary.replace(/^[^:]*/, pathOf), violations })
  }

  const put = (plan: Plan) =>
    Effect.mapError(Effect.as(store.putPlans([plan]), plan), (error) =>
      error._tag === "BillingRejected" ? named(error) : error
    )

  /** The plan to store. It must keep its currency and interval. A disabled plan remains disabled. */
  const planOf = Effect.fnUntraced(function* ({ price, ...given }: typeof PlanInput.Type) {
    const amount = yield* minorUnits("/price", price, given.currency)
    const [now, known] = [yield* Clock.currentTimeMillis, yield* store.plan(given.id)]
    const { createdAt, isActive } = known ?? { createdAt: now, isActive: true }
    const plan: Plan = { ...given, amount, isActive, createdAt, modifiedAt: now }
    const fault = planFault(known === undefined ? [] : [known], [plan])
    return fault === undefined ? plan : yield* named(fault)
  })

  return {
    planOf,
    addPlan: (given: typeof PlanInput.Type) => Effect.flatMap(planOf(given), put),
    /** Offers a plan again, or stops offering it. Its subscribers keep the plan. */
    setActive: Effect.fnUntraced(function* (id: string, isActive: boolean) {
      const plan = yield* store.plan(id)
      if (plan === undefined) return yield* new BillingNotFound({ what: "Plan" })
      return yield* put({ ...plan, isActive, modifiedAt: yield* Clock.currentTimeMillis })
    }),
    plans: store.plans,
    /** Adds or changes a coupon. A changed coupon keeps the number of its uses. */
    addCoupon: Effect.fnUntraced(function* (given: typeof CouponInput.Type) {
      const { code, from, plans, until, uses: maxUses } = given
      const reduction = yield* reductionOf(given)
      const known = (yield* store.plans).map(({ id }) => id)
      const unknown = plans?.findIndex((id) => !known.includes(id)) ?? -1
      if (unknown >= 0)
        return yield* rejected({ path: `/plans/${unknown}`, code: "INVALID_VALUE", message: "There is no such plan" })
      const coupon: Coupon = { code, reduction, plans, startsAt: millis(from), endsAt: millis(until), maxUses }
      yield* store.putCoupons([coupon])
      return coupon
    }),
    endCoupon: Effect.fnUntraced(function* (code: string) {
      const found = yield* store.coupon(code)
      if (found === undefined) return yield* new BillingNotFound({ what: "Coupon" })
      const coupon = { ...found.coupon, endsAt: yield* Clock.currentTimeMillis }
      yield* store.putCoupons([coupon])
      return coupon
    }),
    coupons: store.coupons,
    addExtension: (extension: Extension) => Effect.as(store.putExtensions([extension]), extension),
    extensions: store.extensions
  }
})
