/** A program that handles the events of a SQLite file in transactions, until it is killed in one of them, or has handled all. */
import { Host } from "@crossdock/host"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import Database from "better-sqlite3"
import { Layer } from "effect"
import { options } from "./Shop.ts"

const [file = "", last = "", killedAt = ""] = process.argv.slice(2)
const database = new Database(file)
const storage = Layer.orDie(Layer.provide(StorageSql.layer, Sqlite.fromDatabase(database)))
const host = await Host.make({ ...options, storage })
host.services.events.consume({
  group: "seen",
  inTransaction: true,
  handler: async (events, tx) => {
    for (const { number } of events) {
      await tx.sql("INSERT INTO seen (number) VALUES (?)", [number])
      if (String(number) === killedAt) process.kill(process.pid, "SIGKILL")
    }
    if (String(events.at(-1)?.number) === last) setTimeout(() => process.exit(0), 100)
  }
})
