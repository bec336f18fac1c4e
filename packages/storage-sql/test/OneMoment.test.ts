/**
 * What a port answers is the state of one moment. Every law of every port runs on a client whose reads are watched: where a call
 * reads by more than one statement, another client commits between the first two, and the answer must be that before or that
 * after.
 */
import { join } from "node:path"
import { Transaction } from "@crossdock/kernel"
import * as EveryLaw from "@crossdock/storage-laws/EveryLaw"
import * as PostgresDatabase from "@crossdock/storage-laws/PostgresDatabase"
import * as Seed from "@crossdock/storage-laws/Seed"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Context, Effect, Exit, Layer, Option, Predicate, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { inject } from "vitest"
import { temporaryFolder } from "./Databases.ts"

type Client = SqlClient.SqlClient

const isSqlite = (sql: Client) => sql.onDialectOrElse({ orElse: () => true, pg: () => false })

const tablesOfCompanies = (sql: Client) =>
  Effect.map(
    isSqlite(sql)
      ? sql<{ name: string }>`
        SELECT m.name FROM sqlite_schema m WHERE m.type = 'table' AND m.name LIKE 'crossdock%'
          AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = 'company_id')`
      : sql<{ name: string }>`
        SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
        WHERE c.relkind = 'r' AND c.relname LIKE 'crossdock%'`,
    (found) => found.map(({ name }) => name)
  )

/** Greater than the numbers of the laws' companies; twice as much is a safe integer. */
const far = 4_000_000_000_000_000

/** Commits that the rows of all companies are those of companies that nobody asks for (`far`), or their own again (`-far`). */
const mover = (sql: Client) =>
  Effect.gen(function* () {
    const moves = (yield* tablesOfCompanies(sql)).map(
      (table) => (by: number) =>
        sql.unsafe(
          `UPDATE ${table} SET company_id = company_id + (${by}) WHERE company_id ${by > 0 ? "<" : ">"} ${far}`
        )
    )
    // No foreign key and no trigger minds the move.
    if (isSqlite(sql)) yield* sql`PRAGMA foreign_keys = OFF`
    const loosened = isSqlite(sql) ? Effect.void : Effect.asVoid(sql`SET LOCAL session_replication_role = replica`)
    return (by: number) =>
      Effect.orDie(
        sql.withTransaction(
          Effect.andThen(
            loosened,
            Effect.forEach(moves, (move) => move(by), { discard: true })
          )
        )
      )
  })

const isRead = (text: string) => !/\b(INSERT|UPDATE|DELETE|FOR SHARE|VACUUM|LISTEN)\b|pg_(try_)?advisory/.test(text)

/** What an effect came to when `between` ran before its second statement, and its statements. */
const interrupted = <A, E>(effect: Effect.Effect<A, E>, between: Effect.Effect<void>) =>
  Effect.suspend(() => {
    const sent: Array<string> = []
    const noted: Statement.Transformer = (statement) => {
      sent.push(statement.compile()[0])
      return sent.length === 2 ? Effect.as(between, statement) : Effect.succeed(statement)
    }
    return Effect.map(Effect.exit(Effect.provideService(effect, Statement.CurrentTransformer, noted)), (exit) => ({
      exit,
      sent
    }))
  })

const shown = (exit: Exit.Exit<unknown, unknown>) => JSON.stringify(Exit.isSuccess(exit) ? exit.value : "failed")

interface Watched {
  readonly reads: Set<string>
  readonly torn: Set<string>
}

/**
 * Makes one call, and notes it if a commit in its middle shows. A call inside of a unit of its caller's is not on its own: what
 * it must not see change is locked.
 */
const watch =
  (sql: Client, move: (by: number) => Effect.Effect<void>, { reads, torn }: Watched) =>
  (call: string, effect: Effect.Effect<unknown, unknown>) =>
    Effect.withFiber<unknown, unknown>((fiber) => {
      if (Option.isSome(Context.getOption(fiber.context, sql.transactionService))) return effect
      return Effect.gen(function* () {
        const { exit: here, sent } = yield* interrupted(effect, Effect.void)
        if (sent.length > 0 && sent.every(isRead)) {
          reads.add(call)
          if (sent.length > 1) {
            const leaving = yield* interrupted(effect, move(far))
            const away = yield* Effect.exit(effect)
            const returning = yield* interrupted(effect, move(-far))
            const whole = [shown(here), shown(away)]
            if (![leaving, returning].every(({ exit }) => whole.includes(shown(exit)))) torn.add(call)
          }
        }
        return yield* here
      })
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
    const other = Context.get(yield* Layer.build(Layer.fresh(client)), SqlClient.SqlClient)
    const watched: Watched = { reads: new Set(), torn: new Set() }
    const ports = through(storage, watch(sql, yield* mover(other), watched))
    const context = yield* Layer.build(Layer.provideMerge(Seed.layer, Layer.succeedContext(ports)))
    // Other tests show the laws; some fail while another client moves rows.
    for (const { shown } of EveryLaw.everyLaw) yield* Effect.exit(Effect.provide(shown, context))
    deepStrictEqual([...watched.torn].sort(), [])
    assertTrue(watched.reads.size > 30, "too few calls were seen")
  }).pipe(Effect.scoped)

describe("a port's answer is the state of one moment", () => {
  it.live(
    "on SQLite, whatever another process commits between two statements",
    () => shownOn(Effect.map(temporaryFolder, (folder) => BetterSqlite3.layer(join(folder, "test.db")))),
    { timeout: 240_000 }
  )

  it.live(
    "on PostgreSQL, whatever another host commits between two statements",
    () => shownOn(Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Postgres.layer(url))),
    { timeout: 240_000 }
  )
})
