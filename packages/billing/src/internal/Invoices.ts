/**
 * Use cases: read a company's invoices, and preview those to come.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as BillingCycle from "../BillingCycle.ts"
import { BillingNotFound } from "../BillingError.ts"
import { BillingPolicy } from "../BillingPolicy.ts"
import { BillingStore } from "../BillingStore.ts"
import { withPresentPrices } from "./PresentAgreement.ts"

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
    Effect.gen(function* () {
      const found = yield* store.agreement(company, id)
      if (found === undefined) return yield* new BillingNotFound({ what: "Subscription" })
      const priced = yield* withPresentPrices(store, [found])
      return priced.flatMap((one) => BillingCycle.preview(one, until, tax))
    })

  return { invoices: store.invoices, invoice, preview }
})
