import { type Agreement, BillingStore, type Invoice } from "@crossdock/billing"
import { line, pendingSubscription } from "@crossdock/billing/testing"
import type { CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { exactlyOneSucceeded, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, badEnds, column, endsBadly, inTransaction, type Laws, outcome } from "./Laws.ts"
import type { Seed } from "./Seed.ts"

export const at = 1_790_000_000_000

export const agreement = (
  companyId: CompanyId,
  id: string,
  more: Partial<Agreement.Agreement> = {}
): Agreement.Agreement => ({
  ...pendingSubscription({ companyId, id, firstId: id, entityId: `extension of ${id}`, name: "कुर्ता 😀" }),
  lines: [line({ metadata: { "a/b": [1, null] } })],
  status: "active",
  createdAt: at,
  activatedAt: at,
  confirmation: null,
  anchor: at,
  ...more
})

export const invoice = (
  companyId: CompanyId,
  id: string,
  agreementId: string,
  index: number,
  more: Partial<Invoice.Invoice> = {}
): Invoice.Invoice => ({
  companyId,
  id,
  agreementId,
  index,
  period: { start: at, end: at + 1 },
  currency: "INR",
  items: [
    { type: "subscription", name: "Line", description: null, amount: 100, period: { start: at, end: 1 }, planId: null }
  ],
  subtotal: 100,
  total: 100,
  number: `N-${id}`,
  status: "open",
  seller: {
    name: "Seller",
    addressLines: ["1 Dock Road", "Mumbai"],
    taxNumber: { name: "GSTIN", value: "27AAAAA0000A1Z5" },
    bank: "Bank of Mumbai, account 1"
  },
  client: { name: "आशा", email: null, phone: null, addressLines: ["1 Road"] },
  createdAt: at + index,
  modifiedAt: at,
  trail: [{ id: "t", status: "open", at }],
  payment: { state: "none", attempts: 0, nextAt: at },
  version: 1,
  ...more
})

export const ofCompany = <A extends { readonly companyId: CompanyId }>(company: CompanyId, all: ReadonlyArray<A>) =>
  all.filter((one) => one.companyId === company)

/** A limit above the number of rows that other tests leave. */
export const many = 1_000_000

export const invoiceLaws = (laws: Laws<BillingStore | Transaction.Transaction | Seed>): void => {
  const { concurrent, law } = about(BillingStore, laws, Effect.all([Fresh.companyId, Fresh.companyId]))
  law("numbers continue the company's year; a failed write leaves no gap", function* (store, [company, other]) {
    strictEqual(yield* store.nextNumber(company, 2026, 3), 1)
    strictEqual(yield* store.nextNumber(company, 2026, 1), 4)
    strictEqual(yield* store.nextNumber(company, 2027, 1), 1)
    strictEqual(yield* store.nextNumber(other, 2026, 1), 1)
    for (const [, end] of badEnds)
      yield* endsBadly(inTransaction(Effect.andThen(store.nextNumber(company, 2026, 7), end)))
    strictEqual(yield* store.nextNumber(company, 2026, 1), 5)
  })

  law("invoices are read back equal by their company, newest first, in pages", function* (store, [company, other]) {
    const all = Array.from({ length: 5 }, (_, index) => invoice(company, `i${index}`, "a", index))
    yield* store.issue([...all, invoice(other, "i0", "a", 0)])
    deepStrictEqual(yield* store.invoice(company, "i2"), all[2])
    strictEqual(yield* store.invoice(other, "i2"), undefined)
    const page = yield* store.invoices(company, { number: 2, size: 2 })
    deepStrictEqual(page, { items: [all[2], all[1]], total: 5 } as typeof page)
    deepStrictEqual(yield* store.invoices(yield* Fresh.companyId, { number: 1, size: 2 }), { items: [], total: 0 })
  })

  law("an agreement's latest invoice is its newest, with others after it", function* (store, [company, other]) {
    const own = [0, 1].map((index) => invoice(company, `i${index}`, "a", index))
    const later = Array.from({ length: 30 }, (_, index) => invoice(company, `j${index}`, "b", index + 2))
    yield* store.issue([...own, ...later, invoice(other, "k", "a", 40)])
    deepStrictEqual(yield* store.latestInvoice(company, "a"), own[1])
    deepStrictEqual(yield* store.latestInvoice(company, "b"), later[29])
    strictEqual(yield* store.latestInvoice(company, "nothing"), undefined)
  })

  law("an agreement's invoices are found from an index, open ones by kind", function* (store, [company, other]) {
    yield* store.save([
      agreement(company, "p", { kind: "plan" }),
      agreement(company, "s"),
      agreement(other, "p", { kind: "plan" })
    ])
    const never = { payment: { state: "failed", attempts: 4, nextAt: null } } as const
    yield* store.issue([
      invoice(company, "p0", "p", 0, never),
      invoice(company, "p1", "p", 1, { status: "paid" }),
      invoice(company, "p2", "p", 2, never),
      invoice(company, "s1", "s", 1, never),
      invoice(other, "o1", "p", 1, never)
    ])
    const ids = (found: ReadonlyArray<Invoice.Invoice>) => found.map(({ id }) => id).toSorted()
    const from = yield* Effect.forEach([0, 1, 3], (index) => Effect.map(store.invoicesFrom(company, "p", index), ids))
    deepStrictEqual(from, [["p0", "p1", "p2"], ["p1", "p2"], []])
    deepStrictEqual(ids(yield* store.unpaid(company, "plan")), ["p0", "p2"])
    deepStrictEqual(ids(yield* store.unpaid(company, "subscription")), ["s1"])
    deepStrictEqual(ids(yield* store.unpaid(other, "one_time")), [])
    const [first] = yield* store.invoicesFrom(other, "p", 0)
    deepStrictEqual(first, invoice(other, "o1", "p", 1, never))
  })

  law("an agreement's period is billed once: a second invoice's batch is stale", function* (store, [company, other]) {
    yield* store.issue([invoice(company, "i0", "a", 0)])
    const twice = store.issue([invoice(company, "i1", "a", 1), invoice(company, "again", "a", 0)])
    strictEqual(yield* outcome(twice), "StaleWrite")
    strictEqual(yield* store.invoice(company, "i1"), undefined)
    yield* store.issue([invoice(company, "i2", "b", 0), invoice(other, "i0", "a", 0)])
    strictEqual((yield* store.invoices(company, { number: 1, size: 10 })).total, 2)
  })

  concurrent("of eight that bill one period at once one wins, the others are stale", function* (store, [company]) {
    const issue = (n: number) => outcome(inTransaction(store.issue([invoice(company, `i${n}`, "a", 0)])))
    exactlyOneSucceeded(yield* times(8, issue))
    strictEqual((yield* store.invoices(company, { number: 1, size: 10 })).total, 1)
  })

  law("an invoice is saved by its version; payable ones are in order of time", function* (store, [company]) {
    const payment = (nextAt: number | null) => ({ state: "none", attempts: 0, nextAt }) as const
    const late = invoice(company, "late", "a", 0, { payment: payment(2002) })
    yield* store.issue([
      late,
      invoice(company, "first", "a", 1, { payment: payment(2001) }),
      invoice(company, "future", "a", 2, { payment: payment(9000) }),
      invoice(company, "given-up", "a", 3, { payment: payment(null) }),
      invoice(company, "paid", "a", 4, { status: "paid", payment: payment(2000) })
    ])
    const payable = Effect.map(store.payable(3000, at, many), (found) => ofCompany(company, found).map(({ id }) => id))
    deepStrictEqual(yield* payable, ["first", "late"])
    const paid: Invoice.Invoice = { ...late, status: "paid", payment: payment(null) }
    strictEqual(yield* outcome(store.saveInvoice({ ...paid, version: 2 })), "StaleWrite")
    for (const version of [0, 1])
      strictEqual(yield* outcome(store.saveInvoice({ ...paid, id: "unknown", version })), "StaleWrite")
    strictEqual(yield* outcome(store.saveInvoice({ ...paid, version: 0 })), "StaleWrite")
    strictEqual(yield* store.invoice(company, "unknown"), undefined)
    yield* store.saveInvoice(paid)
    deepStrictEqual(yield* store.invoice(company, "late"), { ...paid, version: 2 })
    deepStrictEqual(yield* payable, ["first"])
    yield* store.saveInvoice(invoice(company, "first", "a", 1, { payment: payment(null) }))
  })

  law("an open invoice modified in the future is payable before its next payment", function* (store, [company]) {
    const later = 9_000_000_000_000
    const waiting = { state: "asked", attempts: 0, nextAt: later + 10 } as const
    const ahead = invoice(company, "ahead", "a", 0, { payment: waiting, modifiedAt: later })
    const other = invoice(company, "waiting", "a", 1, { payment: waiting, modifiedAt: later - 1 })
    yield* store.issue([
      ahead,
      other,
      invoice(company, "given-up", "a", 2, { payment: { ...waiting, nextAt: null }, modifiedAt: later }),
      invoice(company, "paid", "a", 3, { status: "paid", payment: waiting, modifiedAt: later })
    ])
    const payable = Effect.map(store.payable(0, later - 1, many), (found) => column(ofCompany(company, found), "id"))
    deepStrictEqual(yield* payable, ["ahead"])
    yield* store.saveInvoice({ ...ahead, modifiedAt: 5 })
    deepStrictEqual(yield* payable, [])
    yield* store.saveInvoice({ ...other, modifiedAt: later })
    deepStrictEqual(yield* payable, ["waiting"])
    // Nothing must remain payable for later laws on the same database.
    yield* store.saveInvoice({ ...other, version: 2, payment: { ...waiting, nextAt: null } })
  })
}
