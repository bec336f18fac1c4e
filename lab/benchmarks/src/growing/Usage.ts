/** Measures the use of this Linux machine between two moments: by hosts, by their PostgreSQL, and by everything else. */
import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Linux's clock ticks per second. */
export const ticks = 100

const statOf = (process: string): ReadonlyArray<string> => {
  try {
    const text = readFileSync(`/proc/${process}/stat`, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

/** A column of Linux's process statistics: 4 is the parent, 14 and 15 are times, 16 and 17 times of ended children. */
const column = (stat: ReadonlyArray<string>, nth: number) => Number(stat[nth - 3] ?? 0)
const own = (stat: ReadonlyArray<string>) => column(stat, 14) + column(stat, 15)

/** The ticks of the server with files in `data`. All its processes are included, even ended ones. */
export const serverTicks = (data: string): number => {
  const main = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
  const mainStat = statOf(String(main))
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && column(statOf(name), 4) === main)
  const ended = column(mainStat, 16) + column(mainStat, 17)
  return children.reduce((sum, child) => sum + own(statOf(child)), own(mainStat) + ended)
}

const machineTicks = (): number => {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, soft = 0] = (
    readFileSync("/proc/stat", "utf8").split("\n")[0] ?? ""
  )
    .split(/\s+/)
    .map(Number)
  return user + nice + system + irq + soft
}

interface Counted {
  readonly wal: number
  readonly hit: number
  readonly read: number
}

const counted = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Counted>`
      SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, blks_hit AS hit, blks_read AS read
      FROM pg_stat_database WHERE datname = current_database()`
  ),
  ([row]): Counted => row ?? { wal: 0, hit: 0, read: 0 }
)

/** Measured values at one moment. Times are in processor seconds. */
interface Moment extends Counted {
  readonly at: number
  readonly host: number
  readonly server: number
  readonly here: number
  readonly machine: number
}

export const moment = (hosts: ReadonlyArray<number>, data: string) =>
  Effect.map(counted, (counts): Moment => {
    const { system, user } = process.cpuUsage()
    return {
      ...counts,
      at: performance.now() / 1000,
      host: hosts.reduce((sum, host) => sum + own(statOf(String(host))), 0) / ticks,
      server: serverTicks(data) / ticks,
      here: (user + system) / 1e6,
      machine: machineTicks() / ticks
    }
  })

/** The use of the machine between two moments. Processor use is in cores, and `wal` is in bytes per second. */
export interface Usage {
  readonly seconds: number
  readonly host: number
  readonly server: number
  readonly clients: number
  readonly others: number
  readonly cores: number
  readonly wal: number
  readonly blocksRead: number
  readonly cacheHits: number
}

export const between = (before: Moment, after: Moment): Usage => {
  const seconds = after.at - before.at
  const per = (name: keyof Moment) => (after[name] - before[name]) / seconds
  const blocks = after.hit - before.hit + (after.read - before.read)
  return {
    seconds,
    host: per("host"),
    server: per("server"),
    clients: per("here"),
    others: Math.max(0, per("machine") - per("host") - per("server") - per("here")),
    cores: cpus().length,
    wal: per("wal"),
    blocksRead: per("read"),
    cacheHits: blocks === 0 ? 1 : (after.hit - before.hit) / blocks
  }
}

/** The events that working sessions wait for now. "CPU" means that a session doesn't wait. */
export const waits = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ event: string }>`
      SELECT COALESCE(wait_event_type || ':' || wait_event, 'CPU') AS event FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`
  ),
  (rows) => rows.map(({ event }) => event)
)
