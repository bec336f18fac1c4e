/** Checks a database that is reachable and up to date, and the background work that hosts do on it. */
import { access, constants, stat, statfs } from "node:fs/promises"
import { connect } from "node:net"
import { dirname, resolve } from "node:path"
import { type Account, Directory } from "@crossdock/access"
import { AuditChain, AuditStore, type Head } from "@crossdock/audit"
import { BillingStore } from "@crossdock/billing"
import { DigestNode } from "@crossdock/crypto"
import { Instant } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { AddressGuard, EventEndpoints, Notifications } from "@crossdock/notifications"
import { Lifecycle, openShipments } from "@crossdock/shipments"
import { DatabaseFacts } from "@crossdock/storage-sql"
import { Clock, Effect } from "effect"
import * as Answer from "../Answer.ts"
import { isLoopback, type Settings } from "../Settings.ts"
import { type Finding, fault, ok, warning } from "./Finding.ts"

const verified = "set sslmode=verify-full, and sslrootcert to the file of the server's authority, in DATABASE_URL"

/** Checks whether sessions on the server at `url` are encrypted. Connections within this machine needn't be encrypted. */
export const encryption = (url: string) =>
  Effect.map(DatabaseFacts.encryption, (protocol): Finding => {
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

/** Checks whether acknowledged writes survive a crash of the server or its machine. */
const durability = ({ fsync, fullPageWrites, synchronousCommit }: DatabaseFacts.ServerSettings): Finding => {
  const off = [
    ...(fsync === "on" ? [] : ["fsync"]),
    ...(fullPageWrites === "on" ? [] : ["full_page_writes"]),
    ...(synchronousCommit === "off" ? ["synchronous_commit"] : [])
  ]
  const todo = "turn it on for the server, and synchronous_commit also for the role and the database"
  return off.length === 0
    ? ok("durability", `synchronous_commit is ${synchronousCommit}, fsync and full_page_writes are on`)
    : fault("durability", `${off.join(", ")} off: a crash of the server or its machine loses acknowledged writes`, todo)
}

/** The connections needed besides a host's pool: one that replaces an interrupted connection, and two of a command. */
const spare = 3

const connections = (most: number, { databasePool, databasePooler }: Settings): Finding => {
  const says = `DATABASE_POOL=${databasePool}; the server takes ${most}`
  if (databasePooler._tag === "Some") return ok("connections", `${says}, of which the pooler decides`)
  return databasePool + spare > most
    ? fault("connections", says, "lower DATABASE_POOL, raise max_connections of the server, or add a pooler")
    : ok("connections", `${says}: enough for ${Answer.counted(Math.floor((most - spare) / databasePool), "host")}`)
}

const blocking = (blockers: ReadonlyArray<DatabaseFacts.Blocker>): Finding => {
  const [first] = blockers
  if (first === undefined) return ok("locks", "no session has waited for more than 2 seconds")
  const says = blockers.map(
    ({ process, program, seconds, state, waiting }) =>
      `process ${process} (${program || "unnamed"}, ${state}, its transaction open for ${seconds} s) blocks ${Answer.counted(waiting, "session")}`
  )
  return warning("locks", says.join("; "), `if it doesn't end: select pg_terminate_backend(${first.process})`)
}

/** Checks the servers of Citus. There are no findings if no tables are distributed. */
const shards = Effect.map(DatabaseFacts.distribution, (found): ReadonlyArray<Finding> => {
  if (found === null) return []
  const says = found.servers.map((one) => `${one.server} ${one.fault ?? `has ${Answer.counted(one.shards, "shard")}`}`)
  const todo = "repair that server: until then, its companies' requests are answered with 503"
  return [
    (found.servers.some(({ fault }) => fault !== null) ? fault : ok)("shards", says.join("; "), todo),
    ...(found.unplaced.length === 0
      ? []
      : [fault("distribution", `not distributed: ${found.unplaced.join(", ")}`, "crossdock migrate")])
  ]
})

/** Checks the server's settings, disk and locks, and the shards if there are several servers. */
export const server = Effect.fnUntraced(function* (settings: Settings) {
  const found = yield* DatabaseFacts.serverSettings
  const todo = "enlarge it, or delete files of other software, never those of pg_wal"
  return [
    durability(found),
    connections(found.maxConnections, settings),
    (yield* DatabaseFacts.isDiskFull)
      ? fault("disk", "the server's disk is full: nothing can be written", todo)
      : ok("disk", "the server can write"),
    blocking(yield* DatabaseFacts.blockers),
    ...(yield* shards)
  ]
})

export const clock = Effect.gen(function* () {
  const { now: theirs } = yield* DatabaseFacts.server
  const [ours, newest] = [yield* Clock.currentTimeMillis, yield* DatabaseFacts.newestChange]
  const future = `the newest change is dated ${newest === null ? "" : Answer.time(newest)}, in the future`
  if (newest !== null && newest > Instant.latest(ours)) return fault("clock", future, "correct this machine's clock")
  if (theirs === null) return ok("clock", `${Answer.time(ours)}, not before the newest change`)
  const apart = Math.abs(theirs - ours)
  const far = `${Math.round(apart / 1000)} s apart from the database's`
  return apart > Instant.clockSkew
    ? fault("clock", far, "synchronise both machines with a time server")
    : ok("clock", `${apart} ms apart from the database's`)
})

export const accounts = Effect.gen(function* () {
  const directory = yield* Directory
  const kinds = ["integration", "marketplace", "platform_client"] as const
  const found = yield* Effect.forEach(kinds, directory.accounts)
  const closed = yield* directory.closed
  const isOpen = ({ principal }: Account) => !("companyId" in principal && closed.includes(principal.companyId))
  const enabled = found.map((all) => all.filter((account) => account.enabled && isOpen(account)).length)
  const [sellers = 0, marketplaces = 0, clients = 0] = enabled
  const says = `able to sign in: ${Answer.counted(sellers, "seller")}, ${Answer.counted(marketplaces, "marketplace")}, ${Answer.counted(clients, "client")}`
  return sellers + marketplaces === 0
    ? warning("accounts", says, "add some: crossdock seller add, crossdock marketplace add")
    : ok("accounts", says)
})

/** Whether a server accepts connections at the address within 3 seconds. Nothing is sent to the server. */
const isReachable = (url: URL) =>
  Effect.callback<boolean>((resume) => {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    const socket = connect(Number(url.port || (url.protocol === "https:" ? 443 : 80)), host)
    const end = (reachable: boolean) => {
      socket.destroy()
      resume(Effect.succeed(reachable))
    }
    socket.setTimeout(3_000, () => end(false))
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })

/** The remedy for a failed webhook. If the host itself rejected the address, the receiver isn't at fault. */
const correction = (failure: string | null, wake: string) =>
  failure === AddressGuard.rejection
    ? `set WEBHOOK_ALLOW_PRIVATE=1 if that is its address, or correct its URL; then ${wake}`
    : `correct its receiver, then ${wake}`

const webhookOf = Effect.fnUntraced(function* (marketplace: Marketplace) {
  const { slug, webhook } = marketplace
  const [check, wake] = [`webhook of ${slug}`, `crossdock marketplace wake ${slug}`]
  if (webhook === null) return ok(check, "none: it is not notified of stock")
  const progress = yield* (yield* Notifications.Notifications).progress(marketplace)
  const letters = progress.reduce((sum, { deadLetters }) => sum + deadLetters, 0)
  const worst = progress.find(({ failures }) => failures > 0)
  const isRejectedHere = worst?.failure === AddressGuard.rejection
  if (!isRejectedHere && !(yield* isReachable(new URL(webhook.url))))
    return fault(check, `nothing answers at ${new URL(webhook.url).host}`, `start its receiver, then ${wake}`)
  if (worst !== undefined) {
    const says = `it rejected a notification ${Answer.counted(worst.failures, "time")}: ${worst.failure}`
    return warning(check, says, correction(worst.failure, wake))
  }
  const list = `crossdock marketplace dead-letters ${slug}, or reconcile ${slug}`
  if (letters > 0) return warning(check, Answer.counted(letters, "dead letter"), list)
  const pending = progress.filter(({ hasPending }) => hasPending).length
  const changes = `changes of ${Answer.counted(pending, "company", "companies")} are on their way`
  return ok(check, pending === 0 ? "everything was accepted" : changes)
})

export const webhooks = Effect.gen(function* () {
  return yield* Effect.forEach(yield* (yield* MarketplaceStore).all, webhookOf, { concurrency: 10 })
})

const endpointOf = (status: EventEndpoints.EndpointStatus) => {
  const { companyId, cursor, deadLetters, failure, failures, id, lastEvent, paused } = status
  const [check, key] = [`endpoint ${id} of company ${companyId}`, `${companyId} ${id}`]
  if (paused?.reason === "out_of_range")
    return fault(
      check,
      `some events after number ${cursor} are no longer in the feed`,
      `let its backend read all data again, then crossdock endpoint set-cursor ${key} ${paused.resumeAfter}`
    )
  if (paused?.reason === "unsubscribed")
    return warning(check, "its receiver answered 410: it wants nothing more", `crossdock endpoint enable ${key}`)
  if (paused !== null) return ok(check, "disabled")
  const rejected = `it rejected a webhook ${Answer.counted(failures, "time")}: ${failure}; it accepted events up to ${cursor} of ${lastEvent}`
  if (failures > 0) return warning(check, rejected, correction(failure, `crossdock endpoint wake ${key}`))
  if (deadLetters > 0)
    return warning(check, Answer.counted(deadLetters, "dead letter"), `crossdock endpoint dead-letters ${key}`)
  const events = `events after ${cursor}, up to ${lastEvent}, are on the way`
  return ok(check, lastEvent === cursor ? "everything was accepted" : events)
}

export const endpoints = Effect.gen(function* () {
  return (yield* (yield* EventEndpoints.EventEndpoints).list(null)).map(endpointOf)
})

/** Finds open shipments in statuses that the standard lifecycle lacks, because an application's own lifecycle has them. */
export const shipments = Effect.gen(function* () {
  const companies = yield* (yield* Directory).companies
  const open = yield* Effect.forEach(companies, ({ id }) => openShipments(id))
  const outside = open.flat().filter(({ status }) => !Lifecycle.standard.statuses.includes(status))
  return [...Map.groupBy(outside, ({ status }) => status)].map(([status, some]) => {
    const ids = some.slice(0, 20).map(({ id }) => id)
    const says = `${Answer.counted(some.length, "open shipment")} in ${status}, which ours doesn't have: ${ids.join(", ")}`
    return warning("lifecycle", says, "run a host whose lifecycle has it, until they are closed")
  })
}).pipe(
  Effect.catchDefect((defect) =>
    Effect.succeed([fault("shipments", String(defect), "the database was changed by hand: compare with a backup")])
  )
)

const noWorker = "start a host: its background workers do this"

export const billing = Effect.gen(function* () {
  const [store, now] = [yield* BillingStore, yield* Clock.currentTimeMillis]
  const [late] = yield* store.due(now - 3_600_000, 1)
  return late === undefined
    ? ok("billing", "nothing is overdue")
    : fault("billing", `agreement ${late.id} of company ${late.companyId} has been due for more than an hour`, noWorker)
})

export const idempotency = Effect.gen(function* () {
  const left = yield* DatabaseFacts.expiredAnswers((yield* Clock.currentTimeMillis) - Instant.dayMillis)
  return left === 0
    ? ok("idempotency keys", "none expired more than a day ago")
    : warning("idempotency keys", `${left} expired more than a day ago and are still there`, noWorker)
})

/** The number of each trail's newest records that are verified. `crossdock audit verify` verifies all records. */
const newestRecords = 500

/** The first break among the newest records of a trail. Records that are appended meanwhile are ignored. */
const newestBreak = Effect.fnUntraced(function* (head: Head) {
  const log = yield* AuditStore
  const anchor = yield* log.anchor(head.companyId)
  const after = Math.max(anchor.sequence, head.sequence - newestRecords)
  const [known] = after === anchor.sequence ? [anchor] : yield* log.read(head.companyId, after - 1, 1)
  if (known === undefined || known.sequence !== after) return { sequence: after, reason: "is missing" }
  const start = { companyId: head.companyId, sequence: after, hash: known.hash }
  const records = yield* log.read(head.companyId, after, newestRecords)
  const own = records.filter(({ sequence }) => sequence <= head.sequence)
  const followed = AuditChain.follow(start, own, DigestNode.make.sha256)
  return followed.broken ?? AuditChain.endFault(followed.head, head)
})

export const audit = Effect.gen(function* () {
  const companies = yield* (yield* Directory).companies
  const heads = yield* (yield* AuditStore).heads(companies.map(({ id }) => id))
  const found = yield* Effect.forEach(heads, (head) =>
    Effect.map(newestBreak(head), (broken) =>
      broken === undefined ? [] : [`company ${head.companyId}: record ${broken.sequence} ${broken.reason}`]
    )
  )
  const faults = found.flat()
  const intact = `the newest ${newestRecords} records of ${Answer.counted(heads.length, "company", "companies")} are intact`
  const todo = "the database was changed by hand: run crossdock audit verify, and compare with a backup"
  return faults.length === 0 ? ok("audit trails", intact) : fault("audit trails", faults.join("; "), todo)
})

const mebibyte = 2 ** 20

const sizeText = (bytes: number): string => `${Math.floor(bytes / mebibyte).toLocaleString("en-US")} MiB`

/** Checks the room on the disk, in bytes. A database needs room for a copy of itself, and for its growth. */
export const disk = (free: number, size: number): Finding => {
  const says = `${sizeText(free)} free; the database takes ${sizeText(size)}`
  const todo = "make room, or move the database to a larger disk"
  if (free < 100 * mebibyte) return fault("disk", says, todo)
  return free < Math.max(1024 * mebibyte, size) ? warning("disk", says, todo) : ok("disk", says)
}

/** Checks who can read the database, which has password hashes and personal data. `mode` is that of the file system. */
export const permissions = (file: string, mode: number): Finding =>
  (mode & 0o077) === 0
    ? ok("permissions", "only its owner can read the database")
    : warning("permissions", "other users of this machine can read the database", `chmod 600 ${file}`)

/** Checks an existing SQLite file. PostgreSQL's server checks its own files. */
export const file = (file: string): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.promise(async () => {
    const folder = dirname(resolve(file))
    const [{ mode, size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(folder)])
    const canWrite = await Promise.all([access(file, constants.W_OK), access(folder, constants.W_OK)]).then(
      () => true,
      () => false
    )
    const writing = canWrite
      ? permissions(file, mode)
      : fault("permissions", `${file} or its folder can't be written`, "run as its owner, or change its permissions")
    return [disk(bavail * bsize, size), writing]
  })
