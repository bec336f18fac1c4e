/**
 * Use cases: read a company's invoices, and preview those to come.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as BillingCycle from "../BillingCycle.ts"
import { BillingNotFound } from "../BillingError.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const { tax } = yield* BillingPolicy

  const invoice = (company: CompanyId, id: string) =>
    Effect.flatMap(store.invoice(company, id), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Invoice" })) : Effect.succeed(found)
    )

  const preview = (company: CompanyId, id: string, until: number) =>
    Effect.flatMap(store.agreement(company, id), (found) =>
      found === undefined
        ? Effect.fail(new BillingNotFound({ what: "Subscription" }))
        : Effect.succeed(BillingCycle.preview(found, until, tax))
    )

  return { invoices: store.invoices, invoice, preview }
})
