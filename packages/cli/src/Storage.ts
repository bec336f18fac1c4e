/**
 * The storage of DATABASE_URL.
 */
import { StorageMemory } from "@crossdock/storage-memory"
import { Longest, StorageSql, UnusableSchema } from "@crossdock/storage-sql"
import { Cause, Duration, Effect, Layer, Redacted } from "effect"
import * as StartFailure from "./StartFailure.ts"

/**
 * `memory:`, `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 */
export const isUrl = (text: string): boolean => /^(?:sqlite|postgres|postgresql):.|^memory:$/.test(text)

/**
 * Without the bound of time that requests have: for what writes or reads a whole database, and that nobody waits for.
 */
export const patiently: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  Longest,
  Duration.infinity
)

/** A driver is loaded only when it is used. */
const sqlite = Effect.promise(() => import("@crossdock/storage-sql/BetterSqlite3"))
const postgres = Effect.promise(() => import("@crossdock/storage-sql/Postgres"))

/** The innermost cause says most: which file is missing, which server doesn't answer. */
const innermost = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return innermost(error.cause)
  return error.message || ("code" in error ? String(error.code) : error.name)
}

/** All ports. */
export type Ports = Layer.Success<typeof StorageSql.layer>

const failure = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const message =
    error instanceof UnusableSchema
      ? error.message
      : `The database can't be used (${innermost(error)}): make it available, or set another DATABASE_URL`
  return new StartFailure.StartFailure({ message, cause })
}

/**
 * Every port, on the database of `url`, with at most `maxConnections` to PostgreSQL. Fails with `StartFailure` when the database can't be used.
 */
export const layer = (url: string, maxConnections = 10): Layer.Layer<Ports, StartFailure.StartFailure> => {
  if (url === "memory:") return StorageMemory.layer
  const client = url.startsWith("sqlite:")
    ? Effect.map(sqlite, (driver) => driver.layer(url.slice("sqlite:".length)))
    : Effect.map(postgres, (driver) => driver.layer(Redacted.make(url), { maxConnections }))
  return StorageSql.layer.pipe(
    Layer.provide(Layer.unwrap(client)),
    Layer.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Layer.effectContext<Ports, never, never>(Effect.interrupt)
        : StartFailure.layer<Ports>(failure(cause))
    )
  )
}
