/**
 * Use cases: charges of extensions, and a company's plan, customer details and invoices.
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
import { type ChargeDraft, oneTimeCharge, subscriptionCharge, trialDaysOf } from "./ChargeDraft.ts"
import * as Coupon from "./Coupon.ts"
import type { Customer, CustomerDetail } from "./Customer.ts"
import * as Entitlement from "./Entitlement.ts"
import type { Draft, Invoice } from "./Invoice.ts"
import { ended, takeOver } from "./internal/Replacement.ts"
import { Limits } from "./Limits.ts"
import { noLimits, type Plan, type PlanLimits } from "./Plan.ts"

/**
 * A request to subscribe to a plan. `uniqueId` and `coupon` are null when they weren't sent.
 */
export interface Activation {
  readonly planId: string
  readonly uniqueId: string | null
  readonly coupon: string | null
}

/**
 * Details of a customer to store. `uniqueId` is null when it wasn't sent.
 */
export interface CustomerUpsert {
  readonly uniqueId: string | null
  readonly detail: CustomerDetail
}

/**
 * A company's subscription to a plan.
 */
export interface PlanSubscription {
  readonly agreement: Agreement.Agreement
  readonly plan: Plan
  readonly latestInvoice: Invoice | undefined
}

/**
 * A charge that awaits its confirmation, and the secret link of the confirmation page. The link is returned only here; the
 * storage only contains its digest.
 */
export interface PendingCharge {
  readonly agreement: Agreement.Agreement
  readonly link: string
}

/**
 * The answer on a confirmation page.
 */
export type Decision = "accept" | "decline"

type Fails<E> = E | StorageError

/**
 * Charges, plans, customers and invoices of companies.
 */
export class Billing extends Context.Service<
  Billing,
  {
    /** Creates a subscription that awaits its confirmation. Source: docs/reference/billing.md#subscription-charges. */
    readonly createSubscription: (
      caller: Caller,
      company: CompanyId,
      extension: string,
      draft: ChargeDraft
    ) => Effect.Effect<PendingCharge, Fails<BillingRejected | BillingNotFound>>
    /** Creates a one-time charge, with a draft of one line. Source: docs/reference/billing.md#one-time-charges. */
    readonly createCharge: (
      caller: Caller,
      company: CompanyId,
      extension: string,
      draft: ChargeDraft
    ) => Effect.Effect<PendingCharge, Fails<BillingRejected | BillingNotFound>>
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
    /** Cancels a subscription, and bills usage that wasn't billed yet. Source: docs/reference/billing.md#cancel. */
    readonly cancel: (
      caller: Caller,
      company: CompanyId,
      extension: string,
      id: string
    ) => Effect.Effect<Agreement.Agreement, Fails<BillingRejected | BillingNotFound>>
    /** The agreement behind a confirmation link. */
    readonly confirmation: (link: string) => Effect.Effect<Agreement.Agreement, Fails<BillingNotFound>>
    /** Accepts or declines a charge. The first decision is final: a later one changes nothing and returns the agreement. */
    readonly answerConfirmation: (
      link: string,
      decision: Decision,
      requestId: string | null
    ) => Effect.Effect<Agreement.Agreement, Fails<BillingNotFound>>
    /**
     * Adds usage of a usage line (minor units), and returns how much of it counted within the cap. Undefined when the
     * subscription isn't active or has no such line.
     */
    readonly use: (
      caller: Caller,
      company: CompanyId,
      subscription: string,
      line: string,
      amount: number
    ) => Effect.Effect<number | undefined, StorageError>

    /** The company's customer details. Source: docs/reference/billing.md#customer. */
    readonly customer: (company: CompanyId) => Effect.Effect<Customer, Fails<BillingNotFound>>
    /** Stores customer details; those that are left out stay as they are. */
    readonly putCustomer: (
      caller: Caller,
      company: CompanyId,
      upsert: CustomerUpsert
    ) => Effect.Effect<Customer, Fails<BillingNotFound>>
    /**
     * Erases the customer's details, also from the storage's underlying files; false when nothing is stored. The company then
     * appears under its own name. Issued invoices must not change and keep their client.
     */
    readonly eraseCustomer: (caller: Caller, company: CompanyId) => Effect.Effect<boolean, StorageError>

    /** The discount of a coupon on a plan, as a decimal amount of the plan's currency. */
    readonly checkCoupon: (plan: string, code: string) => Effect.Effect<number, Fails<BillingRejected>>
    /**
     * Subscribes the company to a plan. Another running plan is cancelled, and the unused part of its price is credited to the
     * new one. If the same plan is already running, nothing changes. Source: docs/reference/billing.md#activate.
     */
    readonly activate: (
      caller: Caller,
      company: CompanyId,
      activation: Activation
    ) => Effect.Effect<PlanSubscription, Fails<BillingRejected | BillingNotFound>>
    /** The company's running plan; undefined without one or when it is frozen. */
    readonly current: (company: CompanyId) => Effect.Effect<PlanSubscription | undefined, StorageError>
    /** The limits of the company's plan, and whether it is in its trial. */
    readonly limits: (
      company: CompanyId
    ) => Effect.Effect<{ readonly limits: PlanLimits; readonly isTrial: boolean }, StorageError>
    /** Whether the company may have one more of a feature of which it has `used`. */
    readonly entitlement: (
      company: CompanyId,
      feature: Entitlement.Feature,
      used: number
    ) => Effect.Effect<Entitlement.Entitlement, StorageError>

    /** The company's invoices, newest first. */
    readonly invoices: (company: CompanyId, page: Page.Page) => Effect.Effect<Page.Paged<Invoice>, StorageError>
    readonly invoice: (company: CompanyId, id: string) => Effect.Effect<Invoice, Fails<BillingNotFound>>
    /** The invoices that will be issued by `until` (epoch milliseconds) if nothing else happens. */
    readonly preview: (
      company: CompanyId,
      id: string,
      until: number
    ) => Effect.Effect<ReadonlyArray<Draft>, Fails<BillingNotFound>>
  }
