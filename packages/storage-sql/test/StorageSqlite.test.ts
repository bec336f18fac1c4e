import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { storageLaws } from "@crossdock/storage-laws"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-laws-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const inFile = Layer.unwrapScoped(Effect.map(temporaryFolder, (folder) => Sqlite.layer(join(folder, "laws.db"))))

storageLaws("SQLite in a file", Layer.provide(StorageSql.layer, inFile))

storageLaws("SQLite in memory", Layer.provide(StorageSql.layer, Sqlite.layer(":memory:")))
