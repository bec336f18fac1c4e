/** Use cases that read, store and erase a company's customer details. Source: docs/reference/billing.md#customer. */
import type { Caller } from "@crossdock/access"
import { CompanyEvent, CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { BillingNotFound } from "./BillingError.ts"
import * as BillingFeed from "./BillingFeed.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingStore } from "./BillingStore.ts"
import type { Customer, CustomerDetail } from "./Customer.ts"

/** The details of a customer to store. `uniqueId` is null if it wasn't sent. */
export interface CustomerUpsert {
  readonly uniqueId: string | null
  readonly detail: CustomerDetail
}

const ownId = "The unique_id must be the id of the company in the path. Send that one, or leave it out."

/** Rejects the customer id of another company. If no id was sent, the customer is the caller's own company. */
export const own = (companyId: CompanyId, uniqueId: string | null) =>
  uniqueId === null || uniqueId === String(companyId)
    ? Effect.void
    : Effect.fail(
        new BillingNotFound({
          what: "Customer",
          violations: [{ path: "/unique_id", code: "NOT_FOUND", message: ownId }]
        })
      )

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const ids = yield* Ids.Ids

  const customer = (company: CompanyId) =>
    Effect.flatMap(store.customer(company), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Customer" })) : Effect.succeed(found)
    )

  const changeOf = (after: Customer, action: "upsert" | "erase", request: unknown): CompanyWrite.CompanyChange => ({
    companyId: after.companyId,
    entity: { type: "billing-customer", id: after.id, action },
    save: () =>
      Effect.as(store.saveCustomer(after), {
        logs: { request, response: "ok" },
        events: [CompanyEvent.draft(BillingFeed.customerChanged, { customerId: after.id, erased: action === "erase" })]
      })
  })

  const putCustomer = Effect.fn("Billing.putCustomer")(
    (caller: Caller, companyId: CompanyId, { detail, uniqueId }: CustomerUpsert) =>
      ledger.write(caller, companyId, function* () {
        yield* own(companyId, uniqueId)
        const before = yield* store.customer(companyId)
        const now = yield* Clock.currentTimeMillis
        const id = before?.id ?? (yield* ids.hex)
        const fresh = { companyId, id, createdAt: now, version: 0 }
        const after: Customer = { ...fresh, ...before, ...detail, modifiedAt: now }
        const changes = [changeOf(after, "upsert", Object.keys(detail))]
        return { answer: { ...after, version: after.version + 1 }, changes }
      })
  )

  const eraseCustomer = Effect.fn("Billing.eraseCustomer")(function* (caller: Caller, companyId: CompanyId) {
    const isKnown = yield* ledger.write(caller, companyId, function* () {
      const before = yield* store.customer(companyId)
      if (before === undefined) return CompanyWrite.nothing(false)
      const { createdAt, id, version } = before
      const modifiedAt = yield* Clock.currentTimeMillis
      const erased = { companyId, id, createdAt, modifiedAt, version }
      return { answer: true, changes: [changeOf(erased, "erase", {})] }
    })
    if (isKnown) yield* store.purgeCustomers
    return isKnown
  })

  return { customer, putCustomer, eraseCustomer }
})
