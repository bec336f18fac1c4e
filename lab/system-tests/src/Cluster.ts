/** Several hosts on one database. A test can disturb them: it can kill hosts and end sessions of PostgreSQL. */
import { randomUUID } from "node:crypto"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type * as Abort from "./Abort.ts"
import type * as Api from "./Api.ts"
import * as Backup from "./Backup.ts"
import * as CitusServers from "./CitusServers.ts"
import * as HostProcess from "./HostProcess.ts"
import type { Random } from "./Random.ts"

/** The database of a cluster. With `citus`, tables are distributed over a coordinator and two workers. */
export type Database = "sqlite" | "postgres" | "citus"

export interface Cluster {
  /** The DATABASE_URL of all hosts. */
  readonly url: string
  /** The running hosts. A killed host is replaced by a host on another port. */
  readonly hosts: ReadonlyArray<HostProcess.HostProcess>
  /** Kills a host with SIGKILL and starts another one. It retries while the database is down. */
  readonly replace: (nth: number) => Promise<void>
  /** Disturbs the server of the database. SQLite has no server. */
  readonly server: Server | undefined
  /** Copies the database while the hosts write to it. Another cluster can be started from the copy. */
  readonly backup: (way: Backup.Way) => Promise<Backup.Backup>
}

export interface Server {
  /** Ends all sessions. With `most`, it ends at most this number of random sessions. Returns the number of ended sessions. */
  readonly endSessions: (most?: number) => Promise<number>
  /** Crashes and restarts PostgreSQL. If there are several servers, each call crashes the next one. */
  readonly crash: () => Promise<void>
}

const everySession = 1_000_000

