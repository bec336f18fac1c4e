import type { Caller, Integration } from "@crossdock/access"
import { AuditChain, AuditStore, CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Ids } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { Seed } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"
import { inject } from "vitest"

/** Three hosts on one database, each with connections and services of its own. */
const threeHosts = Effect.flatMap(PostgresDatabase.make(inject("postgres")), (url) =>
  Effect.forEach([1, 2, 3], () =>
    Layer.build(
      Layer.fresh(
        Inventory.layer.pipe(
          Layer.provide(CompanyWrite.layer),
          Layer.provideMerge(Layer.provide(StorageSql.layer, Postgres.layer(url))),
          Layer.provideMerge(Layer.merge(DigestNode.layer, Ids.layer))
        )
      )
    )
  )
)

const seller = (companyId: CompanyId): Caller<Integration> => ({
  principal: { kind: "integration", id: "a", integrationId: "a", companyId, locations: null, stockPolicy: "adjust" },
  requestId: null
})

describe("Stock on PostgreSQL", () => {
  it.live("sixty writes of one SKU at once over three hosts are all taken, each once, under one chain", () =>
    Effect.gen(function* () {
      const hosts = yield* threeHosts
      const [first] = hosts
      if (first === undefined) return yield* Effect.die(new Error("No host"))
      const company = yield* Effect.provideContext(Effect.provide(Seed.seller(["L1"], ["s1"]), Seed.layer), first)
      const add = Effect.flatMap(Inventory.Inventory, ({ setStock }) =>
        setStock(seller(company), [Result.succeed({ location: "L1", sku: "s1", quantity: 1, expected: null })])
      )
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, () => hosts).flat(),
        (host) => Effect.provideContext(add, host),
        { concurrency: "unbounded" }
      )
      strictEqual(answers.filter(({ status }) => status === "SUCCESS").length, 60)
      yield* Effect.gen(function* () {
        const [levels, log, digest] = [yield* StockLevels, yield* AuditStore, yield* AuditChain.Digest]
        const [level] = yield* levels.load(company, [{ sku: "s1", location: "L1" }])
        strictEqual(typeof level === "object" ? level.onHand : level, 60)
        deepStrictEqual(yield* levels.discrepancies(company), [])
        const start = { companyId: company, sequence: 0, hash: "" }
        const { broken, head } = AuditChain.follow(start, yield* log.read(company, 0, 100), digest.sha256)
        deepStrictEqual([broken, head.sequence], [undefined, 60])
      }).pipe(Effect.provideContext(first))
    })
  )
})
