/**
 * The storage that DATABASE_URL names.
 */
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import { Cause, Effect, Layer, Redacted } from "effect"
import * as StartRejected from "./StartRejected.ts"

/**
 * `memory:`, `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 */
export const isUrl = (text: string): boolean => /^(?:sqlite|postgres|postgresql):.|^memory:$/.test(text)

/** Drivers are loaded when they are needed: a host has one of them. */
const sqlite = Effect.promise(() => import("@crossdock/storage-sql/BetterSqlite3"))
const postgres = Effect.promise(() => import("@crossdock/storage-sql/Postgres"))

/** Drivers say most in what lies deepest: the file that is missing, the server that does not answer. */
const deepest = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return deepest(error.cause)
  return error.message || ("code" in error ? String(error.code) : error.name)
}

type Ports = Layer.Success<typeof StorageSql.layer>

const rejected = (cause: Cause.Cause<unknown>) =>
  new StartRejected.StartRejected({
    message: `The database can't be used (${deepest(Cause.squash(cause))}): make it available, or set another DATABASE_URL`,
    cause
  })

/**
 * Every port, on the database that `url` names (`isUrl`).
 */
export const layer = (url: string) => {
  if (url === "memory:") return StorageMemory.layer
  const client = url.startsWith("sqlite:")
    ? Effect.map(sqlite, (driver) => driver.layer(url.slice("sqlite:".length)))
    : Effect.map(postgres, (driver) => driver.layer(Redacted.make(url)))
  return StorageSql.layer.pipe(
    Layer.provide(Layer.unwrap(client)),
    Layer.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Layer.effectContext<Ports, never, never>(Effect.interrupt)
        : StartRejected.layer<Ports>(rejected(cause))
    )
  )
}
