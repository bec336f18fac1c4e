/** Checks the error for a database driver that isn't installed: it must name the package to install. */
import { rejects } from "node:assert/strict"

const needs = { BetterSqlite3: "better-sqlite3", Postgres: "@effect/sql-pg" }
for (const [entry, driver] of Object.entries(needs)) {
  await rejects(import(`@crossdock/storage-sql/${entry}`), new RegExp(driver))
}

console.log("drivers are missed by name")
