/**
 * Use cases: read, cancel, stop renewing and use the subscriptions and one-time charges of extensions.
 */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import * as BillingCycle from "../BillingCycle.ts"
import { BillingNotFound, BillingRejected } from "../BillingError.ts"
import { BillingLedger } from "../BillingLedger.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import { withPresentStatus } from "./PresentAgreement.ts"
import { ended } from "./Replacement.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const { tax } = yield* BillingPolicy

  const find = (what: "Subscription" | "Charge") => (companyId: CompanyId, extension: string, id: string) =>
    Effect.gen(function* () {
      const found = yield* store.agreement(companyId, id)
      const kind = what === "Subscription" ? "subscription" : "one_time"
      return found?.kind === kind && found.entityId === extension ? found : yield* new BillingNotFound({ what })
    })

  const read = (what: "Subscription" | "Charge") => (companyId: CompanyId, extension: string, id: string) =>
    Effect.flatMap(find(what)(companyId, extension, id), withPresentStatus)

  const cancel = Effect.fn("Billing.cancel")((caller: Caller, companyId: CompanyId, extension: string, id: string) =>
    ledger.write(
      caller,
      companyId,
      Effect.gen(function* () {
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
  )

  const stopRenewal = Effect.fn("Billing.stopRenewal")(
    (caller: Caller, companyId: CompanyId, extension: string, id: string) =>
      ledger.write(
        caller,
        companyId,
        Effect.gen(function* () {
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
  )

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
          const used = Agreement.use(caught.agreement, line, amount, tax)
          if (used === undefined) return CompanyWrite.nothing(undefined)
          const change = { before: [before], after: [used.agreement], drafts: caught.drafts, action: "use" }
          return { answer: used.counted, changes: [ledger.companyChange(companyId, change)] }
        })
      )
  )

  return { subscription: read("Subscription"), charge: read("Charge"), cancel, stopRenewal, use }
})
