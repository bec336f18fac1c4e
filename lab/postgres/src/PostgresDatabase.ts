/** A fresh database on a PostgreSQL server, for one test file. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/**
 * `locale` is an ICU locale such as "en-US"; by default the database sorts like the server. `isEmpty` leaves out the tables that
 * the server's databases begin with in a test run. Databases of a `locale` are empty too.
 */
export interface Options {
  readonly locale?: string
  readonly isEmpty?: boolean
}

// Copying files, since PostgreSQL 15, takes a quarter of the time of logging each page.
const words = ({ isEmpty = false, locale }: Options): string =>
  locale !== undefined
    ? `TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${locale}'`
    : `TEMPLATE ${isEmpty ? "template0" : "template1"} STRATEGY file_copy`

const execute = (server: string, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(server), maxConnections: 1 }))
  )

/** Waits up to 5 s for sessions that a pool is closing. Then FORCE ends a failed test's sessions. */
const drop = (server: string, name: string) =>
  execute(server, `DROP DATABASE ${name}`).pipe(
    Effect.catch(() => execute(server, `DROP DATABASE ${name} WITH (FORCE)`)),
    Effect.orDie
  )

/** A new database's address on `server`, without rows; it is dropped with the scope. */
export const make = (server: string, options: Options = {}): Effect.Effect<Redacted.Redacted, never, Scope.Scope> =>
  Effect.gen(function* () {
    const name = `crossdock_${crypto.randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(Effect.orDie(execute(server, `CREATE DATABASE ${name} ${words(options)}`)), () =>
      drop(server, name)
    )
    const url = new URL(server)
    url.pathname = `/${name}`
    return Redacted.make(url.href)
  })
