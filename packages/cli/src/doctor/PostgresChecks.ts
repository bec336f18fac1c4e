/**
 * Checks of a PostgreSQL server, as a session of it sees them.
 */
import { Overview } from "@crossdock/storage-sql"
import { Effect } from "effect"
import * as Answer from "../Answer.ts"
import { isLoopback, type Settings } from "../Settings.ts"
import { type Finding, fault, ok, warning } from "./Finding.ts"

const verified = "set sslmode=verify-full, and sslrootcert to the file of the server's authority, in DATABASE_URL"

/** Whether a session to the server at `url` is encrypted. On this machine nobody reads along. */
export const encryption = (url: string) =>
  Effect.map(Overview.encryption, (protocol): Finding => {
    const { hostname, searchParams } = new URL(url)
    const host = searchParams.get("host") ?? hostname
    const isNear = host === "" || host.startsWith("/") || isLoopback(host.replace(/^\[(.*)\]$/, "$1"))
    const isVerified = searchParams.get("sslmode") !== "require" || searchParams.has("sslrootcert")
    if (protocol === null)
      return isNear
        ? ok("encryption", "sessions are not encrypted, and don't leave this machine")
        : warning("encryption", "sessions are not encrypted: passwords and personal data can be read along", verified)
    return isVerified || isNear
      ? ok("encryption", protocol)
      : warning("encryption", `${protocol}, but the server's certificate isn't verified`, verified)
  })

/** Whether what was acknowledged survives a crash of the server or its machine. */
const durability = ({ fsync, fullPageWrites, synchronousCommit }: Overview.ServerSettings): Finding => {
  const off = [
    ...(fsync === "on" ? [] : ["fsync"]),
    ...(fullPageWrites === "on" ? [] : ["full_page_writes"]),
    ...(synchronousCommit === "off" ? ["synchronous_commit"] : [])
  ]
  return off.length === 0
    ? ok("durability", `synchronous_commit is ${synchronousCommit}, fsync and full_page_writes are on`)
    : fault(
        "durability",
        `${off.join(", ")} off: a crash of the server or its machine loses what was acknowledged`,
        `turn it on for the server, and synchronous_commit also for the role and the database`
      )
}

/** Beside a host's pool: a connection that replaces an interrupted one, and those of a command. */
const spare = 3

const connections = (most: number, { databasePool, databasePooler }: Settings): Finding => {
  const says = `DATABASE_POOL=${databasePool}; the server takes ${most}`
  if (databasePooler._tag === "Some") return ok("connections", `${says}, of which the pooler decides`)
  return databasePool + spare > most
    ? fault("connections", says, "lower DATABASE_POOL, raise max_connections of the server, or add a pooler")
    : ok("connections", `${says}: enough for ${Answer.counted(Math.floor((most - spare) / databasePool), "host")}`)
}

const blocking = (blockers: ReadonlyArray<Overview.Blocker>): Finding =>
  blockers.length === 0
    ? ok("locks", "nobody has waited for more than 2 seconds")
    : warning(
        "locks",
        blockers
          .map(
            ({ process, program, seconds, state, waiting }) =>
              `process ${process} (${program || "unnamed"}, ${state}, its transaction open for ${seconds} s) blocks ${Answer.counted(waiting, "session")}`
          )
          .join("; "),
        `if it doesn't end: select pg_terminate_backend(${blockers[0]?.process})`
      )

const disk = Effect.map(
  Overview.isDiskFull,
  (isFull): Finding =>
    isFull
      ? fault(
          "disk",
          "the server's disk is full: nothing can be written",
          "make it larger, or delete what isn't the database's, and never files of pg_wal"
        )
      : ok("disk", "the server can write")
)

/** The server's settings, disk and locks. */
export const server = (settings: Settings) =>
  Effect.gen(function* () {
    const found = yield* Overview.serverSettings
    return [
      durability(found),
      connections(found.maxConnections, settings),
      yield* disk,
      blocking(yield* Overview.blockers)
    ]
  })
