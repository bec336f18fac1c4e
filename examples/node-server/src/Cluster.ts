/**
 * Several hosts on one database, which a test may disturb: it kills hosts, and ends the sessions of PostgreSQL.
 */
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmod, cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import * as PostgresServer from "@crossdock/storage-laws/PostgresServer"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type * as Api from "./Api.ts"
import * as HostProcess from "./HostProcess.ts"
import type { Random } from "./Random.ts"

const databases = ["sqlite", "postgres"] as const
export type Database = (typeof databases)[number]

/** The database of an argument of the command line. */
export const databaseOf = (name: string): Database => {
  const found = databases.find((one) => one === name)
  if (found === undefined) throw new Error(`--database must be ${databases.join(" or ")}`)
  return found
}

/** How many hosts an argument of the command line asks for. */
export const hostsOf = (text: string): number => {
  if (!/^[1-9]\d?$/.test(text)) throw new Error("--hosts must be a whole number from 1 to 99")
  return Number(text)
}

export interface Cluster {
  /** The DATABASE_URL of all hosts. */
  readonly url: string
  /** Those that run now. A host that was killed is replaced by another one, on another port. */
  readonly hosts: ReadonlyArray<HostProcess.HostProcess>
  /** Kills one host with SIGKILL and starts another one in its place. */
  readonly replace: (nth: number) => Promise<void>
  /** Ends all sessions of the database's server; SQLite has none. */
  readonly endSessions: () => Promise<void>
  /** Crashes PostgreSQL and starts it again; SQLite has no server. */
  readonly crashDatabase: () => Promise<void>
  /** Copies the database while the hosts write to it, and answers how to start another cluster from the copy. */
  readonly backup: () => Promise<Backup>
  readonly stop: () => Promise<void>
}

const endSessions = (url: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
  ).pipe(Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })), Effect.runPromise)

/** A copy of a database: a file of SQLite, a folder of PostgreSQL. */
export interface Backup {
  readonly path: string
  readonly remove: () => Promise<void>
}

const run = promisify(execFile)

const sqliteFile = (folder: string) => join(folder, "cluster.db")

