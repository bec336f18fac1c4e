/** Use cases that create, confirm and end the subscriptions and one-time charges of extensions. */
import { type Caller, Directory, type System } from "@crossdock/access"
import { AuditChain, CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "./Agreement.ts"
import { ended, replaceable, runningOfExtension, takeOver } from "./AgreementReplacement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { BillingNotFound, BillingRejected } from "./BillingError.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingPolicy, Limits } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import { type ChargeDraft, type ExactCharge, oneTimeCharge, subscriptionCharge } from "./Charge.ts"
import { clientOf } from "./Customer.ts"
import { type Client, sum, type Tax } from "./Invoice.ts"

/** The answer on a confirmation page. */
export type ChargeAnswer = "accept" | "decline"

/** The content of a confirmation page. Amounts are in minor units and include tax. */
export interface Offer {
  readonly agreement: Agreement.Agreement
  readonly extension: string
  readonly company: string
  /** The customer as invoices show it. */
  readonly client: Client
  /** The name of the invoice's issuer. */
  readonly seller: string
  /** The amount to pay if the charge is accepted now. */
  readonly today: number
  /** The next payment after today's, without usage, or null. `at` is in epoch milliseconds. */
  readonly next: { readonly at: number; readonly amount: number } | null
  readonly tax: Tax | null
  /** The names of the running agreements that this charge replaces. */
  readonly replaces: ReadonlyArray<string>
  /** A sentence that says why the charge can't be accepted now. It is null if the charge can be accepted. */
  readonly obstacle: string | null
}

const nextPayment = (agreement: Agreement.Agreement, tax: Tax | null): Offer["next"] => {
  const at = agreement.status === "active" ? BillingCycle.dueAt(agreement) : null
  if (at === null) return null
  return { at, amount: sum(BillingCycle.preview(agreement, at, tax).map(({ total }) => total)) }
}

/** The caller of a confirmation page, who has only the link and no account. */
const confirmer = (requestId: string | null): Caller<System> => ({
  principal: { kind: "system", id: "confirm-page" },
  requestId
})

/** The days of trial of the recurring line or, if it has none, of the charge. Source: docs/reference/billing.md#trial. */
const trialDaysOf = ({ lines, trialDays }: ChargeDraft): number =>
  lines.find((line) => line.pricing === "recurring")?.trialDays ?? trialDays ?? 0

/** Bills an accepted one-time charge now, as if it were active. */
const billedOnce = (accepted: Agreement.Agreement, now: number, tax: Tax | null) => {
  const { agreement: billed, drafts } = BillingCycle.catchUp({ ...accepted, status: "active" }, now, tax)
  const agreement = { ...billed, status: accepted.status }
  return { agreement, ended: [], drafts }
}

const otherCurrency = (replaced: string): BillingRejected => {
  const message = `must be ${replaced}, the currency of the subscription that this one would replace`
  return new BillingRejected({
    summary: `/line_items/0/price/currency_code: ${message}`,
    violations: [{ path: "/line_items/0/price/currency_code", code: "CURRENCY_MISMATCH", message }]
  })
}

