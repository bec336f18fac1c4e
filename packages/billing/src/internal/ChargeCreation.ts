/**
 * Use case: create a subscription or a one-time charge of an extension, which then awaits its confirmation.
 */
import type { Caller } from "@crossdock/access"
import { AuditChain } from "@crossdock/audit"
import { type CompanyId, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import { BillingNotFound, BillingRejected } from "../BillingError.ts"
import { BillingLedger } from "../BillingLedger.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import { type ChargeDraft, type ExactCharge, oneTimeCharge, subscriptionCharge, trialDaysOf } from "../ChargeDraft.ts"
import { Limits } from "../Limits.ts"
import { runningOfExtension } from "./Replacement.ts"

const otherCurrency = (replaced: string): BillingRejected => {
  const message = `must be ${replaced}, the currency of the subscription that this one would replace`
  return new BillingRejected({
    summary: `/line_items/0/price/currency_code: ${message}`,
    violations: [{ path: "/line_items/0/price/currency_code", code: "CURRENCY_MISMATCH", message }]
  })
}

/**
 * Makes the use case for one kind of charge.
 */
export const make = (kind: "subscription" | "one_time") =>
  Effect.gen(function* () {
    const store = yield* BillingStore
    const ledger = yield* BillingLedger
    const ids = yield* Ids.Ids
    const { sha256 } = yield* AuditChain.Digest
    const { tax } = yield* BillingPolicy

    /** Ids are new for each attempt, in case another host has used the same one. */
    const pending = (
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
          confirmation: {
            returnUrl: draft.returnUrl,
            digest: sha256(link),
            expiresAt: createdAt + Limits.pendingMillis
          },
          trialDays: trialDaysOf(draft)
        })
      })

    return Effect.fn("Billing.create")(function* (
      caller: Caller,
      companyId: CompanyId,
      entityId: string,
      draft: ChargeDraft,
      link: string
    ) {
      const extension = yield* store.extension(entityId)
      if (extension === undefined || (extension.companies !== null && !extension.companies.includes(companyId))) {
        return yield* new BillingNotFound({ what: "Extension" })
      }
      const charge = yield* Effect.fromResult(
        kind === "subscription" ? subscriptionCharge(draft, tax) : oneTimeCharge(draft, tax)
      )
      return yield* ledger.write(
        caller,
        companyId,
        Effect.gen(function* () {
          const agreement = yield* pending(companyId, entityId, draft, charge, link)
          const replaced = kind === "subscription" ? yield* runningOfExtension(store, agreement) : []
          const other = replaced.find(({ currency }) => currency !== charge.currency)
          if (other !== undefined) return yield* otherCurrency(other.currency)
          const change = { before: [], after: [agreement], drafts: [], action: "create" }
          return { answer: { ...agreement, version: 1 }, changes: [ledger.companyChange(companyId, change)] }
        })
      )
    })
  })
