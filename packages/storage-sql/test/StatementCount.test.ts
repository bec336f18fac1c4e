import { type Caller, Directory, type Integration, PasswordHash } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Ids, Transaction } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { Seed } from "@crossdock/storage-laws"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql, UnitTimeout } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile } from "./Databases.ts"
import * as StatementCount from "./StatementCount.ts"

const onDatabase = (database: typeof sqliteFile) => {
  const storage = Layer.provideMerge(StorageSql.layer, database)
  const audit = Layer.provide(CompanyWrite.layer, Layer.merge(Ids.layer, DigestNode.layer))
  const passwords = PasswordHash.of({ hash: Effect.succeed, verify: () => Effect.succeed(false) })
  const marketplaces = Layer.provideMerge(Marketplaces.layer, Notifications.layer).pipe(
    Layer.provide([DigestNode.layer, Ids.layer, Layer.succeed(PasswordHash, passwords)])
  )
  const services = Layer.merge(Inventory.layer, marketplaces).pipe(
    Layer.provideMerge(Layer.provideMerge(audit, storage))
  )
  return Layer.merge(services, StatementCount.layer)
}

const caller = (companyId: CompanyId): Caller<Integration> => ({
  principal: {
    kind: "integration",
    id: "user",
    integrationId: "int-1",
    companyId,
    locations: null,
    stockPolicy: "set"
  },
  requestId: null
})

const suite = (name: string, database: typeof sqliteFile) =>
  layer(onDatabase(database), { timeout: "2 minutes", excludeTestServices: true })(name, (it) => {
    it.effect("counts the statements of an effect and no others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const count = yield* StatementCount.StatementCount
        yield* sql`SELECT 0 AS one`
        const { answer, statements } = yield* count.of(
          Effect.andThen(sql`SELECT 1 AS one`, sql<{ one: number }>`SELECT 1 + ${1} AS one`)
        )
        strictEqual(answer.length, 1)
        deepStrictEqual(
          statements.map((text) => text.slice(0, 10)),
          ["SELECT 1 A", "SELECT 1 +"]
        )
        deepStrictEqual((yield* count.of(Effect.void)).statements, [])
      })
    )

    it.effect("a bulk of 500 stock records takes at most eight statements, first and later", () =>
      Effect.gen(function* () {
        const [inventory, count] = [yield* Inventory.Inventory, yield* StatementCount.StatementCount]
        const skus = Array.from({ length: 500 }, (_, i) => `sku-${i}`)
        const company = yield* Effect.provide(Seed.seller(["L1"], skus), Seed.layer)
        for (const quantity of [5, 6]) {
          const records = skus.map((sku) => Result.succeed({ location: "L1", sku, quantity, expected: null }))
          const { answer, statements } = yield* count.of(inventory.setStock(caller(company), records))
          strictEqual(answer.succeeded, 500)
          assertTrue(statements.length > 0 && statements.length <= 8, statements.join("\n"))
        }
        deepStrictEqual(yield* inventory.verify(company), [])
      })
    )

    const registeredFor = (slug: string, sellers: number) =>
      Effect.gen(function* () {
        const [directory, count] = [yield* Directory, yield* StatementCount.StatementCount]
        const { register } = yield* Marketplaces.Marketplaces
        const by = { principal: { kind: "system", id: "test" }, requestId: null } as const
        const companies = Array.from({ length: sellers }, (_, i) => CompanyId.make(1000 + i))
        yield* directory.putCompanies(companies.map(Fresh.company))
        yield* directory.putLocations(companies.map((company) => Fresh.location(company, "L1")))
        const locations = companies.map((companyId) => ({ companyId, location: "L1", code: `C-${companyId}` }))
        const shown = { currency: "INR", locations, skus: null, buffers: [], webhook: null }
        const registration = { slug, name: slug, password: "a long password", ...shown }
        const sql = yield* SqlClient.SqlClient
        const { run } = yield* Transaction.Transaction
        const unhurried = sql.onDialectOrElse({
          pg: () => Effect.asVoid(sql`SET LOCAL idle_in_transaction_session_timeout = 0`),
          orElse: () => Effect.void
        })
        return (yield* count.of(run(Effect.andThen(unhurried, register(by, registration))))).statements
        // It counts; on a busy machine it takes longer than a request or the database's server allows.
      }).pipe(Effect.provideService(UnitTimeout, Duration.infinity))

    it.effect("a marketplace of 40 sellers takes as many statements to register as one of a single seller", () =>
      Effect.gen(function* () {
        const [one, forty] = [yield* registeredFor("of-one", 1), yield* registeredFor("of-forty", 40)]
        strictEqual(forty.length, one.length, forty.join("\n"))
      })
    )

    // Ten columns of each are more than the 65,535 parameters of a statement.
    it.effect("and so does one of 7,000 sellers", () =>
      Effect.gen(function* () {
        const [one, many] = [yield* registeredFor("of-one", 1), yield* registeredFor("of-many", 7_000)]
        strictEqual(many.length, one.length)
      })
    )
  })

suite("Statements on SQLite", sqliteFile)
suite("Statements on PostgreSQL", postgres())
