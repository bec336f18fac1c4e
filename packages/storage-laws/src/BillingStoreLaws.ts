import { type Agreement, BillingStore, type Coupon, type Customer, Limits, type Plan } from "@crossdock/billing"
import type { CompanyId, Transaction } from "@crossdock/kernel"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { agreement, at, invoiceLaws, many, ofCompany } from "./InvoiceLaws.ts"
import { about, column, type Laws, outcome } from "./Laws.ts"
import { freshCompany, type Seed } from "./Seed.ts"

const plan = (id: string): Plan => ({
  id,
  name: "Growth “2” 😀",
  description: "विकास",
  amount: 499_900,
  currency: "INR",
  interval: "month",
  trialDays: 14,
  productSuite: null,
  isActive: true,
  limits: {
    application: { enabled: true, hardLimit: 25, softLimit: 20 },
    marketplace: { enabled: true },
    otherPlatform: { enabled: false },
    team: { limit: -1 },
    products: { bulk: true, limit: 10 },
    extensions: { enabled: true, limit: -1 },
    integrations: { enabled: true, limit: 0 }
  },
  createdAt: at,
  modifiedAt: at + 1
})

const coupon = (code: string, maxUses: number | null): Coupon.Coupon => ({
  code,
  reduction: { kind: "percent", hundredths: 1000 },
  plans: ["basic"],
  startsAt: null,
  endsAt: at,
  maxUses
})

const customer = (companyId: CompanyId, more: Partial<Customer> = {}): Customer => ({
  companyId,
  id: "c1",
  name: "Asha “Rao”",
  phone: { phone_number: "98450" },
  createdAt: at,
  modifiedAt: at,
  version: 0,
  ...more
})

