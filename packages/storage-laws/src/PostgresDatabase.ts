/** A fresh database on a PostgreSQL server, for one test file. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** `locale` is an ICU locale such as "en-US"; without it the database sorts as the server does. */
export interface Options {
  readonly locale?: string
}

const words = ({ locale }: Options): string =>
  locale === undefined ? "" : `TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${locale}'`

const execute = (server: string, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(server), maxConnections: 1 }))
  )

/**
 * A pool of pg says that it has ended while its sessions are still closing, and PostgreSQL waits for such sessions
 * for up to 5 s. Ended by FORCE, one would raise an error in a process that has closed it already. What is still in
 * use after that belongs to a test that failed.
 */
const drop = (server: string, name: string) =>
  execute(server, `DROP DATABASE ${name}`).pipe(
    Effect.catch(() => execute(server, `DROP DATABASE ${name} WITH (FORCE)`)),
    Effect.orDie
  )

/** The address of a new, empty database on `server`, which is dropped with the scope. */
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
