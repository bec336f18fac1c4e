/** A new database on a PostgreSQL server, for one test file. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** A database. `locale` is an ICU locale such as "en-US". With `isEmpty` or a `locale`, the database has no tables. */
export interface Options {
  readonly locale?: string
  readonly isEmpty?: boolean
}

// Since version 15, PostgreSQL logs each page by default. Copying files is four times as fast.
const words = ({ isEmpty = false, locale }: Options): string =>
  locale !== undefined
    ? `TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${locale}'`
    : `TEMPLATE ${isEmpty ? "template0" : "template1"} STRATEGY file_copy`

const execute = (server: string, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(server), maxConnections: 1 }))
  )

/** Drops a database. It waits up to 5 s for sessions that a pool is closing, and then ends them. */
const drop = (server: string, name: string) =>
  execute(server, `DROP DATABASE ${name}`).pipe(
    Effect.catch(() => execute(server, `DROP DATABASE ${name} WITH (FORCE)`)),
    Effect.orDie
  )

/** The address of a new database on `server`. The database has no rows, and is dropped with the scope. */
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
