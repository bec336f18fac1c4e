/**
 * Use cases: subscribe a company to a plan, and read its plan and what it allows.
 */
import type { Caller } from "@crossdock/access"
import type { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import { BillingNotFound } from "../BillingError.ts"
import { BillingLedger } from "../BillingLedger.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import * as Entitlement from "../Entitlement.ts"
import type { Invoice } from "../Invoice.ts"
import { noLimits, type Plan } from "../Plan.ts"
import * as Customers from "./Customers.ts"
import * as PlanCoupons from "./PlanCoupons.ts"
import { replaceable, takeOver } from "./Replacement.ts"

/**
 * A request to subscribe to a plan. `uniqueId` and `coupon` are null when they weren't sent.
 */
export interface Activation {
  readonly planId: string
  readonly uniqueId: string | null
  readonly coupon: string | null
}

/**
 * A company's subscription to a plan.
 */
export interface PlanSubscription {
  readonly agreement: Agreement.Agreement
  readonly plan: Plan
  readonly latestInvoice: Invoice | undefined
}

/** Among a company's newest invoices are those that froze its plan. */
const recentInvoices = 100

const lineOf = ({ amount, description, id, interval, name }: Plan): Agreement.Line => ({
  id,
  name,
  term: description,
  pricing: "recurring",
  amount,
  interval,
  cap: null,
  metadata: null,
  isTest: false
})

/**
 * An agreement about a plan, active at `now`. `before` is the agreement that it replaces. A company has one trial; another plan
 * keeps the rest of it.
 */
const planAgreement = (
  plan: Plan,
  companyId: CompanyId,
  id: string,
  now: number,
  before: Agreement.Agreement | undefined
): Agreement.Agreement => {
  const trial = before === undefined ? Agreement.trialEnd(plan.trialDays, now) : Math.max(before.anchor ?? now, now)
  const pending = Agreement.begin({
    companyId,
    id,
    kind: "plan",
    entityId: plan.id,
    name: plan.name,
    currency: plan.currency,
    isTest: false,
    lines: [lineOf(plan)],
    createdAt: now,
    confirmation: null,
    trialDays: before === undefined ? plan.trialDays : before.trialDays
  })
  const anchor = before === undefined || (before.billed === 0 && trial > now) ? trial : now
  return { ...pending, status: "active", activatedAt: now, anchor }
}

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const ids = yield* Ids.Ids
  const { customer } = yield* Customers.make
  const { redeem } = yield* PlanCoupons.make
  const { tax } = yield* BillingPolicy

  const withInvoice = (agreement: Agreement.Agreement, plan: Plan) =>
    Effect.map(
      store.latestInvoice(agreement.companyId, agreement.id),
      (latestInvoice): PlanSubscription => ({ agreement, plan, latestInvoice })
    )

  /**
   * Makes the rejected invoices of a frozen agreement payable at once; a payment thaws it.
   */
  const paidAgain = ({ companyId, id, status }: Agreement.Agreement, now: number) =>
    Effect.gen(function* () {
      if (status !== "frozen") return []
      const { items } = yield* store.invoices(companyId, { number: 1, size: recentInvoices })
      const rejected = items.filter((one) => one.agreementId === id && one.payment.state === "failed")
      const save = Effect.forEach(rejected, (invoice) =>
        store.saveInvoice({ ...invoice, payment: { ...invoice.payment, nextAt: now }, modifiedAt: now })
      )
      const change: CompanyWrite.CompanyChange = {
        companyId,
        entity: { type: "billing-plan", id, action: "retry" },
        save: () =>
          Effect.as(save, {
            logs: { request: { invoices: rejected.map(({ number }) => number) }, response: "ok" },
            events: []
          })
      }
      return rejected.length === 0 ? [] : [change]
    })

  const activate = Effect.fn("Billing.activate")(function* (caller: Caller, companyId: CompanyId, asked: Activation) {
    const { agreement, plan } = yield* ledger.write(
      caller,
      companyId,
      Effect.gen(function* () {
        yield* Customers.own(companyId, asked.uniqueId)
        yield* customer(companyId)
        const plan = yield* store.plan(asked.planId)
        if (plan === undefined || !plan.isActive) return yield* new BillingNotFound({ what: "Plan" })
        const replaced = yield* store.running(companyId, "plan")
        const same = replaced.find((one) => one.entityId === plan.id)
        const now = yield* Clock.currentTimeMillis
        if (same !== undefined) return { answer: { agreement: same, plan }, changes: yield* paidAgain(same, now) }
        const bare = planAgreement(plan, companyId, yield* ids.hex, now, replaced[0])
        const ends = yield* replaceable(store, replaced, plan.currency)
        const discount = asked.coupon === null ? null : yield* redeem(plan, asked.coupon)
        const taken = takeOver({ ...bare, discount }, ends, now, tax)
        const change = { before: replaced, after: taken.after, drafts: taken.drafts, action: "activate" }
        return { answer: { agreement: taken.agreement, plan }, changes: [ledger.companyChange(companyId, change)] }
      })
    )
    return yield* withInvoice(agreement, plan)
  })

  const current = Effect.fn("Billing.current")(function* (companyId: CompanyId) {
    const agreement = (yield* store.running(companyId, "plan")).at(-1)
    const plan = agreement === undefined ? undefined : yield* store.plan(agreement.entityId)
    if (agreement === undefined || plan === undefined || agreement.status === "frozen") return undefined
    return yield* withInvoice(agreement, plan)
  })

  const limits = Effect.fn("Billing.limits")(function* (companyId: CompanyId) {
    const found = yield* current(companyId)
    if (found === undefined) return { limits: noLimits, isTrial: false }
    const now = yield* Clock.currentTimeMillis
    return { limits: found.plan.limits, isTrial: now < (found.agreement.anchor ?? now) }
  })

  const entitlement = (company: CompanyId, feature: Entitlement.Feature, used: number) =>
    Effect.map(limits(company), (found) => Entitlement.check(found.limits, feature, used))

  return { activate, current, limits, entitlement }
})