const withCurrentStatus = (agreement: Agreement.Agreement) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...agreement, status: Agreement.statusAt(agreement, now) }))

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const ledger = yield* BillingLedger
  const ids = yield* Ids.Ids
  const { sha256 } = yield* AuditChain.Digest
  const { seller, tax } = yield* BillingPolicy

  /** A new pending agreement. Each attempt makes new ids, since another host may have used the same id. */
  const pending = (
    kind: "subscription" | "one_time",
    companyId: CompanyId,
    entityId: string,
    draft: ChargeDraft,
    { currency, lines }: ExactCharge,
    link: string
  ) =>
    Effect.gen(function* () {
      const createdAt = yield* Clock.currentTimeMillis
      const numbered = yield* Effect.forEach(lines, (line) => Effect.map(ids.hex, (id) => ({ ...line, id })))
      return Agreement.begin({
        companyId,
        id: yield* ids.hex,
        kind,
        entityId,
        name: draft.name,
        currency,
        isTest: draft.isTest,
        lines: numbered,
        createdAt,
        confirmation: { returnUrl: draft.returnUrl, digest: sha256(link), expiresAt: createdAt + Limits.pendingMillis },
        trialDays: trialDaysOf(draft)
      })
    })

  const create = (kind: "subscription" | "one_time") =>
    Effect.fn("Billing.create")(function* (
      caller: Caller,
      companyId: CompanyId,
      entityId: string,
      draft: ChargeDraft,
      link: string
    ) {
      const extension = yield* store.extension(entityId)
      if (extension === undefined || (extension.companies !== null && !extension.companies.includes(companyId)))
        return yield* new BillingNotFound({ what: "Extension" })
      const charge = yield* Effect.fromResult(
        kind === "subscription" ? subscriptionCharge(draft, tax) : oneTimeCharge(draft, tax)
      )
      return yield* ledger.write(caller, companyId, function* () {
        const agreement = yield* pending(kind, companyId, entityId, draft, charge, link)
        const replaced = kind === "subscription" ? yield* runningOfExtension(store, agreement) : []
        const other = replaced.find(({ currency }) => currency !== charge.currency)
        if (other !== undefined) return yield* otherCurrency(other.currency)
        const change = { before: [], after: [agreement], drafts: [], action: "create" }
        return { answer: { ...agreement, version: 1 }, changes: [ledger.companyChange(companyId, change)] }
      })
    })

  /** Finds an agreement by its link. The links of a closed company aren't found. */
  const byLink = Effect.fnUntraced(function* (link: string) {
    const found = yield* store.byLink(sha256(link))
    const company = found && (yield* directory.company(found.companyId))
    if (found === undefined || company?.closedAt !== undefined)
      return yield* new BillingNotFound({ what: "Confirmation" })
    return yield* withCurrentStatus(found)
  })

  const accepted = Effect.fnUntraced(function* (before: Agreement.Agreement, now: number) {
    const decided = Agreement.accept(before, now)
    if (decided === undefined) return undefined
    if (before.kind === "one_time") return { replaced: [], ...billedOnce(decided, now, tax) }
    const replaced = yield* runningOfExtension(store, before)
    return { replaced, ...takeOver(decided, yield* replaceable(store, replaced, before.currency, now), now, tax) }
  })

  const declined = (before: Agreement.Agreement, now: number) => {
    const decided = Agreement.decline(before)
    return decided === undefined ? undefined : { replaced: [], ...takeOver(decided, [], now, tax) }
  }

  const confirmation = Effect.fn("Billing.confirmation")(function* (link: string) {
    const agreement = yield* byLink(link)
    const { companyId, entityId } = agreement
    const now = yield* Clock.currentTimeMillis
    const extension = yield* store.extension(entityId)
    const company = yield* directory.company(companyId)
    const { obstacle, outcome } = yield* accepted(agreement, now).pipe(
      Effect.map((outcome) => ({ outcome, obstacle: null })),
      Effect.catchTag("OtherCurrency", ({ message }) => Effect.succeed({ outcome: undefined, obstacle: message }))
    )
    const offer: Offer = {
      agreement,
      extension: extension?.name ?? entityId,
      company: company?.name ?? String(companyId),
      client: clientOf(yield* store.customer(companyId), company?.legalName ?? String(companyId)),
      seller: seller.name,
      today: outcome === undefined ? 0 : sum(outcome.drafts.map(({ total }) => total)),
      next: outcome === undefined ? null : nextPayment(outcome.agreement, tax),
      tax,
      replaces: outcome === undefined ? [] : outcome.replaced.map(({ name }) => name),
      obstacle
    }
    return offer
  })

  const answerConfirmation = Effect.fn("Billing.answerConfirmation")(
    (link: string, decision: ChargeAnswer, requestId: string | null) =>
      Effect.flatMap(byLink(link), ({ companyId }) =>
        ledger.write(confirmer(requestId), companyId, function* () {
          const before = yield* byLink(link)
          const now = yield* Clock.currentTimeMillis
          const taken = decision === "accept" ? yield* accepted(before, now) : declined(before, now)
          if (taken === undefined) return CompanyWrite.nothing(before)
          const { agreement, drafts, ended, replaced } = taken
          const change = { before: [...replaced, before], after: [...ended, agreement], drafts, action: decision }
          return { answer: agreement, changes: [ledger.companyChange(companyId, change)] }
        })
      )
  )

  const find = (what: "Subscription" | "Charge") => (companyId: CompanyId, extension: string, id: string) =>
    Effect.gen(function* () {
      const found = yield* store.agreement(companyId, id)
      const kind = what === "Subscription" ? "subscription" : "one_time"
      return found?.kind === kind && found.entityId === extension ? found : yield* new BillingNotFound({ what })
    })

  const read = (what: "Subscription" | "Charge") => (companyId: CompanyId, extension: string, id: string) =>
    Effect.flatMap(find(what)(companyId, extension, id), withCurrentStatus)

  const cancel = Effect.fn("Billing.cancel")((caller: Caller, companyId: CompanyId, extension: string, id: string) =>
    ledger.write(caller, companyId, function* () {
      const before = yield* find("Subscription")(companyId, extension, id)
      const now = yield* Clock.currentTimeMillis
      const end = ended({ agreement: before, invoices: [] }, now, tax)
      if (!end.isCancelled) {
        const { status } = end.agreement
        const summary =
          status === "cancelled"
            ? "Subscription is already cancelled"
            : `Subscription is ${status}: there is nothing to cancel`
        return yield* new BillingRejected({ summary, violations: [] })
      }
      const change = { before: [before], after: [end.agreement], drafts: end.drafts, action: "cancel" }
      return { answer: end.agreement, changes: [ledger.companyChange(companyId, change)] }
    })
  )

  const stopRenewal = Effect.fn("Billing.stopRenewal")(
    (caller: Caller, companyId: CompanyId, extension: string, id: string) =>
      ledger.write(caller, companyId, function* () {
        const before = yield* find("Subscription")(companyId, extension, id)
        const caught = BillingCycle.catchUp(before, yield* Clock.currentTimeMillis, tax)
        if (caught.agreement.status === "no_renew") return CompanyWrite.nothing(before)
        const stopped = Agreement.stop(caught.agreement)
        if (stopped === undefined || Agreement.intervalOf(before) === undefined) {
          const summary =
            stopped === undefined
              ? `Subscription is ${caught.agreement.status}: there is nothing to renew`
              : "Subscription is billed once: there is nothing to renew"
          return yield* new BillingRejected({ summary, violations: [] })
        }
        const change = { before: [before], after: [stopped], drafts: caught.drafts, action: "stop-renewal" }
        return { answer: stopped, changes: [ledger.companyChange(companyId, change)] }
      })
  )

  const addUsage = Effect.fn("Billing.addUsage")(
    (caller: Caller, companyId: CompanyId, id: string, line: string, amount: number) =>
      ledger.write(caller, companyId, function* () {
        const before = yield* store.agreement(companyId, id)
        if (before === undefined) return CompanyWrite.nothing(undefined)
        const now = yield* Clock.currentTimeMillis
        const caught = BillingCycle.catchUp(before, now, tax)
        const used = Agreement.addUsage(caught.agreement, line, amount, tax)
        if (used === undefined) return CompanyWrite.nothing(undefined)
        const change = { before: [before], after: [used.agreement], drafts: caught.drafts, action: "use" }
        return { answer: used.counted, changes: [ledger.companyChange(companyId, change)] }
      })
  )

  return {
    createSubscription: create("subscription"),
    createCharge: create("one_time"),
    subscription: read("Subscription"),
    charge: read("Charge"),
    cancel,
    stopRenewal,
    confirmation,
    answerConfirmation,
    addUsage
  }
})
