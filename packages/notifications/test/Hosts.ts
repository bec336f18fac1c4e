/**
 * Hosts for tests of the worker: the real services on SQLite in a file of its own, one company, and its stock.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Directory, type Integration } from "@crossdock/access"
import { AuditStore, CompanyWrite } from "@crossdock/audit"
import { ProductStore, SkuStock } from "@crossdock/catalog"
import { DigestNode } from "@crossdock/crypto"
import { Inventory, Level, StockLevels } from "@crossdock/inventory"
import { BackgroundLoop, CompanyId, Ids, Transaction } from "@crossdock/kernel"
import {
  type LocationMapping,
  type Marketplace,
  MarketplaceStore,
  type StoredWebhook,
  type Webhook
} from "@crossdock/marketplaces"
import { NotificationStore, Notifications, type WebhookSender, WebhookWorker } from "@crossdock/notifications"
import { WebhookSenderNode } from "@crossdock/notifications/node"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"

export const company = CompanyId.make(1)

export const mapped: ReadonlyArray<LocationMapping> = [
  { companyId: company, location: "BLR1", code: "B-BLR" },
  { companyId: company, location: "BOM1", code: "B-BOM" }
]

export const skus = Array.from({ length: 1300 }, (_, i) => `SKU-${String(i).padStart(4, "0")}`)

export const databaseFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-webhooks-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "test.db")
)

const services = Layer.mergeAll(Notifications.layer, Inventory.layer, BackgroundLoop.registry).pipe(
  Layer.provideMerge(CompanyWrite.layer)
)

/**
 * Everything except the worker.
 */
export const ground = (file: string) =>
  services.pipe(
    Layer.provideMerge(StorageSql.layer),
    Layer.provideMerge(Layer.mergeAll(BetterSqlite3.layer(file), DigestNode.layer, Ids.layer)),
    Layer.orDie
  )

/**
 * The same in memory, for tests that build many.
 */
export const groundInMemory = services.pipe(
  Layer.provideMerge(StorageMemory.layer),
  Layer.provideMerge(Layer.mergeAll(DigestNode.layer, Ids.layer))
)

export const sender: Layer.Layer<WebhookSender> = WebhookSenderNode.layer({ allowPrivate: true })

/**
 * A running host.
 */
export const host = (file: string, sends: Layer.Layer<WebhookSender> = sender) =>
  WebhookWorker.layer({ poll: "20 millis" }).pipe(Layer.provide(sends), Layer.provideMerge(ground(file)))

/**
 * A worker with some methods of its notifications replaced.
 */
export const workerWith = (
  change: (real: typeof Notifications.Notifications.Service) => Partial<typeof Notifications.Notifications.Service>
) => {
  const changed = Layer.effect(
    Notifications.Notifications,
    Effect.map(Notifications.Notifications, (real) => ({ ...real, ...change(real) }))
  )
  return WebhookWorker.layer({ poll: "20 millis" }).pipe(Layer.provide(Layer.merge(sender, changed)))
}

/**
 * A stored webhook that isn't encrypted.
 */
export const inPlain = (webhook: StoredWebhook.StoredWebhook | null | undefined): Webhook => {
  assertTrue(webhook !== null && webhook !== undefined && !("encrypted" in webhook))
  return webhook
}

export const marketplace = (slug: string, webhook: Webhook | null, locations = mapped): Marketplace => ({
  slug,
  name: slug,
  currency: "INR",
  locations,
  skus: null,
  buffers: [],
  retiredCodes: [],
  webhook
})

/**
 * The company, three locations, of which `HIDDEN` is mapped nowhere, its SKUs, and the marketplaces.
 */
export const fill = (marketplaces: ReadonlyArray<Marketplace>, sold: ReadonlyArray<string> = skus.slice(0, 20)) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    yield* directory.putCompanies([Fresh.company(company)])
    yield* directory.putLocations(["BLR1", "BOM1", "HIDDEN"].map((code) => Fresh.location(company, code)))
    yield* Effect.flatMap(ProductStore, (products) => products.put(company, [Fresh.product(company, "item", sold)], 1))
    yield* Effect.flatMap(MarketplaceStore, (store) => Effect.forEach(marketplaces, store.put))
  })

const integration: Integration = {
  kind: "integration",
  id: "seller",
  integrationId: "seller",
  companyId: company,
  locations: null,
  stockPolicy: "set"
}

export interface Stock {
  readonly sku: string
  readonly quantity: number
  readonly location?: string
}

export const setStock = (records: ReadonlyArray<Stock>) =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.Inventory
    const summary = yield* inventory.setStock(
      { principal: integration, requestId: null },
      records.map(({ location = "BLR1", quantity, sku }) => Result.succeed({ sku, location, quantity, expected: null }))
    )
    deepStrictEqual(summary.failures, [])
  })

/**
 * Deletes SKUs with their stock, as a delete of products does; `left` stay.
 */
export const deleteSkus = (deleted: ReadonlyArray<string>, left: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [stock, products] = [yield* SkuStock, yield* ProductStore]
    const { run } = yield* CompanyWrite.CompanyWrite
    const save = ({ at, changeNumber }: CompanyWrite.Mark) =>
      Effect.gen(function* () {
        yield* stock.remove(company, deleted, { changeNumber: yield* CompanyWrite.knownNumber(changeNumber), at })
        yield* products.put(company, [Fresh.product(company, "item", left)], 2)
        return { logs: null, events: [] }
      })
    const entity = { type: "product", id: "item", action: "delete" }
    yield* run(
      { principal: integration, requestId: null },
      {
        load: Effect.void,
        lockFirst: () => [company],
        decide: () => Effect.succeed({ answer: undefined, changes: [{ companyId: company, entity, save }] })
      }
    )
  })

/**
 * Drops the whole audit trail, as its retention does with old records.
 */
export const forgetTrail = Effect.gen(function* () {
  const [log, transaction] = [yield* AuditStore, yield* Transaction.Transaction]
  yield* transaction.run(Effect.flatMap(log.lock([company]), (heads) => Effect.forEach(heads, log.drop)))
})

/**
 * The sellable quantities at the mapped locations, by SKU and the marketplace's code.
 */
export const sellable = (sold: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    const keys = mapped.flatMap(({ location }) => sold.map((sku) => ({ sku, location })))
    const found = yield* levels.load(company, keys)
    return new Map(
      found.flatMap((level) => {
        assertTrue(typeof level === "object")
        const code = mapped.find(({ location }) => location === level.location)?.code
        return level.changeNumber > 0 ? [[`${level.sku} ${code}`, Level.sellable(level)] as const] : []
      })
    )
  })

/**
 * Lets sockets and timers have their turn.
 */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Looks until it is true, and fails after a deadline.
 */
export const eventually = <E, R>(what: string, look: Effect.Effect<boolean, E, R>) =>
  look.pipe(
    Effect.tap(() => turn),
    Effect.repeat({ until: (done) => done }),
    Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.fail(new Error(`never: ${what}`)) })
  )

/**
 * Finishes when the marketplace has accepted everything that was pending.
 */
export const notified = (slug: string) =>
  eventually(
    `${slug} has been notified`,
    Effect.gen(function* () {
      const [notifications, store] = [yield* Notifications.Notifications, yield* NotificationStore]
      const find = store.find({ marketplace: slug, companyId: company })
      const before = yield* find
      const due = yield* notifications.due
      const after = yield* find
      const busy = after !== undefined && (after.outstanding !== null || after.lease !== null)
      // A due channel counts only if no host worked on it meanwhile.
      return before?.version === after?.version && !busy && !due.some((key) => key.marketplace === slug)
    })
  )
