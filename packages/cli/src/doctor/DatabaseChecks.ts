/**
 * Checks of a database that is reachable and up to date, and of what hosts should have done with it.
 */
import { connect } from "node:net"
import { Directory } from "@crossdock/access"
import { AuditChain, AuditLog, type Head } from "@crossdock/audit"
import { BillingStore } from "@crossdock/billing"
import { CatalogWriteStore } from "@crossdock/catalog"
import { DigestNode } from "@crossdock/crypto"
import { ClockSkew } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { Overview } from "@crossdock/storage-sql"
import { Clock, Effect } from "effect"
import * as Answer from "../Answer.ts"
import { fault, ok, warning } from "./Finding.ts"

/** How long background work may take before no host seems to do it. */
const patience = { catalog: 60_000, billing: 3_600_000, idempotency: 86_400_000 } as const

export const clock = Effect.gen(function* () {
  const { now: theirs } = yield* Overview.server
  const [ours, newest] = [yield* Clock.currentTimeMillis, yield* Overview.newestChange]
  if (newest !== null && newest > ClockSkew.aheadOf(ours))
    return fault(
      "clock",
      `the newest change is of ${Answer.time(newest)}, in the future`,
      "set this machine's clock right"
    )
  if (theirs === null) return ok("clock", `${Answer.time(ours)}, not before the newest change`)
  const apart = Math.abs(theirs - ours)
  return apart > ClockSkew.most
    ? fault(
        "clock",
        `${Math.round(apart / 1000)} s apart from the database's`,
        "let both machines follow a time server"
      )
    : ok("clock", `${apart} ms apart from the database's`)
})

export const accounts = Effect.gen(function* () {
  const directory = yield* Directory
  const kinds = ["integration", "marketplace", "platform_client"] as const
  const found = yield* Effect.forEach(kinds, directory.accounts)
  const enabled = found.map((all) => all.filter(({ enabled }) => enabled).length)
  const [sellers = 0, marketplaces = 0, clients = 0] = enabled
  const says = `${sellers} sellers, ${marketplaces} marketplaces and ${clients} clients can sign in`
  return sellers + marketplaces === 0
    ? warning("accounts", says, "add some: crossdock seller add, crossdock marketplace add")
    : ok("accounts", says)
})

/** Whether somebody accepts connections there, within 3 seconds. Nothing is sent. */
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

const webhookOf = (marketplace: Marketplace) =>
  Effect.gen(function* () {
    const { slug, webhook } = marketplace
    const check = `webhook of ${slug}`
    if (webhook === null) return ok(check, "none: it is not notified of stock")
    const progress = yield* (yield* Notifications.Notifications).progress(marketplace)
    const letters = progress.reduce((sum, { deadLetters }) => sum + deadLetters, 0)
    if (!(yield* isReachable(new URL(webhook.url))))
      return fault(
        check,
        `nobody answers at ${new URL(webhook.url).host}`,
        `start its receiver, then crossdock marketplace wake ${slug}`
      )
    const worst = progress.find(({ failures }) => failures > 0)
    if (worst !== undefined)
      return warning(
        check,
        `it rejected ${worst.failures} times: ${worst.failure}`,
        `correct its receiver, then crossdock marketplace wake ${slug}`
      )
    if (letters > 0)
      return warning(
        check,
        `${letters} dead letters`,
        `crossdock marketplace dead-letters ${slug}, or reconcile ${slug}`
      )
    const pending = progress.filter(({ hasPending }) => hasPending).length
    return ok(check, pending === 0 ? "everything was accepted" : `changes of ${pending} companies are on their way`)
  })

export const webhooks = Effect.gen(function* () {
  return yield* Effect.forEach(yield* (yield* MarketplaceStore).all, webhookOf, { concurrency: 10 })
})

const noWorker = "start a host: its background work does it"

export const catalog = Effect.gen(function* () {
  const [store, now] = [yield* CatalogWriteStore, yield* Clock.currentTimeMillis]
  const due = yield* store.due
  const oldest = yield* Effect.forEach(due, ({ companyId, traceId }) => store.find(companyId, traceId))
  const late = oldest.filter((write) => write !== undefined && now - write.createdAt > patience.catalog).length
  return late > 0
    ? fault("catalog writes", `those of ${late} companies wait for more than a minute`, noWorker)
    : ok("catalog writes", due.length === 0 ? "none waits" : `those of ${due.length} companies are in work`)
})

export const billing = Effect.gen(function* () {
  const [store, now] = [yield* BillingStore, yield* Clock.currentTimeMillis]
  const [late] = yield* store.due(now - patience.billing, 1)
  return late === undefined
    ? ok("billing", "nothing is overdue")
    : fault("billing", `agreement ${late.id} of company ${late.companyId} is due for more than an hour`, noWorker)
})

export const idempotency = Effect.gen(function* () {
  const left = yield* Overview.expiredAnswers((yield* Clock.currentTimeMillis) - patience.idempotency)
  return left === 0
    ? ok("idempotency keys", "none is left that expired a day ago")
    : warning("idempotency keys", `${left} expired more than a day ago`, noWorker)
})

/** The newest records of each trail, whose chain is followed; `crossdock audit verify` follows all. */
const newestRecords = 500

/** The first break among the newest records of a trail. What hosts append meanwhile is left out. */
const newestBreak = (head: Head) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
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
  const heads = yield* (yield* AuditLog).heads(companies.map(({ id }) => id))
  const found = yield* Effect.forEach(heads, (head) =>
    Effect.map(newestBreak(head), (broken) =>
      broken === undefined ? [] : [`company ${head.companyId}: record ${broken.sequence} ${broken.reason}`]
    )
  )
  const faults = found.flat()
  return faults.length === 0
    ? ok("audit trails", `the newest ${newestRecords} records of ${heads.length} companies are intact`)
    : fault(
        "audit trails",
        faults.join("; "),
        "somebody changed the database: crossdock audit verify, restore a backup"
      )
})