>()("@crossdock/billing/Billing") {}

/**
 * The caller of a confirmation page, who has no account, only the link.
 */
const confirmer = (requestId: string | null): Caller<System> => ({
  principal: { kind: "system", id: "confirm-page" },
  requestId
})

const invalidCoupon = new BillingRejected({
  summary: "Invalid coupon",
  violations: [{ path: "/coupon_code", code: "INVALID_VALUE", message: "Invalid coupon" }]
})

/**
 * Makes the service from what it needs.
 */
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
        kind === "subscription" ? subscriptionCharge(draft) : oneTimeCharge(draft)
      )
      return yield* ledger.write(
        caller,
        companyId,
        // Ids are new for each attempt, in case another host has used the same one.
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const link = (yield* nonce.hex) + (yield* nonce.hex)
          const numbered = yield* Effect.forEach(lines, (line) => Effect.map(ids.hex, (id) => ({ ...line, id })))
          const agreement = Agreement.begin({
            companyId,
            id: yield* ids.hex,
            kind,
            entityId,
            name: draft.name,
            currency,
            isTest: draft.isTest,
            lines: numbered,
            createdAt: now,
            confirmation: {
              returnUrl: draft.returnUrl,
              digest: sha256(link),
              expiresAt: now + Limits.pendingMillis
            },
            trialDays: trialDaysOf(draft)
          })
          const replaced = kind === "subscription" ? yield* runningOf(agreement) : []
          const other = replaced.find((one) => one.currency !== currency)
          if (other !== undefined) {
            const message = `must be ${other.currency}, the currency of the subscription that this one would replace`
            return yield* new BillingRejected({
              summary: `/line_items/0/price/currency_code: ${message}`,
              violations: [{ path: "/line_items/0/price/currency_code", code: "CURRENCY_MISMATCH", message }]
            })
          }
          const change = ledger.companyChange(companyId, {
            before: [],
            after: [agreement],
            drafts: [],
            action: "create"
          })
          return { answer: { agreement: { ...agreement, version: 1 }, link }, changes: [change] }
        })
      )
    })

  /**
   * The running agreements that a new one replaces: those of the same extension, or the other plan.
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

  const cancel = Effect.fn("Billing.cancel")((caller: Caller, companyId: CompanyId, extension: string, id: string) =>
    ledger.write(
      caller,
      companyId,
      Effect.gen(function* () {
        const before = yield* find("Subscription")(companyId, extension, id)
        const now = yield* Clock.currentTimeMillis
        const end = ended(before, now, tax)
        if (end.agreement === undefined) {
          const summary =
            end.status === "cancelled"
              ? "Subscription is already cancelled"
              : `Subscription is ${end.status} and can't be cancelled`
          return yield* new BillingRejected({ summary, violations: [] })
        }
        const change = { before: [before], after: [end.agreement], drafts: end.drafts, action: "cancel" }
        return { answer: end.agreement, changes: [ledger.companyChange(companyId, change)] }
      })
    )
  )

  const confirmation = (link: string) =>
    Effect.flatMap(store.byLink(sha256(link)), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Confirmation" })) : seen(found)
    )

  const answerConfirmation = Effect.fn("Billing.answerConfirmation")(
    (link: string, decision: Decision, requestId: string | null) =>
      Effect.flatMap(confirmation(link), ({ companyId }) =>
        ledger.write(
          confirmer(requestId),
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
                : takeOver(decided, replaced, now, tax)
            const change = { before: [...replaced, before], after: taken.after, drafts: taken.drafts, action: decision }
            return { answer: taken.agreement, changes: [ledger.companyChange(companyId, change)] }
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
      ledger.write(
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
          return { answer: used.counted, changes: [ledger.companyChange(companyId, change)] }
        })
      )
  )

  const customer = (company: CompanyId) =>
    Effect.flatMap(store.customer(company), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Customer" })) : Effect.succeed(found)
    )

  /**
   * Rejects another company's customer id. When no id is sent, the company itself is meant.
   */
  const own = (companyId: CompanyId, uniqueId: string | null) =>
    uniqueId === null || uniqueId === String(companyId)
      ? Effect.void
      : Effect.fail(new BillingNotFound({ what: "Customer" }))

  const putCustomer = Effect.fn("Billing.putCustomer")(
    (caller: Caller, companyId: CompanyId, { detail, uniqueId }: CustomerUpsert) =>
      ledger.write(
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
    const isKnown = yield* ledger.write(
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
    // A company has one trial; another plan keeps the rest of it.
    const trial = before === undefined ? Agreement.trialEnd(plan.trialDays, now) : Math.max(before.anchor ?? now, now)
    const beginning = {
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
      createdAt: now,
      confirmation: null,
      trialDays: before === undefined ? plan.trialDays : before.trialDays
    } as const
    const anchor = before === undefined || (before.billed === 0 && trial > now) ? trial : now
    return { ...Agreement.begin(beginning), status: "active", activatedAt: now, anchor }
  }

  const withInvoice = (agreement: Agreement.Agreement, plan: Plan) =>
    Effect.map(store.latestInvoice(agreement.companyId, agreement.id), (latestInvoice) => ({
      agreement,
      plan,
      latestInvoice
    }))

  const activate = Effect.fn("Billing.activate")(function* (caller: Caller, companyId: CompanyId, asked: Activation) {
    const { agreement, plan } = yield* ledger.write(
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
        const taken = takeOver(agreed, replaced, now, tax)
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

  return Billing.of({
    createSubscription: create("subscription"),
    createCharge: create("one_time"),
    subscription: (company, extension, id) => Effect.flatMap(find("Subscription")(company, extension, id), seen),
    charge: (company, extension, id) => Effect.flatMap(find("Charge")(company, extension, id), seen),
    cancel,
    confirmation,
    answerConfirmation,
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

/**
 * Provides the service.
 */
export const layer: Layer.Layer<Billing, never, BillingStore | BillingLedger | Digest | Ids.Ids | Nonce> = Layer.effect(
  Billing,
  make
)
