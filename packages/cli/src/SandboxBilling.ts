/**
 * The sandbox's plans, coupons and extension. Source: docs/reference/host.md#sandbox.
 */
import { BillingStore, type Coupon, type Extension, type Plan, type PlanLimits } from "@crossdock/billing"
import { Effect } from "effect"

const since = Date.UTC(2026, 0, 1)

const limits = (units: number, products: number): PlanLimits => ({
  application: { enabled: true, hardLimit: units, softLimit: units },
  marketplace: { enabled: true },
  otherPlatform: { enabled: true },
  team: { limit: -1 },
  products: { bulk: true, limit: products },
  extensions: { enabled: true, limit: -1 },
  integrations: { enabled: true, limit: -1 }
})

const plan = (id: string, name: string, amount: number, trialDays: number, allowed: PlanLimits): Plan => ({
  id,
  name,
  description: `${name}, by the month`,
  amount,
  currency: "INR",
  interval: "month",
  trialDays,
  productSuite: null,
  isActive: true,
  limits: allowed,
  createdAt: since,
  modifiedAt: since
})

const plans: ReadonlyArray<Plan> = [
  plan("basic", "Basic", 99_900, 14, limits(5, 10_000)),
  plan("growth", "Growth", 499_900, 0, limits(25, -1))
]

const tenPercent = { kind: "percent", hundredths: 1000 } as const

const coupons: ReadonlyArray<Coupon.Coupon> = [
  { code: "WELCOME10", reduction: tenPercent, plans: null, startsAt: null, endsAt: null, maxUses: null },
  { code: "EXPIRED", reduction: tenPercent, plans: null, startsAt: null, endsAt: since, maxUses: null }
]

const extensions: ReadonlyArray<Extension> = [{ id: "ext1", name: "Extension 1", companies: null }]

/** Loads them. A second time changes nothing. */
export const load = Effect.gen(function* () {
  const store = yield* BillingStore
  yield* store.putPlans(plans)
  yield* store.putCoupons(coupons)
  yield* store.putExtensions(extensions)
})
