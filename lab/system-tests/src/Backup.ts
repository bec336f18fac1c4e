/** Backups of a database in use, in each way of docs/guides/back-up.md, and databases that are restored from them. */
import { execFile } from "node:child_process"
import { cp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as HostProcess from "./HostProcess.ts"

/** The ways to make a backup: by hand, by `crossdock backup`, or by PostgreSQL's programs. */
export const ways = ["files", "command", "pg_dump", "pg_basebackup"] as const

export type Way = (typeof ways)[number]

/** A backup. It is a file of SQLite or of pg_dump, or a PostgreSQL folder. */
export interface Backup {
  readonly way: Way
  readonly path: string
  readonly remove: () => Promise<void>
}

/** A database in use. `data` is the folder of its server. It is undefined for SQLite, which has no server. */
export interface Source {
  readonly url: string
  readonly data?: string
}

const run = promisify(execFile)

/** Runs the command of docs/guides/back-up.md in a separate process, as the guide does. */
const vacuumInto = (url: string, to: string) =>
  run(process.execPath, [
    "-e",
    `new (require("node:sqlite").DatabaseSync)(process.argv[1], { readOnly: true }).prepare("VACUUM INTO ?").run(process.argv[2])`,
    fileOf(url),
    to
  ])

const fileOf = (url: string): string => url.replace(/^sqlite:/, "")

/** Does the work of pg_basebackup, which isn't in the npm package: copies files, the log meanwhile, and the label. */
const copyFiles = (url: string, data: string, to: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Files that the server removes meanwhile aren't part of the backup.
    const copy = (from: string, into: string) => Effect.ignore(Effect.tryPromise(() => run("cp", ["-a", from, into])))
    yield* sql`SELECT pg_backup_start('crossdock', true)::text`
    yield* copy(data, to)
    const [end] = yield* sql<{ labelfile: string }>`SELECT labelfile FROM pg_backup_stop(false)`
    yield* copy(`${join(data, "pg_wal")}/.`, join(to, "pg_wal"))
    if (end === undefined) return yield* Effect.die(new Error("pg_backup_stop returned no label"))
    yield* Effect.promise(() => writeFile(join(to, "backup_label"), end.labelfile, { mode: 0o644 }))
    yield* Effect.promise(() => rm(join(to, "postmaster.pid"), { force: true }))
  }).pipe(Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })), Effect.runPromise)

/** Copies a database to `path` while others write to it. */
export const make = async (way: Way, { data, url }: Source, path: string): Promise<unknown> => {
  if (way === "command") return HostProcess.crossdock({ DATABASE_URL: url }, ["backup", path])
  if (way === "files") return data === undefined ? vacuumInto(url, path) : copyFiles(url, data, path)
  if (data === undefined) throw new Error(`${way} can't copy SQLite`)
  if (way === "pg_dump") return run("pg_dump", ["-Fc", "-f", path, url])
  await run("pg_basebackup", ["-d", url, "-D", path, "-X", "stream", "-c", "fast"])
  // The server doesn't run as root, and must be able to read its files.
  return run("chmod", ["-R", "a+rX", path])
}

const restore = ({ path, way }: Backup, url: string): Promise<unknown> =>
  way === "command"
    ? HostProcess.crossdock({ DATABASE_URL: url }, ["restore", path])
    : run("pg_restore", ["-d", url, path])

/** Restores a backup to the path of SQLite's database. */
export const toFile = (backup: Backup, url: string): Promise<unknown> =>
  backup.way === "command" ? restore(backup, url) : cp(backup.path, fileOf(url))

/** Starts a PostgreSQL server with a backup. */
export const toServer = async (
  backup: Backup,
  options: PostgresServer.Options
): Promise<PostgresServer.PostgresServer> => {
  if (backup.way === "files" || backup.way === "pg_basebackup")
    return PostgresServer.start({ ...options, from: backup.path })
  const server = await PostgresServer.start(options)
  try {
    await restore(backup, server.url)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}
