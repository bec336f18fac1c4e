/**
 * Use cases of the page on which a company accepts or declines a charge of an extension.
 */
import type { Caller, System } from "@crossdock/access"
import { CompanyWrite, Digest } from "@crossdock/audit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import * as BillingCycle from "../BillingCycle.ts"
import { BillingNotFound } from "../BillingError.ts"
import { BillingLedger } from "../BillingLedger.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import type { Tax } from "../Invoice.ts"
import { withPresentStatus } from "./PresentStatus.ts"
import { onlyPaid, runningOfExtension, takeOver } from "./Replacement.ts"

/**
 * The answer on a confirmation page.
 */
export type ChargeAnswer = "accept" | "decline"

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
  return { agreement, after: [agreement], drafts }
}

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const { sha256 } = yield* Digest
  const { tax } = yield* BillingPolicy

  const confirmation = (link: string) =>
    Effect.flatMap(store.byLink(sha256(link)), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Confirmation" })) : withPresentStatus(found)
    )

  const answerConfirmation = Effect.fn("Billing.answerConfirmation")(
    (link: string, decision: ChargeAnswer, requestId: string | null) =>
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
            const replaced = isSwitch ? yield* runningOfExtension(store, before) : []
            const taken =
              before.kind === "one_time" && decision === "accept"
                ? billedOnce(decided, now, tax)
                : takeOver(decided, yield* onlyPaid(store, replaced), now, tax)
            const change = { before: [...replaced, before], after: taken.after, drafts: taken.drafts, action: decision }
            return { answer: taken.agreement, changes: [ledger.companyChange(companyId, change)] }
          })
        )
      )
  )

  return { confirmation, answerConfirmation }
})
