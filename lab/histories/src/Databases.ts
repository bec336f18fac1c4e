/** A database for each history, and an empty one. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Layer, Redacted, type Scope } from "effect"
import type * as ArchiveStep from "./ArchiveStep.ts"
import type * as World from "./World.ts"

/** An empty storage. On SQL, it also has the places that commands need. */
export type Made = Effect.Effect<
  { readonly storage: Layer.Layer<World.Ports, unknown>; readonly places?: ArchiveStep.Places },
  never,
  Scope.Scope
>

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-history-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const sqlite: Made = Effect.map(temporaryFolder, (folder) => ({
  storage: Layer.provide(StorageSql.layer, BetterSqlite3.layer(join(folder, "history.db"))),
  places: { url: `sqlite:${join(folder, "history.db")}`, other: `sqlite:${join(folder, "other.db")}`, folder }
}))

export const postgres = (server: string): Made =>
  Effect.gen(function* () {
    const [url, other] = [yield* PostgresDatabase.make(server), yield* PostgresDatabase.make(server)]
    return {
      storage: Layer.provide(StorageSql.layer, Postgres.layer(url)),
      places: { url: Redacted.value(url), other: Redacted.value(other), folder: yield* temporaryFolder }
    }
  })
