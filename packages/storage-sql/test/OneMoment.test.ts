/**
 * What a port answers is the state of one moment: a call that only reads is one statement, so nobody can commit between two.
 */
import { join } from "node:path"
import { Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as EveryLaw from "@crossdock/storage-laws/EveryLaw"
import * as Seed from "@crossdock/storage-laws/Seed"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Context, Effect, Layer, Option, Predicate, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { inject } from "vitest"
import { temporaryFolder } from "./Databases.ts"

type Client = SqlClient.SqlClient

const isRead = (text: string) => !/\b(INSERT|UPDATE|DELETE|FOR SHARE|VACUUM|LISTEN)\b|pg_(try_)?advisory/.test(text)

interface Watched {
  readonly reads: Set<string>
  readonly torn: Set<string>
}

/**
 * Makes one call, and notes it if it reads by several statements. A call inside of a unit of its caller's is not on its own:
 * what it must not see change is locked.
 */
const watch =
  (sql: Client, { reads, torn }: Watched) =>
  (call: string, effect: Effect.Effect<unknown, unknown>) =>
    Effect.withFiber<unknown, unknown>((fiber) => {
      if (Option.isSome(Context.getOption(fiber.context, sql.transactionService))) return effect
      const sent: Array<string> = []
      const noted: Statement.Transformer = (statement) => {
        sent.push(statement.compile()[0])
        return Effect.succeed(statement)
      }
      const note = Effect.sync(() => {
        if (sent.length === 0 || !sent.every(isRead)) return
        reads.add(call)
        if (sent.length > 1) torn.add(call)
      })
      return Effect.ensuring(Effect.provideService(effect, Statement.CurrentTransformer, noted), note)
    })

/** The ports, each of whose calls goes through `watched`. */
const through = <Ports>(
  ports: Context.Context<Ports>,
  watched: (call: string, effect: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>
) => {
  const port = (name: string, service: object) =>
    new Proxy(service, {
      get: (of, key) => {
        const found: unknown = Reflect.get(of, key)
        const seen = (answer: unknown) =>
          Effect.isEffect(answer)
            ? watched(`${name}.${String(key)}`, answer as Effect.Effect<unknown, unknown>)
            : answer
        return typeof found === "function"
          ? (...args: ReadonlyArray<unknown>): unknown => seen(found.apply(of, args))
          : seen(found)
      }
    })
  const all = [...ports.mapUnsafe].map(([key, service]) => {
    const isPort = Predicate.isObject(service) && key.startsWith("@crossdock/") && key !== Transaction.Transaction.key
    return [key, isPort ? port(key.slice(key.lastIndexOf("/") + 1), service) : service] as const
  })
  return Context.makeUnsafe<Ports>(new Map(all))
}

/** `database` makes one database, and gives the layer of a client on it. */
const shownOn = <E>(database: Effect.Effect<Layer.Layer<Client, E>, never, Scope.Scope>) =>
  Effect.gen(function* () {
    const client = yield* database
    const sql = Context.get(yield* Layer.build(client), SqlClient.SqlClient)
    const storage = yield* Layer.build(Layer.provide(StorageSql.layer, Layer.succeed(SqlClient.SqlClient, sql)))
    const watched: Watched = { reads: new Set(), torn: new Set() }
    const ports = through(storage, watch(sql, watched))
    const context = yield* Layer.build(Layer.provideMerge(Seed.layer, Layer.succeedContext(ports)))
    // Other tests show the laws.
    for (const { shown } of EveryLaw.everyLaw) yield* Effect.exit(Effect.provide(shown, context))
    deepStrictEqual([...watched.torn].sort(), [])
    assertTrue(watched.reads.size > 30, "too few calls were seen")
  }).pipe(Effect.scoped)

describe("a port's answer is the state of one moment", () => {
  it.live("on SQLite, since each call that only reads is one statement", () =>
    shownOn(Effect.map(temporaryFolder, (folder) => BetterSqlite3.layer(join(folder, "test.db"))))
  )

  it.live("on PostgreSQL, since each call that only reads is one statement", () =>
    shownOn(Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Postgres.layer(url)))
  )
})
