/**
 * The databases that tests run on.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { Sqlite } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import * as SqliteClient from "../src/SqliteClient.ts"
import { ofNodeSqlite } from "../src/SqliteConnection.ts"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const sqliteFile = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => BetterSqlite3.layer(join(folder, "test.db")))
)

/**
 * What SQLite of a Durable Object allows in one statement, on that of Node.
 */
const limitsOfObject = {
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  functionArg: 32,
  likePatternLength: 50,
  variableNumber: 100
} as const

export const sqliteLikeObject = Sqlite.durable(
  SqliteClient.layer("node:sqlite", () => ofNodeSqlite(new DatabaseSync(":memory:", { limits: limitsOfObject })))
)

/**
 * A database of its own on the server of the run.
 */
export const postgres = (options?: PostgresDatabase.Options) =>
  Layer.unwrap(
    Effect.map(PostgresDatabase.make(inject("postgres"), options), (url) => Layer.orDie(Postgres.layer(url)))
  )
