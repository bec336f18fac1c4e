import { Directory } from "@crossdock/access"
import { AuditStore, CompanyWrite } from "@crossdock/audit"
import { Billing, BillingLedger, BillingStore, type ChargeDraft, nothingAllowed, type Plan } from "@crossdock/billing"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import { Ids, Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Effect, Layer } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { postgres } from "./Databases.ts"

const on = <E, R>(database: Layer.Layer<SqlClient.SqlClient, E, R>) =>
  Billing.layer.pipe(
    Layer.provide(BillingLedger.layer),
    Layer.provide(CompanyWrite.layer),
    Layer.provideMerge(Layer.provide(StorageSql.layer, database)),
    Layer.provide([DigestNode.layer, NonceNode.layer, Ids.layer])
  )

const services = on(postgres())

/** Three hosts on one database, each with connections and services of its own. */
const threeHosts = Effect.flatMap(PostgresDatabase.make(inject("postgres")), (url) =>
  Effect.forEach([1, 2, 3], () => Layer.build(Layer.fresh(on(Postgres.layer(url)))))
)

const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const

const plan = (id: string): Plan => ({
  id,
  name: id,
  description: id,
  amount: 99_900,
  currency: "INR",
  interval: "month",
  trialDays: 0,
  productSuite: null,
  isActive: true,
  limits: nothingAllowed,
  createdAt: 0,
  modifiedAt: 0
})

const charge: ChargeDraft = {
  name: "Sync",
  returnUrl: "https://seller.example",
  isTest: false,
  trialDays: 0,
  lines: [
    {
      name: "Sync",
      term: "Monthly",
      pricing: "recurring",
      price: { amount: 300, currency: "INR" },
      interval: "month",
      cap: null,
      metadata: null,
      isTest: false,
      trialDays: null
    }
  ]
}

/** A company that billing knows, on a database with two plans and an extension. */
const company = Effect.gen(function* () {
  const [directory, store, billing] = [yield* Directory, yield* BillingStore, yield* Billing.Billing]
  const id = yield* Fresh.companyId
  yield* directory.putCompanies([Fresh.company(id)])
  yield* store.putPlans([plan("small"), plan("big")])
  yield* store.putExtensions([{ id: "ext1", name: "E", companies: null }])
  yield* billing.putCustomer(caller, id, { uniqueId: null, detail: { name: "One" } })
  return id
})

const atOnce = { concurrency: "unbounded" } as const

describe("Billing on PostgreSQL", () => {
  it.live("twenty-four activations over three hosts are one subscription and one invoice", () =>
    Effect.gen(function* () {
      const hosts = yield* threeHosts
      const [first] = hosts
      if (first === undefined) return yield* Effect.die(new Error("No host"))
      const id = yield* Effect.provideContext(company, first)
      const activate = (planId: string) =>
        Effect.flatMap(Billing.Billing, (billing) =>
          billing.activate(caller, id, { planId, uniqueId: null, coupon: null })
        )
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }, () => hosts).flat(),
        (host) => Effect.provideContext(activate("small"), host),
        atOnce
      )
      strictEqual(new Set(answers.map(({ agreement }) => agreement.id)).size, 1)
      const { items } = yield* Context.get(first, Billing.Billing).invoices(id, { number: 1, size: 100 })
      strictEqual(items.length, 1)
    })
  )

  it.live(
    "a host that looks for what is due waits for no company that another one is billing, and finds the others",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* threeHosts
        if (first === undefined || second === undefined) return yield* Effect.die(new Error("No host"))
        const activated = Effect.gen(function* () {
          const [id, billing] = [yield* company, yield* Billing.Billing]
          yield* billing.activate(caller, id, { planId: "small", uniqueId: null, coupon: null })
          return id
        })
        const [busy, free] = yield* Effect.provideContext(Effect.all([activated, activated]), first)
        const due = Effect.map(Context.get(second, BillingStore).due(Number.MAX_SAFE_INTEGER, 10), (all) =>
          all.map(({ companyId }) => companyId)
        )
        const locking = Effect.andThen(Context.get(first, AuditStore).lock([busy]), due)
        deepStrictEqual(yield* Context.get(first, Transaction.Transaction).run(locking), [free])
        deepStrictEqual(new Set(yield* due), new Set([busy, free]))
      })
  )

  it.layer(services)((it) => {
    it.effect("eight activations of a plan at once are one subscription and one invoice", () =>
      Effect.gen(function* () {
        const [id, billing] = [yield* company, yield* Billing.Billing]
        const activate = billing.activate(caller, id, { planId: "small", uniqueId: null, coupon: null })
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => activate),
          atOnce
        )
        strictEqual(new Set(answers.map(({ agreement }) => agreement.id)).size, 1)
        strictEqual((yield* billing.invoices(id, { number: 1, size: 100 })).items.length, 1)
      })
    )

    it.effect("eight activations of two plans at once leave one plan running", () =>
      Effect.gen(function* () {
        const [id, billing, store] = [yield* company, yield* Billing.Billing, yield* BillingStore]
        const activate = (planId: string) => billing.activate(caller, id, { planId, uniqueId: null, coupon: null })
        yield* Effect.forEach(
          [1, 2, 3, 4].flatMap(() => ["small", "big"]),
          activate,
          atOnce
        )
        strictEqual((yield* store.running(id, "plan")).length, 1)
      })
    )

    it.effect("of six subscriptions of an extension that are accepted at once, one is left running", () =>
      Effect.gen(function* () {
        const [id, billing, store] = [yield* company, yield* Billing.Billing, yield* BillingStore]
        const links = [1, 2, 3, 4, 5, 6].map((nth) => `${id}, ${nth}`)
        for (const link of links) yield* billing.createSubscription(caller, id, "ext1", charge, link)
        yield* Effect.forEach(links, (link) => billing.answerConfirmation(link, "accept", null), atOnce)
        strictEqual((yield* store.running(id, "subscription")).length, 1)
      })
    )

    it.effect("a page that is sent eight times at once is decided once, and billed once", () =>
      Effect.gen(function* () {
        const [id, billing] = [yield* company, yield* Billing.Billing]
        const link = `${id}`
        yield* billing.createSubscription(caller, id, "ext1", charge, link)
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => billing.answerConfirmation(link, "accept", null)),
          atOnce
        )
        deepStrictEqual([...new Set(answers.map(({ status }) => status))], ["active"])
        strictEqual((yield* billing.invoices(id, { number: 1, size: 100 })).items.length, 1)
      })
    )
  })
})
