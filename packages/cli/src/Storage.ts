/** The storage at DATABASE_URL. */
import { closeSync, existsSync, openSync } from "node:fs"
import { StorageMemory } from "@crossdock/storage-memory"
import { Distribution, Migrations, StorageSql, UnitTimeout, UnusableSchema, UnusableUrl } from "@crossdock/storage-sql"
import { Cause, Duration, Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { failing, StartFailure } from "./CommandFailure.ts"
import * as DatabaseClock from "./DatabaseClock.ts"
import type { Environment } from "./Terminal.ts"

/** Whether the text is `memory:`, `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. */
export const isUrl = (text: string): boolean => /^(?:sqlite|postgres|postgresql):.|^memory:$/.test(text)

/** Removes the time limit of requests. It is for work on a whole database, for which no caller waits. */
export const withoutTimeout: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(UnitTimeout, Duration.infinity)

/** Drivers are loaded on demand. */
const sqlite = Effect.promise(() => import("@crossdock/storage-sql/BetterSqlite3"))
const postgres = Effect.promise(() => import("@crossdock/storage-sql/Postgres"))

/** The innermost cause. It is the most specific one, such as the missing file or the server that doesn't answer. */
const innermost = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error

export type Ports = Layer.Success<typeof StorageSql.layer>

/** The remedies for errors of PostgreSQL and its driver. */
const remedies: ReadonlyArray<readonly [RegExp, string]> = [
  [/authentication failed|no password|password must be|role .* does not exist/, "correct its user or password in"],
  [/database .* does not exist/, "create it, or correct its name in"],
  [/exceeds maxMessageSize/, "the server there is not PostgreSQL: correct"],
  [/client certificate|no encryption$|tls.*alert/i, "set sslmode, sslcert and sslkey as the server demands in"],
  [/does not support TLS/, "let the server encrypt (ssl=on), or correct sslmode in"],
  [/certificate|altnames/, "correct the host, sslmode or sslrootcert in"]
]

/** The reason why the database of `setting` can't be used, as one sentence. */
export const sentenceOf = (error: unknown, setting = "DATABASE_URL"): string => {
  if (error instanceof UnusableSchema || error instanceof StartFailure) return error.message
  const cause = innermost(error)
  if (cause instanceof UnusableUrl) return `${setting} can't be used: ${cause.message}`
  const text =
    cause instanceof Error ? cause.message || String("code" in cause ? cause.code : cause.name) : String(cause)
  return text.includes("unsupported startup parameter")
    ? `DATABASE_URL leads to a pooler (it says "${text}"): set DATABASE_URL to the server itself, and DATABASE_POOLER_URL to the pooler`
    : `The database can't be used (${text}): ${remedies.find(([pattern]) => pattern.test(text))?.[1] ?? "make it available, or set another"} ${setting}`
}

const failure = (cause: Cause.Cause<unknown>, setting?: string) => {
  const error = Cause.squash(cause)
  return error instanceof StartFailure ? error : new StartFailure({ message: sentenceOf(error, setting), cause })
}

/** Makes the layer fail with one sentence if it can't be built. */
const orSentence = <A, E>(layer: Layer.Layer<A, E>, pooler?: string): Layer.Layer<A, StartFailure> =>
  Layer.catchCause(layer, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Layer.effectContext<A, never, never>(Effect.interrupt)
      : failing<A>(failure(cause, pooler === undefined ? undefined : "DATABASE_POOLER_URL"))
  )

/** How to connect to PostgreSQL: with at most `maxConnections` (default: 10), and through the pooler at the URL `pooler`. */
export interface Connecting {
  readonly maxConnections?: number
  readonly pooler?: string | undefined
}

/** Creates a missing file that only its owner can read, because it will contain addresses and password hashes. */
const createPrivate = (file: string) => {
  if (file === ":memory:" || existsSync(file)) return
  try {
    closeSync(openSync(file, "a", 0o600))
  } catch {
    // Another process was faster, or the path is wrong. The driver reports a wrong path.
  }
}

const clientOf = (url: string, { maxConnections = 10, pooler }: Connecting) =>
  Layer.unwrap(
    url.startsWith("sqlite:")
      ? Effect.map(sqlite, (driver) => {
          const file = url.slice("sqlite:".length)
          createPrivate(file)
          return driver.layer(file)
        })
      : Effect.map(postgres, (driver) =>
          driver.layer(Redacted.make(url), {
            maxConnections,
            ...(pooler === undefined ? {} : { pooler: Redacted.make(pooler) })
          })
        )
  )

/** Provides all ports on the database of `url`, creating it or bringing it up to date. It fails with `StartFailure`. */
export const layer = (url: string, connecting: Connecting = {}): Layer.Layer<Ports, StartFailure> =>
  url === "memory:"
    ? StorageMemory.layer
    : orSentence(
        Layer.merge(StorageSql.layer, DatabaseClock.layer).pipe(Layer.provide(clientOf(url, connecting))),
        connecting.pooler
      )

/** Whether transactions on the database run one after the other. */
export const hasOneWriter = (url: string): boolean => !url.startsWith("postgres")

/** The URL without the server's user, password and options. */
export const nameOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { host, pathname, protocol } = new URL(url)
  return host === "" ? url : `${protocol}//${host}${pathname}`
}

