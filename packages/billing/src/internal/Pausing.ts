/**
 * Use cases: billing stops while a company is closed. Source: docs/reference/billing.md#closed-companies.
 */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import * as BillingCycle from "../BillingCycle.ts"
import { BillingLedger } from "../BillingLedger.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import { withPresentPrices } from "./PresentPrices.ts"

const kinds = ["subscription", "plan"] as const

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const { tax } = yield* BillingPolicy

  const running = (company: CompanyId) =>
    Effect.map(Effect.all(kinds.map((kind) => store.running(company, kind))), (found) => found.flat())

  /** Bills what is due until now, then freezes what would be billed later. */
  const pause = Effect.fn("Billing.pause")((caller: Caller, companyId: CompanyId) =>
    ledger.write(
      caller,
      companyId,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const found = yield* withPresentPrices(store, yield* running(companyId))
        const paused = found.flatMap((before) => {
          const { agreement, drafts } = BillingCycle.catchUp(before, now, tax)
          const after = Agreement.freeze(agreement)
          return after === undefined ? [] : [{ before, after, drafts }]
        })
        if (paused.length === 0) return CompanyWrite.nothing(0)
        const change = {
          before: paused.map(({ before }) => before),
          after: paused.map(({ after }) => after),
          drafts: paused.flatMap(({ drafts }) => drafts),
          action: "pause"
        }
        return { answer: paused.length, changes: [ledger.companyChange(companyId, change)] }
      })
    )
  )

  /** Thaws what is frozen for no other reason: an agreement with an open invoice is active once that is paid. */
  const resume = Effect.fn("Billing.resume")((caller: Caller, companyId: CompanyId) =>
    ledger.write(
      caller,
      companyId,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const unpaid = (yield* Effect.all(kinds.map((kind) => store.unpaid(companyId, kind)))).flat()
        const before = (yield* running(companyId)).filter(({ id }) => unpaid.every((one) => one.agreementId !== id))
        const after = before.flatMap((one) => Agreement.thaw(one, now) ?? [])
        if (after.length === 0) return CompanyWrite.nothing(0)
        const thawed = before.filter(({ id }) => after.some((one) => one.id === id))
        const change = { before: thawed, after, drafts: [], action: "resume" }
        return { answer: after.length, changes: [ledger.companyChange(companyId, change)] }
      })
    )
  )

  return { pause, resume }
})
