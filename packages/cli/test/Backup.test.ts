import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import * as TestCommand from "../../../lab/system-tests/test/TestCommand.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, order, place, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import * as ServerTool from "../src/ServerTool.ts"
import * as InProcess from "./InProcess.ts"

const main = fileURLToPath(new URL("../bin/crossdock.js", import.meta.url))

/** In seconds since 1970, from the host's metrics. */
const lastBackup = async (host: string) => {
  const text = await (await fetch(`${host}/metrics`)).text()
  return Number(/^crossdock_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1])
}

describe("backup and restore", () => {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const url = `sqlite:${path("crossdock.db")}`
  const run = (databaseUrl: string, ...args: ReadonlyArray<string>) =>
    InProcess.run([...args, "--database", databaseUrl])

  it("copy a SQLite database on which a host runs, and restore the copy", async () => {
    const host = await startHost(settings({ databaseUrl: url }))
    const [acme, bazaar] = [await Api.seller(host.url), await Api.marketplace(host.url)]
    await setStock(acme, 10, ["85123A"])
    const placed = await place(bazaar, order([shipmentOf([line("85123A", 3)])]))
    const copied = await run(url, "backup", path("copy.db"))
    deepStrictEqual([copied.code, copied.stderr], [0, ""])
    const age = Date.now() / 1000 - (await lastBackup(host.url))
    assertTrue(age >= 0 && age < 600, `${age} seconds`)
    // Later orders aren't in the copy.
    await place(bazaar, order([shipmentOf([line("85123A", 3)])]))
    acme.close()
    bazaar.close()
    await host.stop()
    strictEqual(statSync(path("copy.db")).mode & 0o077, 0)

    const restored = `sqlite:${path("restored.db")}`
    const done = await run(restored, "restore", path("copy.db"))
    deepStrictEqual([done.code, done.stderr], [0, ""])
    const orders = (await run(restored, "orders", "export")).stdout.trim().split("\n")
    deepStrictEqual(
      orders.map((text) => JSON.parse(text).id),
      [placed.platform_order_id]
    )
    const level = JSON.parse(
      (await run(restored, "stock", "explain", "85123A", "BLR1", "--company", "1", "--json")).stdout
    )
    deepStrictEqual(level.level, { onHand: 10, reserved: 3, unsellable: 0 })

    // A reader of the lost events reads no other ones under their numbers, by hand or by command.
    const lastEvents = (name: string) => {
      const database = new Database(path(name), { readonly: true })
      const found = database.prepare("SELECT last_event FROM crossdock_companies ORDER BY id").pluck().all()
      database.close()
      return found.map(Number)
    }
    copyFileSync(path("copy.db"), path("by-hand.db"))
    const byHand = (...args: ReadonlyArray<string>) => run(`sqlite:${path("by-hand.db")}`, ...args)
    const locations = [{ companyId: 1, location: "BLR1", code: "S-1" }]
    const webhook = { url: "https://stalls.example/stock", secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` }
    const stalls = { slug: "stalls", name: "Stalls", currency: "INR", password: "a long password", locations, webhook }
    writeFileSync(path("stalls.json"), JSON.stringify(stalls))
    strictEqual((await byHand("marketplace", "add", path("stalls.json"))).code, 0)
    const sequencesFrom = async () =>
      JSON.parse((await byHand("marketplace", "status", "stalls", "--json")).stdout)[0].sequencesFrom
    strictEqual(await sequencesFrom(), 0)
    const after = await byHand("restored")
    const says = "The events of 2 companies go on under new numbers. Hosts resend all stock to"
    deepStrictEqual([after.code, after.stderr, after.stdout], [0, "", `${says} 1 marketplace.\n`])
    assertTrue((await sequencesFrom()) > 0)
    assertTrue(done.stdout.includes(`${says} 0 marketplaces.`), done.stdout)
    const lost = lastEvents("crossdock.db")
    for (const name of ["restored.db", "by-hand.db"])
      deepStrictEqual(
        lastEvents(name).map((last, at) => last > (lost[at] ?? 0) + 1_000_000),
        [true, true]
      )
  })

  it("never let others read a copy, follow no link, and keep what is there", async () => {
    const before = process.umask(0o000)
    try {
      strictEqual((await run(url, "backup", path("open.db"))).code, 0)
      strictEqual((await run(`sqlite:${path("open-again.db")}`, "restore", path("open.db"))).code, 0)
      deepStrictEqual(
        ["open.db", "open-again.db"].map((name) => statSync(path(name)).mode & 0o777),
        [0o600, 0o600]
      )
    } finally {
      process.umask(before)
    }
    symlinkSync(path("elsewhere.db"), path("link.db"))
    for (const [to, ...args] of [
      [url, "backup", path("link.db")],
      [`sqlite:${path("link.db")}`, "restore", path("open.db")]
    ] as const) {
      const { code, stderr } = await run(to, ...args)
      deepStrictEqual([code, stderr.startsWith(`There is a file ${path("link.db")} already`)], [1, true], stderr)
    }
    strictEqual(existsSync(path("elsewhere.db")), false)
    writeFileSync(path("mine.db"), "mine")
    strictEqual((await run(url, "backup", path("mine.db"))).code, 1)
    strictEqual(readFileSync(path("mine.db"), "utf8"), "mine")
  })

  it("overwrite nothing, and leave nothing of what isn't a whole database", async () => {
    const existing = await run(url, "backup", path("copy.db"))
    assertTrue(existing.code === 1 && existing.stderr.startsWith("There is a file"), existing.stderr)
    const full = await run(url, "restore", path("copy.db"))
    assertTrue(full.code === 1 && full.stderr.includes("move it away"), full.stderr)
    writeFileSync(path("left.db-wal"), "")
    const left = await run(`sqlite:${path("left.db")}`, "restore", path("copy.db"))
    assertTrue(left.code === 1 && left.stderr.includes("left.db-wal already"), left.stderr)
    writeFileSync(path("text.db"), "not a database")
    const other = new Database(path("other.db"))
    other.exec("CREATE TABLE shop (id INTEGER)")
    other.close()
    strictEqual((await run(url, "backup", path("cut.db"))).code, 0)
    truncateSync(path("cut.db"), 40_000)
    for (const bad of ["text.db", "other.db", "cut.db", "none.db"]) {
      const target = path(`from-${bad}`)
      const { code, stderr } = await run(`sqlite:${target}`, "restore", path(bad))
      deepStrictEqual([bad, code, existsSync(target)], [bad, 1, false])
      assertTrue(/is not a whole database|There is no file/.test(stderr) && !/\n\s+at /.test(stderr), stderr)
    }
  })

  it("say that a folder can't be written, the backup's own or the target's, and not that the backup is broken", async ({
    skip
  }) => {
    mkdirSync(path("shelf"))
    const backup = path("shelf/copy.db")
    strictEqual((await run(url, "backup", backup)).code, 0)
    // Nothing keeps root from writing.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const reaches = spawnSync(process.execPath, [main, "--version"], user).status === 0
    skip(!reaches, "another user than root can't read this folder")
    const restore = (target: string) =>
      spawnSync(process.execPath, [main, "restore", backup, "--database", `sqlite:${target}`], {
        ...user,
        encoding: "utf8"
      })
    chmodSync(folder, 0o777)
    chmodSync(backup, 0o666)
    chmodSync(path("shelf"), 0o555)
    const shelved = restore(path("from-shelf.db"))
    deepStrictEqual(
      [shelved.status, shelved.stderr.startsWith(`${JSON.stringify(path("shelf"))} can't be written`)],
      [1, true],
      shelved.stderr
    )
    chmodSync(path("shelf"), 0o777)
    mkdirSync(path("closed"), 0o555)
    const target = path("closed/restored.db")
    const closed = restore(target)
    deepStrictEqual(
      [closed.status, closed.stderr],
      [1, `${JSON.stringify(target)} can't be used: this user has no permission\n`]
    )
    strictEqual(restore(path("from-shelf.db")).status, 0)
  })

  it("give PostgreSQL's programs an IPv6 host without the brackets of its URL", async () => {
    for (const [address, host] of [
      ["[::1]:5433", "::1"],
      ["db.example:5433", "db.example"],
      ["192.0.2.7:5433", "192.0.2.7"]
    ]) {
      const { PGHOST, PGPORT } = ServerTool.addressOf(`postgres://shop@${address}/db`)
      deepStrictEqual([PGHOST, PGPORT], [host, "5433"])
    }
  })

  it("say it when a restored copy is broken", async () => {
    strictEqual((await run(url, "backup", path("broken.db"))).code, 0)
    const database = new Database(path("broken.db"))
    database.exec("UPDATE crossdock_levels SET on_hand = on_hand + 1 WHERE on_hand > 0")
    database.close()
    const { code, stdout } = await run(`sqlite:${path("from-broken.db")}`, "restore", path("broken.db"))
    deepStrictEqual([code, stdout.includes("company 1: 1 level differs")], [1, true])
  })

  it("say that PostgreSQL's programs are missing, or copy and restore with them, never into a database that has tables", () =>
    Effect.gen(function* () {
      const [from, to] = [
        Redacted.value(yield* PostgresDatabase.make(inject("postgres"))),
        Redacted.value(yield* PostgresDatabase.make(inject("postgres")))
      ]
      yield* Effect.promise(async () => {
        for (const args of [["migrate"], ["company", "add", "7", "--name", "A", "--legal-name", "B"]])
          strictEqual((await run(from, ...args)).code, 0)
        const missing = await TestCommand.crossdock(["backup", path("served.dump")], {
          DATABASE_URL: from,
          PATH: folder
        })
        deepStrictEqual([missing.code, existsSync(path("served.dump"))], [1, false])
        assertTrue(missing.stderr.startsWith("pg_dump isn't installed here"), missing.stderr)
        const copied = await run(from, "backup", path("served.dump"))
        if (!canDump) {
          assertTrue(
            copied.code === 1 && /^pg_dump (is older than the server: install|isn't installed)/.test(copied.stderr),
            copied.stderr
          )
          return
        }
        deepStrictEqual([copied.code, copied.stderr], [0, ""])
        strictEqual((await run(from, "restore", path("served.dump"))).code, 1)
        const restored = await run(to, "restore", path("served.dump"))
        deepStrictEqual([restored.code, restored.stderr], [0, ""])
        strictEqual(JSON.parse((await run(to, "company", "list", "--json")).stdout)[0].id, 7)
      })
    }).pipe(Effect.scoped, Effect.runPromise))
})

/** pg_dump copies from servers of its own version and earlier ones; the tests' server is of 18. */
const canDump = (() => {
  try {
    return Number(/(\d+)\./.exec(execFileSync("pg_dump", ["--version"], { encoding: "utf8" }))?.[1]) >= 18
  } catch {
    return false
  }
})()