/** As docs/guides/back-up.md says: a copy of the file in one transaction. */
const backupOfSqlite = (folder: string, to: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM INTO ${to}`).pipe(
    Effect.provide(BetterSqlite3.layer(sqliteFile(folder))),
    Effect.runPromise
  )

/** As docs/guides/back-up.md says: a copy of the files between the two calls, with the log that was written meanwhile. */
const backupOfPostgres = ({ data, url }: PostgresServer.PostgresServer, to: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A file that the server removes meanwhile does not belong to the backup.
    const copy = (from: string, into: string) => Effect.ignore(Effect.tryPromise(() => run("cp", ["-a", from, into])))
    yield* sql`SELECT pg_backup_start('crossdock', true)::text`
    yield* copy(data, to)
    const [end] = yield* sql<{ labelfile: string }>`SELECT labelfile FROM pg_backup_stop(false)`
    yield* copy(`${join(data, "pg_wal")}/.`, join(to, "pg_wal"))
    if (end === undefined) return yield* Effect.die(new Error("pg_backup_stop returned no label"))
    yield* Effect.promise(() => writeFile(join(to, "backup_label"), end.labelfile, { mode: 0o644 }))
    yield* Effect.promise(() => rm(join(to, "postmaster.pid"), { force: true }))
    // The server doesn't run as root, and must read its files.
    yield* Effect.promise(() => chmod(dirname(to), 0o755))
  }).pipe(Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })), Effect.runPromise)

/**
 * Starts `count` hosts at the same moment on a database of their own, with the sandbox: a new one, or `from` a backup.
 */
export const start = async (database: Database, count: number, from?: Backup): Promise<Cluster> => {
  const folder = await mkdtemp(join(tmpdir(), "crossdock-cluster-"))
  const server =
    database === "postgres"
      ? await PostgresServer.start({ survivesCrash: true, ...(from === undefined ? {} : { from: from.path }) })
      : undefined
  if (server === undefined && from !== undefined) await cp(from.path, sqliteFile(folder))
  const url = server?.url ?? `sqlite:${sqliteFile(folder)}`
  const begin = () => HostProcess.start({ DATABASE_URL: url, SANDBOX: "1", LOG_LEVEL: "none" })
  const hosts = await Promise.all(Array.from({ length: count }, begin))
  return {
    url,
    hosts,
    replace: async (nth) => {
      await hosts[nth]?.kill()
      hosts[nth] = await begin()
    },
    endSessions: async () => {
      if (server !== undefined) await endSessions(url)
    },
    crashDatabase: async () => server?.crash(),
    backup: async () => {
      const to = await mkdtemp(join(tmpdir(), "crossdock-backup-"))
      const path = join(to, "copy")
      await (server === undefined ? backupOfSqlite(folder, path) : backupOfPostgres(server, path))
      return { path, remove: () => rm(to, { recursive: true }) }
    },
    stop: async () => {
      await Promise.all(hosts.map((host) => host.stop()))
      await server?.stop()
      await rm(folder, { recursive: true })
    }
  }
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Whether a request is sent again: no answer, one that says so, or the first attempt still runs. */
const isUnsettled = (answer: Api.Answer<unknown>): boolean =>
  answer.status === 503 ||
  (answer.status === 409 && (answer.body as { readonly code?: string } | undefined)?.code === "IDEMPOTENCY_IN_FLIGHT")

/** How often requests were sent again. */
export interface Resent {
  count: number
}

/**
 * A client that prefers host `nth`. A request that isn't answered, or with 503, is sent again to the next host under the
 * same Idempotency-Key, as a careful integration does; so each request is done exactly once, whatever dies meanwhile.
 */
export const persistent = (
  { hosts }: Cluster,
  nth: number,
  signIn: (url: string) => Promise<Api.Api>,
  resent: Resent
): Api.Api => {
  const sessions = new Map<string, Promise<Api.Api>>()
  const session = (url: string) => {
    const known = sessions.get(url)
    if (known !== undefined) return known
    const signing = signIn(url)
    signing.catch(() => sessions.delete(url))
    sessions.set(url, signing)
    return signing
  }
  const attempt = async <A>(url: string, ...request: Parameters<Api.Api["call"]>) => {
    const answer = await (await session(url)).call<A>(...request)
    return isUnsettled(answer) ? undefined : answer
  }
  return {
    call: async <A>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const sent = method === "GET" ? headers : { ...headers, "idempotency-key": randomUUID() }
      const until = Date.now() + 60_000
      for (let at = nth; Date.now() < until; at++) {
        const url = hosts[at % hosts.length]?.url ?? ""
        const answer = await attempt<A>(url, method, path, body, sent).catch(() => undefined)
        if (answer !== undefined) return answer
        resent.count++
        await pause(50)
      }
      throw new Error(`${method} ${path} had no answer within a minute`)
    },
    close: () => {
      for (const one of sessions.values()) void one.then((api) => api.close())
    }
  }
}

/** What `disturb` did, and how often. */
export interface Disturbances {
  hostsKilled: number
  sessionsEnded: number
  databaseCrashes: number
}

/**
 * Until it is stopped, ends all sessions of the database, kills a host or crashes the database every `millis`, in turn.
 */
export const disturb = (cluster: Cluster, millis: number, draw: Random) => {
  const counts: Disturbances = { hostsKilled: 0, sessionsEnded: 0, databaseCrashes: 0 }
  const ways = [
    async () => {
      await cluster.endSessions()
      counts.sessionsEnded++
    },
    async () => {
      await cluster.replace(Math.floor(draw() * cluster.hosts.length))
      counts.hostsKilled++
    },
    async () => {
      await cluster.crashDatabase()
      counts.databaseCrashes++
    }
  ]
  let on = true
  const loop = async () => {
    for (let nth = 0; on; nth++) {
      await pause(millis)
      await ways[nth % ways.length]?.()
    }
  }
  const done = loop()
  return async (): Promise<Disturbances> => {
    on = false
    await done
    return counts
  }
}

export const undisturbed: Disturbances = { hostsKilled: 0, sessionsEnded: 0, databaseCrashes: 0 }