export const billingStoreLaws = (laws: Laws<BillingStore | Transaction.Transaction | Seed>): void => {
  const { concurrent, law } = about(BillingStore, laws, Effect.all([Fresh.companyId, Fresh.companyId]))

  law("plans, extensions and coupons are read back equal, and replaced by the next write", function* (store) {
    const [one, other, code] = [yield* Fresh.text("plan"), yield* Fresh.text("plan"), yield* Fresh.text("code")]
    yield* store.putPlans([plan(one), plan(other)])
    yield* store.putPlans([{ ...plan(other), name: "Renamed" }])
    deepStrictEqual(yield* store.plan(one), plan(one))
    strictEqual((yield* store.plan(other))?.name, "Renamed")
    yield* store.putExtensions([{ id: one, name: "E", companies: [1, 2] }])
    deepStrictEqual(yield* store.extension(one), { id: one, name: "E", companies: [1, 2] })
    yield* store.putCoupons([coupon(code, 3)])
    deepStrictEqual(yield* store.coupon(code), { coupon: coupon(code, 3), used: 0 })
    strictEqual(yield* store.plan(code), undefined)
    strictEqual(yield* store.extension(code), undefined)
    strictEqual(yield* store.coupon(one), undefined)
    const ours = (all: ReadonlyArray<string>) => all.filter((id) => [one, other, code].includes(id))
    deepStrictEqual(ours((yield* store.plans).map(({ id }) => id)), [one, other].toSorted())
    deepStrictEqual(ours((yield* store.extensions).map(({ id }) => id)), [one])
    deepStrictEqual(ours((yield* store.coupons).map(({ coupon, used }) => (used === 0 ? coupon.code : ""))), [code])
  })

  law("a plan keeps its currency and interval, and its price with tax has at most 15 digits", function* (store) {
    const [one, other] = [yield* Fresh.text("plan"), yield* Fresh.text("plan")]
    yield* store.putPlans([plan(one)])
    for (const [field, changes] of [
      ["currency", { currency: "USD" }],
      ["interval", { interval: "year" }],
      ["amount", { amount: Limits.planAmount + 1 }]
    ] as const) {
      const rejected = yield* Effect.flip(store.putPlans([plan(other), { ...plan(one), ...changes, name: "Renamed" }]))
      deepStrictEqual(rejected._tag === "BillingRejected" ? rejected.violations.map(({ path }) => path) : rejected, [
        `/1/${field}`
      ])
      deepStrictEqual([yield* store.plan(one), yield* store.plan(other)], [plan(one), undefined])
    }
    yield* store.putPlans([{ ...plan(one), amount: 1 }])
    strictEqual((yield* store.plan(one))?.amount, 1)
  })

  law("a coupon is redeemed as often as its limit says, which its use survives being written again", function* (store) {
    const [code, endless] = [yield* Fresh.text("code"), yield* Fresh.text("code")]
    yield* store.putCoupons([coupon(code, 2), coupon(endless, null)])
    assertTrue(yield* store.redeem(code))
    yield* store.putCoupons([coupon(code, 2)])
    assertTrue(yield* store.redeem(code))
    assertFalse(yield* store.redeem(code))
    strictEqual((yield* store.coupon(code))?.used, 2)
    for (let n = 0; n < 5; n++) assertTrue(yield* store.redeem(endless))
    assertFalse(yield* store.redeem(yield* Fresh.text("code")))
  })

  concurrent("of fifty who redeem a coupon at once as many win as the limit allows", function* (store) {
    const code = yield* Fresh.text("code")
    yield* store.putCoupons([coupon(code, 20)])
    const won = yield* times(50, () => store.redeem(code))
    strictEqual(won.filter((one) => one).length, 20)
    strictEqual((yield* store.coupon(code))?.used, 20)
  })

  law("a customer is read back equal; a stale write of one changes nothing", function* (store, [company, other]) {
    strictEqual(yield* store.customer(company), undefined)
    yield* store.saveCustomer(customer(company))
    deepStrictEqual(yield* store.customer(company), customer(company, { version: 1 }))
    for (const version of [0, 2])
      strictEqual(yield* outcome(store.saveCustomer(customer(company, { version, name: "x" }))), "StaleWrite")
    yield* store.saveCustomer(customer(company, { version: 1, name: "Renamed" }))
    deepStrictEqual(yield* store.customer(company), customer(company, { version: 2, name: "Renamed" }))
    yield* store.purgeCustomers
    deepStrictEqual(yield* store.customer(company), customer(company, { version: 2, name: "Renamed" }))
    strictEqual(yield* store.customer(other), undefined)
  })

  law("agreements are read back equal by id and link, by their own company", function* (store, [company, other]) {
    const link = yield* Fresh.text("link")
    const linked = { returnUrl: "https://x.example/?a=1", digest: link, expiresAt: at + 5 }
    const full = agreement(company, "a1", {
      status: "pending",
      confirmation: linked,
      discount: { code: "x", amount: 5 },
      usage: { l1: 3 }
    })
    yield* store.save([full, agreement(company, "a2"), agreement(other, "a1")])
    deepStrictEqual(yield* store.agreement(company, "a1"), { ...full, version: 1 })
    deepStrictEqual(yield* store.byLink(link), { ...full, version: 1 })
    deepStrictEqual(yield* store.agreement(other, "a1"), agreement(other, "a1", { version: 1 }))
    strictEqual(yield* store.agreement(other, "a2"), undefined)
    const ids = (found: ReadonlyArray<Agreement.Agreement>) => found.map(({ id, version }) => `${id} ${version}`).sort()
    deepStrictEqual(ids(yield* store.agreements(company, ["a2", "a1", "a1", "none"])), ["a1 1", "a2 1"])
    deepStrictEqual(ids(yield* store.agreements(other, ["a1", "a2"])), ["a1 1"])
    deepStrictEqual(yield* store.agreements(company, []), [])
    strictEqual(yield* store.byLink(`${link}x`), undefined)
  })

  law("one agreement runs in a slot: a second is stale, unless the first ends", function* (store, [company, other]) {
    const plan = (id: string, more: Partial<Agreement.Agreement> = {}) =>
      agreement(company, id, { kind: "plan", entityId: `plan of ${id}`, status: "active", ...more })
    const extension = (id: string, more: Partial<Agreement.Agreement> = {}) =>
      agreement(company, id, { kind: "subscription", entityId: "one extension", status: "active", ...more })
    yield* store.save([plan("p1"), extension("s1"), agreement(other, "p1", { kind: "plan", status: "active" })])
    yield* store.save([extension("another", { entityId: "another extension" }), plan("waits", { status: "pending" })])
    for (const second of [
      plan("p2"),
      plan("p2", { status: "frozen" }),
      plan("waits", { version: 1 }),
      extension("s2"),
      extension("s2", { status: "no_renew" })
    ]) {
      strictEqual(yield* outcome(store.save([second])), "StaleWrite")
      strictEqual((yield* store.agreement(company, second.id))?.status, second.version === 0 ? undefined : "pending")
    }
    yield* store.save([plan("waits", { version: 1 }), plan("p1", { version: 1, status: "cancelled" })])
    yield* store.save([extension("s2"), extension("s1", { version: 1, status: "cancelled" })])
    const running = Effect.map(
      Effect.all([store.running(company, "plan"), store.running(company, "subscription")]),
      (all) => all.flat().map(({ id }) => id)
    )
    deepStrictEqual((yield* running).toSorted(), ["another", "s2", "waits"])
  })

  concurrent("of twenty agreements that begin at once in a slot one runs", function* (store, [company]) {
    const begun = yield* times(20, (n) =>
      outcome(store.save([agreement(company, `p${n}`, { kind: "plan", status: "active" })]))
    )
    strictEqual(begun.filter((one) => one === "StaleWrite").length, 19)
    strictEqual((yield* store.running(company, "plan")).length, 1)
  })

  law("agreements are saved together, or none of them if one is stale, new or known", function* (store, [company]) {
    yield* store.save([agreement(company, "a1"), agreement(company, "a2")])
    for (const bad of [
      agreement(company, "a2"),
      agreement(company, "a2", { version: 2 }),
      agreement(company, "a3", { version: 1 })
    ]) {
      const good = agreement(company, "a1", { version: 1, name: "changed" })
      strictEqual(yield* outcome(store.save([good, agreement(company, "a4"), bad])), "StaleWrite")
      strictEqual((yield* store.agreement(company, "a1"))?.version, 1)
      strictEqual(yield* store.agreement(company, "a4"), undefined)
    }
    yield* store.save([])
  })

  law("active, frozen and not renewed agreements of a kind run, oldest first", function* (store, [company, other]) {
    yield* store.save([
      agreement(company, "c", { status: "frozen", createdAt: at + 2 }),
      agreement(company, "b", { createdAt: at + 1 }),
      agreement(company, "a", { status: "no_renew", createdAt: at + 3 }),
      agreement(company, "d", { status: "cancelled" }),
      agreement(company, "e", { status: "declined" }),
      agreement(company, "f", { kind: "plan" }),
      agreement(other, "g")
    ])
    const ids = Effect.map(store.running(company, "subscription"), (found) => column(found, "id"))
    deepStrictEqual(yield* ids, ["b", "c", "a"])
    const [first] = yield* store.running(company, "subscription")
    yield* store.save([{ ...(first ?? agreement(company, "b")), status: "cancelled" }])
    deepStrictEqual(yield* ids, ["c", "a"])
  })

  law("what is due comes the longest waiting first, and is not due any more once it was done", function* (store) {
    const company = yield* freshCompany
    const early = 1000
    yield* store.save([
      agreement(company, "late", { anchor: early + 2 }),
      agreement(company, "first", { anchor: early }),
      agreement(company, "never", { anchor: early, status: "cancelled" }),
      agreement(company, "expiring", {
        status: "pending",
        anchor: null,
        confirmation: { returnUrl: "https://x.example", digest: yield* Fresh.text("link"), expiresAt: early + 1 }
      }),
      agreement(company, "future", { anchor: early + 50 })
    ])
    const due = Effect.map(store.due(early + 10, many), (all) => ofCompany(company, all).map(({ id }) => id))
    deepStrictEqual(yield* due, ["first", "expiring", "late"])
    strictEqual((yield* store.due(early + 10, 1)).length, 1)
    yield* store.save([agreement(company, "first", { version: 1, anchor: early, billed: 1 })])
    deepStrictEqual(yield* due, ["expiring", "late"])
    // Nothing must remain due for later laws on the same database.
    yield* store.save(
      ofCompany(company, yield* store.due(early + 100, many)).map((one) => ({ ...one, status: "cancelled" }))
    )
  })

  invoiceLaws(laws)
}
