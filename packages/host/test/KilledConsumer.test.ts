import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { orThrow } from "@crossdock/host"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Layer } from "effect"
import { acme, start } from "./Shop.ts"

describe("A program that is killed while it handles events", () => {
  it("handles them once when it starts again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "handled-"))
    const file = join(folder, "shop.db")
    const database = new Database(file)
    const { host } = await start({
      storage: Layer.orDie(Layer.provide(StorageSql.layer, Sqlite.fromDatabase(database)))
    })
    await host.transaction((tx) => tx.sql("CREATE TABLE seen (number INTEGER PRIMARY KEY)"))
    const all = (await orThrow(host.services.events.read(acme, 0, 500))).map(({ number }) => number)
    const last = all.at(-1) ?? 0
    await host.dispose()
    const seen = () => database.prepare("SELECT number FROM seen ORDER BY number").pluck().all()
    const reached = () => database.prepare("SELECT reached FROM crossdock_event_consumers").pluck().get() ?? 0
    const run = (killedAt: number) =>
      spawnSync(process.execPath, [join(import.meta.dirname, "ConsumerProcess.ts"), file, `${last}`, `${killedAt}`], {
        encoding: "utf8"
      })
    strictEqual(run(last).signal, "SIGKILL")
    deepStrictEqual([seen(), reached()], [[], 0])
    const again = run(0)
    strictEqual(again.status, 0, again.stderr)
    deepStrictEqual([seen(), reached()], [all, last])
    database.close()
    rmSync(folder, { recursive: true })
  })
})
