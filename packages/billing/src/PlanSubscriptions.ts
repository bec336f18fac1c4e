/** Use cases that subscribe a company to a plan, with or without a coupon, and read its plan and limits. */
import { type Caller, Directory } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids, Money } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Agreement from "./Agreement.ts"
import { replaceable, takeOver } from "./AgreementReplacement.ts"
import { BillingNotFound, BillingRejected } from "./BillingError.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import * as Coupon from "./Coupon.ts"
import * as Customers from "./Customers.ts"
import { type Invoice, retriedAt } from "./Invoice.ts"
import { entitlementOf, type Feature, nothingAllowed, type Plan } from "./Plan.ts"

const invalidCoupon = (message: string) =>
  new BillingRejected({
    summary: "Invalid coupon",
    violations: [{ path: "/coupon_code", code: "INVALID_VALUE", message }]
  })

const mostPlans = 10

/** A request to subscribe to a plan. `uniqueId` and `coupon` are null if they weren't sent. */
export interface Activation {
  readonly planId: string
  readonly uniqueId: string | null
  readonly coupon: string | null
}

export interface PlanSubscription {
  readonly agreement: Agreement.Agreement
  readonly plan: Plan
  readonly latestInvoice: Invoice | undefined
}

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

/** Makes a plan's agreement, active from `now`. It continues the trial of `before`, the agreement it replaces. */
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

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const ledger = yield* BillingLedger
  const ids = yield* Ids.Ids
  const { customer } = yield* Customers.make
  const { tax } = yield* BillingPolicy

  const discount = Effect.fnUntraced(function* (plan: Plan, code: string) {
    const found = yield* store.coupon(code)
    const now = yield* Clock.currentTimeMillis
    if (found === undefined)
      return yield* invalidCoupon(
        `There is no coupon ${code}; capitals count. Ask the platform for a code, or activate the plan without one.`
      )
    const amount = Coupon.discount(found.coupon, plan, found.used, now)
    return Option.isNone(amount) ? yield* notNow(plan, code) : amount.value
  })

  const notNow = (plan: Plan, code: string) =>
    invalidCoupon(`Coupon ${code} can't be used for the plan ${plan.id} at this time. Send another one.`)

  const unknownPlan = (planId: string, path: string) =>
    Effect.map(store.plans, (plans) => {
      const ids = plans.filter(({ isActive }) => isActive).map(({ id }) => id)
      const message = `There is no plan ${planId}. Send one of these: ${ids.slice(0, mostPlans).join(", ")}${ids.length > mostPlans ? ", …" : ""}.`
      return { message, violations: [{ path, code: "NOT_FOUND", message }] }
    })

  const checkCoupon = Effect.fn("Billing.checkCoupon")(function* (planId: string, code: string) {
    const plan = yield* store.plan(planId)
    if (plan === undefined || !plan.isActive) {
      const { message, violations } = yield* unknownPlan(planId, "/plan")
      return yield* new BillingRejected({ summary: message, violations })
    }
    return Money.toNumber(yield* discount(plan, code), plan.currency)
  })

  const redeem = Effect.fnUntraced(function* (plan: Plan, code: string) {
    const amount = yield* discount(plan, code)
    return (yield* store.redeem(code)) ? { code, amount } : yield* notNow(plan, code)
  })

  /** The discount on this plan from a coupon redeemed for another plan. It is 0 if the coupon isn't for this plan. */
  const carried = (plan: Plan, code: string) =>
    Effect.map(store.coupon(code), (found) => {
      const amount = found === undefined ? Option.none() : Coupon.amountOff(found.coupon, plan)
      return { code, amount: Option.getOrElse(amount, () => 0) }
    })

  const withInvoice = (agreement: Agreement.Agreement, plan: Plan) =>
    Effect.map(
      store.latestInvoice(agreement.companyId, agreement.id),
      (latestInvoice): PlanSubscription => ({ agreement, plan, latestInvoice })
    )

  /** Makes the rejected invoices of a frozen agreement payable now. Their payment thaws the agreement. */
  const paidAgain = Effect.fnUntraced(function* ({ companyId, id }: Agreement.Agreement, now: number) {
    const unpaid = (yield* store.unpaid(companyId, "plan")).filter(({ agreementId }) => agreementId === id)
    const retried = retriedAt(unpaid, now)
    const change: CompanyWrite.CompanyChange = {
      companyId,
      entity: { type: "billing-plan", id, action: "retry" },
      save: () =>
        Effect.as(Effect.forEach(retried, store.saveInvoice, { discard: true }), {
          logs: { request: { invoices: retried.map(({ number }) => number) }, response: "ok" },
          events: []
        })
    }
    return retried.length === 0 ? [] : [change]
  })

  /** The discount of an activation: from the coupon sent, or else `kept`, the unused discount of the replaced plan. */
  const discountOf = (plan: Plan, coupon: string | null, kept: Agreement.Agreement["discount"]) => {
    if (coupon !== null && coupon !== kept?.code) return redeem(plan, coupon)
    return kept === null ? Effect.succeed(null) : carried(plan, kept.code)
  }

  /** Activates the running plan again. A frozen plan's payment is attempted again, and an unbilled plan redeems a coupon. */
  const repeated = (agreement: Agreement.Agreement, plan: Plan, coupon: string | null, now: number) =>
    Effect.gen(function* () {
      if (agreement.status === "frozen")
        return { answer: { agreement, plan }, changes: yield* paidAgain(agreement, now) }
      if (coupon === null || !Coupon.mayBeRedeemed(coupon, agreement)) return CompanyWrite.nothing({ agreement, plan })
      const after = { ...agreement, discount: yield* redeem(plan, coupon) }
      const change = { before: [agreement], after: [after], drafts: [], action: "redeem" }
      return { answer: { agreement: after, plan }, changes: [ledger.companyChange(agreement.companyId, change)] }
    })

  const activate = Effect.fn("Billing.activate")(function* (caller: Caller, companyId: CompanyId, asked: Activation) {
    const { agreement, plan } = yield* ledger.write(caller, companyId, function* () {
      yield* Customers.own(companyId, asked.uniqueId)
      yield* customer(companyId)
      // The tokens of a closed company work for a few more seconds.
      if ((yield* directory.company(companyId))?.closedAt !== undefined)
        return yield* new BillingNotFound({ what: "Customer" })
      const plan = yield* store.plan(asked.planId)
      const replaced = yield* store.running(companyId, "plan")
      const same = replaced.find((one) => one.entityId === asked.planId)
      if (plan === undefined || !(plan.isActive || same !== undefined))
        return yield* new BillingNotFound({
          what: "Plan",
          violations: (yield* unknownPlan(asked.planId, "/plan_id")).violations
        })
      const now = yield* Clock.currentTimeMillis
      if (same !== undefined) return yield* repeated(same, plan, asked.coupon, now)
      const bare = planAgreement(plan, companyId, yield* ids.hex, now, replaced[0])
      const ends = yield* replaceable(store, replaced, plan.currency, now)
      const unpaid = yield* store.unpaid(companyId, "plan")
      const discount = yield* discountOf(plan, asked.coupon, replaced[0]?.discount ?? null)
      const { agreement: begun, drafts, ended } = takeOver({ ...bare, discount }, ends, now, tax)
      // Without this, a company whose card is always rejected could activate one plan after another.
      const isPaidFirst =
        unpaid.length > 0 && drafts.some(({ agreementId, total }) => agreementId === begun.id && total > 0)
      const agreement = (isPaidFirst ? Agreement.freeze(begun) : undefined) ?? begun
      const change = { before: replaced, after: [...ended, agreement], drafts, action: "activate" }
      return { answer: { agreement, plan }, changes: [ledger.companyChange(companyId, change)] }
    })
    return yield* withInvoice(agreement, plan)
  })

  const current = Effect.fn("Billing.current")(function* (companyId: CompanyId) {
    const agreement = (yield* store.running(companyId, "plan")).at(-1)
    const plan = agreement === undefined ? undefined : yield* store.plan(agreement.entityId)
    if (agreement === undefined || plan === undefined || agreement.status === "frozen") return undefined
    return yield* withInvoice(Agreement.priced(agreement, plan), plan)
  })

  const limits = Effect.fn("Billing.limits")(function* (companyId: CompanyId) {
    const found = yield* current(companyId)
    if (found === undefined) return { limits: nothingAllowed, isTrial: false }
    const now = yield* Clock.currentTimeMillis
    return { limits: found.plan.limits, isTrial: now < (found.agreement.anchor ?? now) }
  })

  const entitlement = (company: CompanyId, feature: Feature, used: number) =>
    Effect.map(limits(company), (found) => entitlementOf(found.limits, feature, used))

  return { activate, checkCoupon, current, limits, entitlement }
})