const endSessions = (url: string, most: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT pg_terminate_backend(pid) FROM (
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      ORDER BY random() LIMIT ${most}) chosen`
  ).pipe(
    Effect.map((ended) => ended.length),
    Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })),
    Effect.runPromise
  )

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Starts a host, and retries like a supervisor. A host can't start while the database recovers from a crash. */
const retried = async (start: () => Promise<void>, tries = 100): Promise<void> => {
  try {
    await start()
  } catch (error) {
    if (tries === 0) throw error
    await pause(200)
    await retried(start, tries - 1)
  }
}

const sqliteFile = (folder: string) => join(folder, "cluster.db")

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "crossdock-cluster-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

const options = { survivesCrash: true }

const oneServer = (from: Backup.Backup | undefined) =>
  Effect.acquireRelease(
    Effect.promise(() => (from === undefined ? PostgresServer.start(options) : Backup.toServer(from, options))),
    ({ stop }) => Effect.promise(stop)
  )

const distributed = Effect.gen(function* () {
  const { coordinator, url, workers } = yield* Effect.orDie(CitusServers.make(2))
  yield* Effect.promise(() => HostProcess.crossdock({ DATABASE_URL: url }, ["migrate", "--distribute"]))
  const servers = [coordinator, ...workers]
  let crashes = 0
  const crash = async () => servers[crashes++ % servers.length]?.crash()
  return { url, data: coordinator.data, crash }
})

const serverOf = (database: Database, from: Backup.Backup | undefined) =>
  database === "sqlite" ? Effect.undefined : database === "citus" ? distributed : oneServer(from)

/** A backup to start from, and additional settings of the hosts. */
export interface Options {
  readonly from?: Backup.Backup | undefined
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts `count` hosts with the sandbox on a database that is new, or restored `from` a backup. They end with the scope. */
export const make = (
  database: Database,
  count: number,
  { from, settings = {} }: Options = {}
): Effect.Effect<Cluster, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const server = yield* serverOf(database, from)
    const url = server?.url ?? `sqlite:${sqliteFile(folder)}`
    if (server === undefined && from !== undefined) yield* Effect.promise(() => Backup.toFile(from, url))
    const hosts: Array<HostProcess.HostProcess> = []
    const begin = async (nth: number) => {
      hosts[nth] = await HostProcess.start({ DATABASE_URL: url, SANDBOX: "1", LOG_LEVEL: "none", ...settings })
    }
    const host = (nth: number) =>
      Effect.acquireRelease(
        Effect.promise(() => begin(nth)),
        () => Effect.promise(async () => hosts[nth]?.stop())
      )
    yield* Effect.forEach(
      Array.from({ length: count }, (_, nth) => nth),
      host,
      { concurrency: "unbounded" }
    )
    return {
      url,
      hosts,
      replace: async (nth) => {
        await hosts[nth]?.kill()
        await retried(() => begin(nth))
      },
      server:
        server === undefined
          ? undefined
          : { endSessions: (most = everySession) => endSessions(url, most), crash: server.crash },
      backup: async (way) => {
        const to = await mkdtemp(join(folder, "backup-"))
        // The server doesn't run as root, and must be able to read its files.
        for (const path of [folder, to]) await chmod(path, 0o755)
        const path = join(to, "copy")
        await Backup.make(way, server ?? { url }, path)
        return { way, path, remove: () => rm(to, { recursive: true }) }
      }
    }
  })

/** Whether an earlier attempt with the key is still running. */
const isRunning = ({ body, status }: Api.Answer<unknown>): boolean =>
  status === 409 && (body as { readonly code?: string } | undefined)?.code === "IDEMPOTENCY_IN_FLIGHT"

export interface Resent {
  count: number
}

/** A client that prefers host `nth`. Without an answer, or after 503, it resends the request to the next host. */
export const persistent = (
  { hosts }: { readonly hosts: ReadonlyArray<Pick<HostProcess.HostProcess, "url">> },
  nth: number,
  signIn: (url: string) => Promise<Api.Api>,
  resent: Resent,
  aborts?: Abort.Aborts
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
    const api = await session(url)
    const began = performance.now()
    const answer = await api.call<A>(...request)
    aborts?.answered(performance.now() - began)
    return answer
  }
  return {
    call: async <A>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const sent = method === "GET" ? headers : { ...headers, "idempotency-key": randomUUID() }
      const until = Date.now() + 60_000
      for (let at = nth; Date.now() < until; at++) {
        const url = hosts[at % hosts.length]?.url ?? ""
        const abort = aborts?.next()
        const answer = await attempt<A>(url, method, path, body, sent, abort).catch(() => undefined)
        const runs = answer !== undefined && isRunning(answer)
        if (answer !== undefined && answer.status !== 503 && !runs) return answer
        if (aborts !== undefined && abort !== undefined && answer === undefined) aborts.count++
        else if (!runs) resent.count++
        await pause(50)
      }
      throw new Error(`${method} ${path} had no answer within a minute`)
    },
    close: () => {
      for (const one of sessions.values()) void one.then((api) => api.close())
    }
  }
}

/** How often each action of `disturb` was done, by name. */
export type Disturbances = Readonly<Record<string, number>>

/** The ways to disturb this cluster, by name. They depend on its database. */
const waysOf = (
  { hosts, replace, server }: Cluster,
  draw: Random
): ReadonlyArray<readonly [name: string, disturb: () => Promise<unknown>]> => [
  ["hosts killed", () => replace(Math.floor(draw() * hosts.length))],
  ...(server === undefined
    ? []
    : ([
        ["times all sessions ended", () => server.endSessions()],
        ["crashes of the database", server.crash]
      ] as const))
]

/** Disturbs the cluster every `millis` until it is stopped. It uses all ways in turn. */
export const disturb = (cluster: Cluster, millis: number, draw: Random): (() => Promise<Disturbances>) => {
  const ways = waysOf(cluster, draw)
  const counts = Object.fromEntries(ways.map(([name]) => [name, 0]))
  let on = true
  const loop = async () => {
    for (let nth = 0; on; nth++) {
      await pause(millis)
      const [name, way] = ways[nth % ways.length] ?? []
      if (name === undefined || way === undefined) continue
      await way()
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
  const done = loop()
  done.catch(() => {})
  return async () => {
    on = false
    await done
    return counts
  }
}
