/** A closed company pays nothing: its agreements freeze. Source: docs/reference/billing.md#closed-companies. */
import { type Caller, Directory } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "./Agreement.ts"
import { withCurrentPrices } from "./AgreementReplacement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"

/** Freezes a closed company's agreements. When the company is reopened, thaws those without open invoices. */
export const followClosing = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const ledger = yield* BillingLedger
  const { tax } = yield* BillingPolicy

  const ofEach = <A, E>(read: (kind: "subscription" | "plan") => Effect.Effect<ReadonlyArray<A>, E>) =>
    Effect.map(Effect.forEach(["subscription", "plan"] as const, read), (found) => found.flat())

  const paused = (running: ReadonlyArray<Agreement.Agreement>, now: number) =>
    Effect.map(withCurrentPrices(store, running), (priced) =>
      priced.flatMap((before) => {
        const { agreement, drafts } = BillingCycle.catchUp(before, now, tax)
        const after = Agreement.freeze(agreement)
        return after === undefined ? [] : [{ before, after, drafts }]
      })
    )

  /** Thaws the agreements without open invoices. The other agreements thaw when their invoices are paid. */
  const resumed = (companyId: CompanyId, running: ReadonlyArray<Agreement.Agreement>, now: number) =>
    Effect.map(
      ofEach((kind) => store.unpaid(companyId, kind)),
      (unpaid) =>
        running.flatMap((before) => {
          const after = unpaid.some(({ agreementId }) => agreementId === before.id)
            ? undefined
            : Agreement.thaw(before, now)
          return after === undefined ? [] : [{ before, after, drafts: [] }]
        })
    )

  return Effect.fn("Billing.followClosing")((caller: Caller, companyId: CompanyId) =>
    ledger.write(caller, companyId, function* () {
      const now = yield* Clock.currentTimeMillis
      const isClosed = (yield* directory.company(companyId))?.closedAt !== undefined
      const running = yield* ofEach((kind) => store.running(companyId, kind))
      const moved = yield* isClosed ? paused(running, now) : resumed(companyId, running, now)
      if (moved.length === 0) return CompanyWrite.nothing(0)
      const change = {
        before: moved.map(({ before }) => before),
        after: moved.map(({ after }) => after),
        drafts: moved.flatMap(({ drafts }) => drafts),
        action: isClosed ? "pause" : "resume"
      }
      return { answer: moved.length, changes: [ledger.companyChange(companyId, change)] }
    })
  )
})
