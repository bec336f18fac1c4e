/** The companies of a history as subscribers of plans and of an extension. One company never pays. */
import {
  Billing,
  BillingLedger,
  BillingPolicy,
  BillingRun,
  BillingStore,
  type Coupon,
  nothingAllowed,
  PaymentProvider,
  PaymentProviderTest,
  type Plan
} from "@crossdock/billing"
import { Companies } from "@crossdock/host"
import type { CompanyId } from "@crossdock/kernel"
import type { Random } from "@crossdock/system-tests/Random"
import { Effect, Layer } from "effect"
import * as World from "./World.ts"

export const [, neverPays] = World.companies

const payments = Layer.effect(
  PaymentProvider,
  Effect.map(PaymentProvider, (all) =>
    PaymentProvider.of({
      ...all,
      charge: (request) => (request.companyId === neverPays ? Effect.succeed("failed") : all.charge(request))
    })
  )
).pipe(Layer.provideMerge(PaymentProviderTest.layer))

const day = 86_400_000

export const retryAfterMillis = [day, 3 * day, 5 * day]

const policy = Layer.succeed(BillingPolicy, {
  seller: { name: "Crossdock", addressLines: [], taxNumber: null, bank: null },
  tax: { name: "GST", hundredths: 1_800 },
  retryAfterMillis,
  answerMillis: 30_000
})

/** Billing and the companies of the host, on the services of a world. */
export const services: Layer.Layer<Services, never, World.Services> = Layer.mergeAll(
  Companies.layer,
  BillingRun.layer
).pipe(
  Layer.provideMerge(Billing.layer),
  Layer.provideMerge(BillingLedger.layer),
  Layer.provideMerge(payments),
  Layer.provide(policy)
)

export type Services =
  | Companies.Companies
  | Billing.Billing
  | BillingRun.BillingRun
  | BillingLedger.BillingLedger
  | PaymentProvider
  | PaymentProviderTest.PaymentSandbox

/** The next invoice of a company's plan, as the company was shown it. */
export interface Shown {
  readonly agreementId: string
  readonly index: number
  readonly amount: number
}

/** What a history knows about its subscribers without reading the storage. */
export interface Subscribers {
  readonly draw: Random
  /** The latest time of the clock. */
  latest: number
  links: number
  closed: CompanyId | null
  readonly agreements: Map<string, CompanyId>
  readonly shown: Map<CompanyId, Shown>
  /** The plans that are offered. `ended` has the end of each coupon, `charged` the companies that may be charged. */
  readonly offered: Map<string, { readonly amount: number; readonly isActive: boolean }>
  readonly ended: Map<string, number>
  charged: ReadonlyArray<CompanyId>
  /** Plans of the company that never pays, if they were enabled while an invoice was open. */
  readonly enabledUnpaid: Set<string>
}

const plan = (id: string, amount: number, interval: Plan["interval"], trialDays: number): Plan => ({
  id,
  name: id,
  description: "",
  amount,
  currency: "INR",
  interval,
  trialDays,
  productSuite: null,
  isActive: true,
  limits: nothingAllowed,
  createdAt: 0,
  modifiedAt: 0
})

export const plans = [
  plan("lite", 31_000, "month", 14),
  plan("plus", 62_000, "month", 0),
  plan("annual", 500_000, "year", 30)
]

export const make = (draw: Random): Subscribers => ({
  draw,
  latest: 0,
  links: 0,
  closed: null,
  agreements: new Map(),
  shown: new Map(),
  offered: new Map(plans.map(({ amount, id, isActive }) => [id, { amount, isActive }])),
  ended: new Map(),
  charged: World.companies,
  enabledUnpaid: new Set()
})

const coupon = (
  code: string,
  hundredths: number,
  of: ReadonlyArray<string> | null,
  maxUses: number
): Coupon.Coupon => ({
  code,
  reduction: { kind: "percent", hundredths },
  plans: of,
  startsAt: null,
  endsAt: null,
  maxUses
})

export const coupons = [coupon("TEN", 1_000, null, 3), coupon("HALF", 5_000, ["plus"], 2)]

export const extension = "ext1"

export const settle = Effect.gen(function* () {
  const [billing, store] = [yield* Billing.Billing, yield* BillingStore]
  yield* store.putPlans(plans)
  yield* store.putCoupons(coupons)
  yield* store.putExtensions([{ id: extension, name: "Sync", companies: null }])
  for (const company of World.companies)
    yield* billing.putCustomer(World.host, company, { uniqueId: null, detail: { name: `Seller ${company}` } })
})