/** Whether the database is in memory, so that it ends with its process. */
export const isInMemory = (url: string): boolean => url === "memory:" || url === "sqlite::memory:"

/** The file of a SQLite database. Undefined for PostgreSQL. */
export const fileOf = (url: string): string | undefined => /^sqlite:(.*)/.exec(url)?.[1]

/** Whether the database may exist. False if its SQLite file is missing; on a server, only a connection shows it. */
export const exists = (url: string): boolean => {
  const file = fileOf(url)
  return file === undefined || existsSync(file)
}

/** A connection to the existing database of `url`. Nothing is created, not even an empty file. */
export const connection = (
  url: string,
  { pooler }: Pick<Connecting, "pooler"> = {}
): Layer.Layer<SqlClient, StartFailure> => {
  if (!isInMemory(url) && exists(url)) return orSentence(clientOf(url, { maxConnections: 2, pooler }), pooler)
  const message = isInMemory(url)
    ? `${url} ends with its process, so a command can't use it: set another DATABASE_URL`
    : `There is no database at ${nameOf(url)}. Create it with "crossdock migrate" or "crossdock start", or set another DATABASE_URL`
  return failing(new StartFailure({ message }))
}

const explained = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, StartFailure, R> =>
  Effect.catchCause(work, (cause) => Effect.fail(failure(cause)))

/** The applied and the pending migrations of a database. */
export const migrations = explained(Migrations.state)

/** Fails with a sentence if the database lacks the schema of this release. */
export const checkUpToDate = (url: string): Effect.Effect<void, StartFailure, SqlClient> =>
  Effect.gen(function* () {
    const { applied, pending } = yield* migrations
    if (applied > 0 && pending.length === 0) return
    const message =
      applied === 0
        ? `The database at ${nameOf(url)} is empty. Create its tables with "crossdock migrate" or "crossdock start", or set another DATABASE_URL`
        : `The database at ${nameOf(url)} is of an earlier release (it lacks ${pending.join(", ")}). Run "crossdock migrate" first`
    return yield* new StartFailure({ message })
  })

/** Creates the tables of the database, or brings its schema up to date. On SQLite it also creates a missing file. */
export const migrate = (url: string): Effect.Effect<void, StartFailure> =>
  withoutTimeout(Effect.scoped(Effect.asVoid(Layer.build(layer(url)))))

/** Distributes the tables of a migrated database over the servers of Citus. */
export const distribute = explained(withoutTimeout(Distribution.distribute))

/** Provides all ports on a database that exists and is up to date, and the connection that the ports use. */
export const existing = (url: string): Layer.Layer<Ports | SqlClient, StartFailure> => {
  const connected = Layer.provideMerge(Layer.effectDiscard(checkUpToDate(url)), connection(url))
  return orSentence(Layer.provideMerge(StorageSql.layer, connected))
}

/** The environment, with libpq's variables for encryption, such as PGSSLMODE, added to each address of PostgreSQL. */
export const withLibpqVariables = (environment: Environment): Environment => {
  const given = Object.entries(environment).flatMap(([variable, value]) => {
    // Only variables that concern encryption.
    const [, name] = /^PG(SSL[A-Z]+)$/.exec(variable) ?? []
    const parameter = variable === "PGCHANNELBINDING" ? "channel_binding" : name?.toLowerCase()
    return parameter === undefined || !value ? [] : [[parameter, value] as const]
  })
  const addressOf = (name: string) => {
    const text = environment[name]
    if (text === undefined || !/^postgres(ql)?:/.test(text) || !URL.canParse(text)) return text
    const url = new URL(text)
    const missing = given.filter(([parameter]) => !url.searchParams.has(parameter))
    for (const [parameter, value] of missing) url.searchParams.set(parameter, value)
    return missing.length === 0 ? text : url.href
  }
  const [DATABASE_URL, DATABASE_POOLER_URL] = [addressOf("DATABASE_URL"), addressOf("DATABASE_POOLER_URL")]
  return { ...environment, DATABASE_URL, DATABASE_POOLER_URL }
}
