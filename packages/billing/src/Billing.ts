/**
 * Use cases: charges of extensions, a company's plan, its customer detail, its invoices.
 */

import type { Caller, System } from "@crossdock/access"
import { CompanyWrite, Digest } from "@crossdock/audit"
import { type CompanyId, Ids, Money, Nonce, type Page, type StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Agreement from "./Agreement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { BillingNotFound, BillingRejected } from "./BillingError.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import { type ChargeDraft, judgeOneTime, judgeSubscription, trialDaysOf } from "./ChargeDraft.ts"
import * as Coupon from "./Coupon.ts"
import type { Customer, CustomerDetail } from "./Customer.ts"
import * as Entitlement from "./Entitlement.ts"
import type { Draft, Invoice } from "./Invoice.ts"
import { type Limits, noLimits, type Plan } from "./Plan.ts"

/**
 * What a company wants a plan for. `uniqueId` and `code` null: not said.
 */
export interface Activation {
  readonly planId: string
  readonly uniqueId: string | null
  readonly coupon: string | null
}

/**
 * What is told of a customer; `uniqueId` null: not said.
 */
export interface CustomerUpsert {
  readonly uniqueId: string | null
  readonly detail: CustomerDetail
}

/**
 * A plan that was agreed on.
 */
export interface PlanSubscription {
  readonly agreement: Agreement.Agreement
  readonly plan: Plan
  readonly latestInvoice: Invoice | undefined
}

/**
 * What was asked for, and the secret of the page where it is decided: it is told once and kept as its digest alone.
 */
export interface Asked {
  readonly agreement: Agreement.Agreement
  readonly link: string
}

export type Decision = "accept" | "decline"

type Fails<E> = E | StorageError

export class Billing extends Context.Service<
  Billing,
  {
    /** Document 3: `extension/{extension_id}/subscription`. */
    readonly createSubscription: (
      caller: Caller,
      company: CompanyId,
      extension: string,
      draft: ChargeDraft
    ) => Effect.Effect<Asked, Fails<BillingRejected | BillingNotFound>>
    /** Document 3: `one_time_charge`. The draft has one line. */
    readonly createCharge: (
      caller: Caller,
      company: CompanyId,
      extension: string,
      draft: ChargeDraft
    ) => Effect.Effect<Asked, Fails<BillingRejected | BillingNotFound>>
    readonly subscription: (
      company: CompanyId,
      extension: string,
      id: string
    ) => Effect.Effect<Agreement.Agreement, Fails<BillingNotFound>>
    readonly charge: (
      company: CompanyId,
      extension: string,
      id: string
    ) => Effect.Effect<Agreement.Agreement, Fails<BillingNotFound>>
    /** With its attached charges; usage that was not billed yet is. */
    readonly cancel: (
      caller: Caller,
      company: CompanyId,
      extension: string,
      id: string
    ) => Effect.Effect<Agreement.Agreement, Fails<BillingRejected | BillingNotFound>>
    /** What the page behind a link shows. */
    readonly confirmation: (link: string) => Effect.Effect<Agreement.Agreement, Fails<BillingNotFound>>
    /** The first decision stands: a later one changes nothing and answers what was decided. */
    readonly decide: (
      link: string,
      decision: Decision,
      requestId: string | null
    ) => Effect.Effect<Agreement.Agreement, Fails<BillingNotFound>>
    /**
     * Notes what was used of a usage line (minor units), up to its cap, and answers how much of it counted. Undefined when
     * the subscription is not active or has no such line.
     */
    readonly use: (
      caller: Caller,
      company: CompanyId,
      subscription: string,
      line: string,
      amount: number
    ) => Effect.Effect<number | undefined, StorageError>

    readonly customer: (company: CompanyId) => Effect.Effect<Customer, Fails<BillingNotFound>>
    /** What is not told stays as it was. */
    readonly putCustomer: (
      caller: Caller,
      company: CompanyId,
      upsert: CustomerUpsert
    ) => Effect.Effect<Customer, Fails<BillingNotFound>>
    /**
     * Erases what was told of the customer, also from whatever the storage is made of; false when nothing was ever told.
     * The company stays a customer and goes by its own name. Invoices keep their client: they have to be kept as they are.
     */
    readonly eraseCustomer: (caller: Caller, company: CompanyId) => Effect.Effect<boolean, StorageError>

    /** What a coupon takes off the plan's price, in the plan's currency as JSON shows it. */
    readonly checkCoupon: (plan: string, code: string) => Effect.Effect<number, Fails<BillingRejected>>
    /**
     * Subscribes the company to a plan. Another plan that runs is cancelled, and what was paid for its unused days is
     * taken off the new one; the plan that runs already stays as it is.
     */
    readonly activate: (
      caller: Caller,
      company: CompanyId,
      activation: Activation
    ) => Effect.Effect<PlanSubscription, Fails<BillingRejected | BillingNotFound>>
    readonly current: (company: CompanyId) => Effect.Effect<PlanSubscription | undefined, StorageError>
    readonly limits: (
      company: CompanyId
    ) => Effect.Effect<{ readonly limits: Limits; readonly isTrial: boolean }, StorageError>
    /** May the company have one more of this, of which it has `used`? */
    readonly entitlement: (
      company: CompanyId,
      feature: Entitlement.Feature,
      used: number
    ) => Effect.Effect<Entitlement.Entitlement, StorageError>

    readonly invoices: (company: CompanyId, page: Page.Page) => Effect.Effect<Page.Paged<Invoice>, StorageError>
    readonly invoice: (company: CompanyId, id: string) => Effect.Effect<Invoice, Fails<BillingNotFound>>
    /** What will be charged by `until` (epoch milliseconds) if nothing else happens. */
    readonly preview: (
      company: CompanyId,
      id: string,
      until: number
    ) => Effect.Effect<ReadonlyArray<Draft>, Fails<BillingNotFound>>
  }
>()("@crossdock/billing/Billing") {}

/**
 * Who decides on a page has no account here: the link is what they have.
 */
const decider = (requestId: string | null): Caller<System> => ({
  principal: { kind: "system", id: "confirm-page" },
  requestId
})

const invalidCoupon = new BillingRejected({
  summary: "Invalid coupon",
  violations: [{ path: "/coupon_code", code: "INVALID_VALUE", message: "Invalid coupon" }]
})

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const ids = yield* Ids.Ids
  const nonce = yield* Nonce
  const { sha256 } = yield* Digest
  const { tax } = yield* BillingPolicy

  const create = (kind: "subscription" | "one_time") =>
    Effect.fn("Billing.create")(function* (caller: Caller, companyId: CompanyId, entityId: string, draft: ChargeDraft) {
      const extension = yield* store.extension(entityId)
      if (extension === undefined || (extension.companies !== null && !extension.companies.includes(companyId))) {
        return yield* new BillingNotFound({ what: "Extension" })
      }
      const { currency, lines } = yield* Effect.fromResult(
        kind === "subscription" ? judgeSubscription(draft) : judgeOneTime(draft)
      )
      return yield* ledger.decide(
        caller,
        companyId,
        // With new ids for each attempt: one that another host drew as well must not be drawn again.
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const link = (yield* nonce.hex) + (yield* nonce.hex)
          const numbered = yield* Effect.forEach(lines, (line) => Effect.map(ids.hex, (id) => ({ ...line, id })))
          const agreement: Agreement.Agreement = {
            companyId,
            id: yield* ids.hex,
            kind,
            entityId,
            name: draft.name,
            currency,
            isTest: draft.isTest,
            lines: numbered,
            status: "pending",
            createdAt: now,
            activatedAt: null,
            cancelledAt: null,
            confirmation: {
              returnUrl: draft.returnUrl,
              digest: sha256(link),
              expiresAt: now + Agreement.pendingMillis
            },
            trialDays: trialDaysOf(draft),
            anchor: null,
            billed: 0,
            lastBilled: 0,
            discount: null,
            credit: 0,
            usage: {},
            version: 0
          }
          const replaced = kind === "subscription" ? yield* runningOf(agreement) : []
          const other = replaced.find((one) => one.currency !== currency)
          if (other !== undefined) {
            const message = `must be ${other.currency}, as the subscription that this one would replace`
            return yield* new BillingRejected({
              summary: `/line_items/0/price/currency_code: ${message}`,
              violations: [{ path: "/line_items/0/price/currency_code", code: "CURRENCY_MISMATCH", message }]
            })
          }
          const change = ledger.billing(companyId, { before: [], after: [agreement], drafts: [], action: "create" })
          return { answer: { agreement: { ...agreement, version: 1 }, link }, changes: [change] }
        })
      )
    })

  /**
   * Those that a new one of the same extension, or another plan, takes the place of.
   */
  const runningOf = ({ companyId, entityId, kind }: Agreement.Agreement) =>
    Effect.map(store.running(companyId, kind), (all) =>
      all.filter((one) => kind === "plan" || one.entityId === entityId)
    )

  const find = (what: "Subscription" | "Charge") => (companyId: CompanyId, extension: string, id: string) =>
    Effect.gen(function* () {
      const found = yield* store.agreement(companyId, id)
      const kind = what === "Subscription" ? "subscription" : "one_time"
      return found?.kind === kind && found.entityId === extension ? found : yield* new BillingNotFound({ what })
    })

  const seen = (agreement: Agreement.Agreement) =>
    Effect.map(Clock.currentTimeMillis, (now) => ({ ...agreement, status: Agreement.statusAt(agreement, now) }))

  /**
   * What is due by now is billed first, so that nothing gets lost when the agreement ends.
   */
  const ended = (agreement: Agreement.Agreement, now: number) => {
    const caught = BillingCycle.catchUp(agreement, now, tax)
    const cancelled = Agreement.cancel(caught.agreement, now)
    if (cancelled === undefined) return { status: caught.agreement.status, agreement: undefined }
    const last = BillingCycle.final(caught.agreement, now, tax)
    const taken = (last?.items ?? [])
      .filter(({ type }) => type === "credit")
      .reduce((sum, { amount }) => sum + amount, 0)
    return {
      status: cancelled.status,
      agreement: { ...cancelled, usage: {} },
      drafts: last === null ? caught.drafts : [...caught.drafts, last],
      credit: Agreement.unused({ ...caught.agreement, credit: caught.agreement.credit + taken }, now)
    }
  }

  const cancel = Effect.fn("Billing.cancel")((caller: Caller, companyId: CompanyId, extension: string, id: string) =>
    ledger.decide(
      caller,
      companyId,
      Effect.gen(function* () {
        const before = yield* find("Subscription")(companyId, extension, id)
        const now = yield* Clock.currentTimeMillis
        const end = ended(before, now)
        if (end.agreement === undefined) {
          const summary =
            end.status === "cancelled"
              ? "Subscription is already cancelled"
              : `Subscription is ${end.status} and can't be cancelled`
          return yield* new BillingRejected({ summary, violations: [] })
        }
        const change = { before: [before], after: [end.agreement], drafts: end.drafts, action: "cancel" }
        return { answer: end.agreement, changes: [ledger.billing(companyId, change)] }
      })
    )
  )

  const confirmation = (link: string) =>
    Effect.flatMap(store.byLink(sha256(link)), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Confirmation" })) : seen(found)
    )

  /**
   * The agreement takes the place of those that run: they end, and what is left of them is its credit.
   */
  const takeOver = (agreement: Agreement.Agreement, replaced: ReadonlyArray<Agreement.Agreement>, now: number) => {
    const ends = replaced.flatMap((one) => {
      const end = ended(one, now)
      return end.agreement === undefined ? [] : [end]
    })
    const credit = ends
      .filter((one) => one.agreement.currency === agreement.currency)
      .reduce((sum, one) => sum + one.credit, agreement.credit)
    const begun = BillingCycle.catchUp({ ...agreement, credit }, now, tax)
    return {
      agreement: begun.agreement,
      after: [...ends.map((one) => one.agreement), begun.agreement],
      drafts: [...ends.flatMap((one) => one.drafts), ...begun.drafts]
    }
  }

  const decide = Effect.fn("Billing.decide")((link: string, decision: Decision, requestId: string | null) =>
    Effect.flatMap(confirmation(link), ({ companyId }) =>
      ledger.decide(
        decider(requestId),
        companyId,
        Effect.gen(function* () {
          const before = yield* confirmation(link)
          const now = yield* Clock.currentTimeMillis
          const decided = decision === "accept" ? Agreement.accept(before, now) : Agreement.decline(before)
          if (decided === undefined) return CompanyWrite.nothing(before)
          const isSwitch = decision === "accept" && before.kind === "subscription"
          const replaced = isSwitch ? yield* runningOf(before) : []
          const taken =
            before.kind === "one_time" && decision === "accept"
              ? oneTime(decided, now)
              : takeOver(decided, replaced, now)
          const change = { before: [...replaced, before], after: taken.after, drafts: taken.drafts, action: decision }
          return { answer: taken.agreement, changes: [ledger.billing(companyId, change)] }
        })
      )
    )
  )

  const oneTime = (agreement: Agreement.Agreement, now: number) => {
    const { agreement: billed, drafts } = BillingCycle.catchUp({ ...agreement, status: "active" }, now, tax)
    const accepted = { ...billed, status: agreement.status }
    return { agreement: accepted, after: [accepted], drafts }
  }

  const use = Effect.fn("Billing.use")(
    (caller: Caller, companyId: CompanyId, id: string, line: string, amount: number) =>
      ledger.decide(
        caller,
        companyId,
        Effect.gen(function* () {
          const before = yield* store.agreement(companyId, id)
          if (before === undefined) return CompanyWrite.nothing(undefined)
          const now = yield* Clock.currentTimeMillis
          const caught = BillingCycle.catchUp(before, now, tax)
          const used = Agreement.use(caught.agreement, line, amount)
          if (used === undefined) return CompanyWrite.nothing(undefined)
          const change = { before: [before], after: [used.agreement], drafts: caught.drafts, action: "use" }
          return { answer: used.counted, changes: [ledger.billing(companyId, change)] }
        })
      )
  )

  const customer = (company: CompanyId) =>
    Effect.flatMap(store.customer(company), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Customer" })) : Effect.succeed(found)
    )

  /**
   * A company speaks of no other customer than itself; one that is not said is meant to be it.
   */
  const own = (companyId: CompanyId, uniqueId: string | null) =>
    uniqueId === null || uniqueId === String(companyId)
      ? Effect.void
      : Effect.fail(new BillingNotFound({ what: "Customer" }))

  const putCustomer = Effect.fn("Billing.putCustomer")(
    (caller: Caller, companyId: CompanyId, { detail, uniqueId }: CustomerUpsert) =>
      ledger.decide(
        caller,
        companyId,
        Effect.gen(function* () {
          yield* own(companyId, uniqueId)
          const before = yield* store.customer(companyId)
          const now = yield* Clock.currentTimeMillis
          const id = before?.id ?? (yield* ids.hex)
          const fresh = { companyId, id, createdAt: now, version: 0 }
          const after: Customer = { ...fresh, ...before, ...detail, modifiedAt: now }
          const change: CompanyWrite.CompanyChange = {
            companyId,
            entity: { type: "billing-customer", id, action: "upsert" },
            save: () => Effect.as(store.saveCustomer(after), { request: Object.keys(detail), response: "ok" })
          }
          return { answer: { ...after, version: after.version + 1 }, changes: [change] }
        })
      )
  )

  const eraseCustomer = Effect.fn("Billing.eraseCustomer")(function* (caller: Caller, companyId: CompanyId) {
    const isKnown = yield* ledger.decide(
      caller,
      companyId,
      Effect.gen(function* () {
        const before = yield* store.customer(companyId)
        if (before === undefined) return CompanyWrite.nothing(false)
        const { createdAt, id, version } = before
        const modifiedAt = yield* Clock.currentTimeMillis
        const erased = { companyId, id, createdAt, modifiedAt, version }
        const change: CompanyWrite.CompanyChange = {
          companyId,
          entity: { type: "billing-customer", id, action: "erase" },
          save: () => Effect.as(store.saveCustomer(erased), { request: {}, response: "ok" })
        }
        return { answer: true, changes: [change] }
      })
    )
    if (isKnown) yield* store.purgeCustomers
    return isKnown
  })

  const discount = (plan: Plan, code: string) =>
    Effect.gen(function* () {
      const found = yield* store.coupon(code)
      const now = yield* Clock.currentTimeMillis
      const amount = found === undefined ? Option.none() : Coupon.discount(found.coupon, plan, found.used, now)
      return Option.isNone(amount) ? yield* invalidCoupon : amount.value
    })

  const checkCoupon = Effect.fn("Billing.checkCoupon")(function* (planId: string, code: string) {
    const plan = yield* store.plan(planId)
    if (plan === undefined || !plan.isActive) return yield* invalidCoupon
    return Money.toNumber(yield* discount(plan, code), plan.currency)
  })

  const redeemed = (plan: Plan, code: string) =>
    Effect.gen(function* () {
      const amount = yield* discount(plan, code)
      return (yield* store.redeem(code)) ? { code, amount } : yield* invalidCoupon
    })

  const planAgreement = (
    plan: Plan,
    companyId: CompanyId,
    id: string,
    now: number,
    before: Agreement.Agreement | undefined
  ): Agreement.Agreement => {
    // A company has one trial: another plan keeps what is left of it.
    const trial = before === undefined ? Agreement.trialEnd(plan.trialDays, now) : Math.max(before.anchor ?? now, now)
    return {
      companyId,
      id,
      kind: "plan",
      entityId: plan.id,
      name: plan.name,
      currency: plan.currency,
      isTest: false,
      lines: [
        {
          id: plan.id,
          name: plan.name,
          term: plan.description,
          pricing: "recurring",
          amount: plan.amount,
          interval: plan.interval,
          cap: null,
          metadata: null,
          isTest: false
        }
      ],
      status: "active",
      createdAt: now,
      activatedAt: now,
      cancelledAt: null,
      confirmation: null,
      trialDays: before === undefined ? plan.trialDays : before.trialDays,
      anchor: before === undefined || (before.billed === 0 && trial > now) ? trial : now,
      billed: 0,
      lastBilled: 0,
      discount: null,
      credit: 0,
      usage: {},
      version: 0
    }
  }

  const withInvoice = (agreement: Agreement.Agreement, plan: Plan) =>
    Effect.map(store.latestInvoice(agreement.companyId, agreement.id), (latestInvoice) => ({
      agreement,
      plan,
      latestInvoice
    }))

  const activate = Effect.fn("Billing.activate")(function* (caller: Caller, companyId: CompanyId, asked: Activation) {
    const { agreement, plan } = yield* ledger.decide(
      caller,
      companyId,
      Effect.gen(function* () {
        yield* own(companyId, asked.uniqueId)
        yield* customer(companyId)
        const plan = yield* store.plan(asked.planId)
        if (plan === undefined || !plan.isActive) return yield* new BillingNotFound({ what: "Plan" })
        const replaced = yield* store.running(companyId, "plan")
        const same = replaced.find((one) => one.entityId === plan.id)
        if (same !== undefined) return CompanyWrite.nothing({ agreement: same, plan })
        const now = yield* Clock.currentTimeMillis
        const bare = planAgreement(plan, companyId, yield* ids.hex, now, replaced[0])
        const agreed = { ...bare, discount: asked.coupon === null ? null : yield* redeemed(plan, asked.coupon) }
        const taken = takeOver(agreed, replaced, now)
        const change = { before: replaced, after: taken.after, drafts: taken.drafts, action: "activate" }
        return { answer: { agreement: taken.agreement, plan }, changes: [ledger.billing(companyId, change)] }
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

  return Billing.of({
    createSubscription: create("subscription"),
    createCharge: create("one_time"),
    subscription: (company, extension, id) => Effect.flatMap(find("Subscription")(company, extension, id), seen),
    charge: (company, extension, id) => Effect.flatMap(find("Charge")(company, extension, id), seen),
    cancel,
    confirmation,
    decide,
    use,
    customer,
    putCustomer,
    eraseCustomer,
    checkCoupon,
    activate,
    current,
    limits,
    entitlement: (company, feature, used) =>
      Effect.map(limits(company), (found) => Entitlement.check(found.limits, feature, used)),
    invoices: store.invoices,
    invoice: (company, id) =>
      Effect.flatMap(store.invoice(company, id), (found) =>
        found === undefined ? Effect.fail(new BillingNotFound({ what: "Invoice" })) : Effect.succeed(found)
      ),
    preview: (company, id, until) =>
      Effect.flatMap(store.agreement(company, id), (found) =>
        found === undefined
          ? Effect.fail(new BillingNotFound({ what: "Subscription" }))
          : Effect.succeed(BillingCycle.preview(found, until, tax))
      )
  })
})

export const layer: Layer.Layer<Billing, never, BillingStore | BillingLedger | Digest | Ids.Ids | Nonce> = Layer.effect(
  Billing,
  make
)
