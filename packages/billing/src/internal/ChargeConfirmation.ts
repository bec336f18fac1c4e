/**
 * Use cases of the page on which a company accepts or declines a charge of an extension.
 */
import { type Caller, Directory, type System } from "@crossdock/access"
import { AuditChain, CompanyWrite } from "@crossdock/audit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import * as BillingCycle from "../BillingCycle.ts"
import { BillingNotFound } from "../BillingError.ts"
import { BillingLedger } from "../BillingLedger.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import { clientOf } from "../Customer.ts"
import { type Client, sum, type Tax } from "../Invoice.ts"
import { withPresentStatus } from "./PresentAgreement.ts"
import { replaceable, runningOfExtension, takeOver } from "./Replacement.ts"

/**
 * The answer on a confirmation page.
 */
export type ChargeAnswer = "accept" | "decline"

/**
 * What a confirmation page shows: who asks whom to pay for what, and what accepting costs. Amounts are in minor units, with
 * tax.
 */
export interface Offer {
  readonly agreement: Agreement.Agreement
  /** The name of the extension that asks. */
  readonly extension: string
  /** The name of the company that is asked. */
  readonly company: string
  /** The customer as its invoices show it. */
  readonly client: Client
  /** The name of the party that issues the invoices. */
  readonly seller: string
  /** What is due at once when it is accepted now. */
  readonly today: number
  /** The payment after that, at a time in epoch milliseconds, without usage; null when none follows. */
  readonly next: { readonly at: number; readonly amount: number } | null
  readonly tax: Tax | null
  /** The names of running agreements that it replaces. */
  readonly replaces: ReadonlyArray<string>
  /** Why it can't be accepted now, in a sentence; null when it can. */
  readonly obstacle: string | null
}

const nextPayment = (agreement: Agreement.Agreement, tax: Tax | null): Offer["next"] => {
  const at = agreement.status === "active" ? BillingCycle.dueAt(agreement) : null
  if (at === null) return null
  return { at, amount: sum(BillingCycle.preview(agreement, at, tax).map(({ total }) => total)) }
}

/**
 * The caller of a confirmation page, who has no account, only the link.
 */
const confirmer = (requestId: string | null): Caller<System> => ({
  principal: { kind: "system", id: "confirm-page" },
  requestId
})

/**
 * An accepted one-time charge, billed at once as if it were active.
 */
const billedOnce = (accepted: Agreement.Agreement, now: number, tax: Tax | null) => {
  const { agreement: billed, drafts } = BillingCycle.catchUp({ ...accepted, status: "active" }, now, tax)
  const agreement = { ...billed, status: accepted.status }
  return { agreement, ended: [], drafts }
}

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const ledger = yield* BillingLedger
  const { sha256 } = yield* AuditChain.Digest
  const { seller, tax } = yield* BillingPolicy

  /** Nobody accepts anything for a closed company. */
  const byLink = (link: string) =>
    Effect.gen(function* () {
      const found = yield* store.byLink(sha256(link))
      const company = found && (yield* directory.company(found.companyId))
      if (found === undefined || company?.closedAt !== undefined)
        return yield* new BillingNotFound({ what: "Confirmation" })
      return yield* withPresentStatus(found)
    })

  /** What accepting does: the agreement with its invoices, and the agreements that it replaces. */
  const accepted = (before: Agreement.Agreement, now: number) =>
    Effect.gen(function* () {
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
        ledger.write(
          confirmer(requestId),
          companyId,
          Effect.gen(function* () {
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
  )

  return { confirmation, answerConfirmation }
})
