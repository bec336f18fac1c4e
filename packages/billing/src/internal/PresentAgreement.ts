/**
 * Agreements as they are now: with their status at the present time, and with the present prices of their plans, which their next
 * periods are billed at. Source: docs/reference/billing.md#plans.
 */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Agreement, priced, statusAt } from "../Agreement.ts"
import type { BillingStore } from "../BillingStore.ts"

export const withPresentStatus = (agreement: Agreement): Effect.Effect<Agreement> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...agreement, status: statusAt(agreement, now) }))

export const withPresentPrices = (store: typeof BillingStore.Service, agreements: ReadonlyArray<Agreement>) =>
  Effect.gen(function* () {
    if (!agreements.some(({ kind }) => kind === "plan")) return agreements
    const plans = new Map((yield* store.plans).map((plan) => [plan.id, plan]))
    return agreements.map((one) => priced(one, plans.get(one.entityId)))
  })
