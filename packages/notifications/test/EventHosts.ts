/**
 * Hosts for tests of webhooks of events: the real services on a storage, and one company whose stock makes the events.
 */
import { AuditStore, CompanyWrite, Events } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory, StockFeed } from "@crossdock/inventory"
import { BackgroundLoop, type CompanyId, Ids, Transaction } from "@crossdock/kernel"
import {
  type EndpointRegistration,
  EventDeliveries,
  EventEndpointStore,
  EventEndpoints,
  EventWebhookWorker,
  type WebhookSender
} from "@crossdock/notifications"
import { ShipmentFeed } from "@crossdock/shipments"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Hosts from "./Hosts.ts"
import { secret } from "./Receiver.ts"

const services = Layer.mergeAll(
  EventEndpoints.layer([...StockFeed.types, ...ShipmentFeed.types]),
  EventDeliveries.layer,
  Inventory.layer,
  BackgroundLoop.registry
).pipe(Layer.provideMerge(Layer.mergeAll(Events.layer, CompanyWrite.layer)))

const platform = Layer.mergeAll(DigestNode.layer, Ids.layer)

/** Everything except the worker, on a SQL database. */
export const ground = <E>(database: Layer.Layer<SqlClient.SqlClient, E>) =>
  services.pipe(
    Layer.provideMerge(StorageSql.layer),
    Layer.provideMerge(Layer.mergeAll(database, platform)),
    Layer.orDie
  )

/** The same in memory. */
export const groundInMemory = services.pipe(Layer.provideMerge(StorageMemory.layer), Layer.provideMerge(platform))

/** The worker; a wake alone makes it look, unless `poll` says otherwise. */
export const worker = (sends: Layer.Layer<WebhookSender> = Hosts.sender) =>
  Layer.provide(EventWebhookWorker.layer, sends)

export const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const

export const key = { companyId: Hosts.company, id: "erp" }

/** An endpoint at an address; what `more` doesn't say it receives from the first event on. */
export const registration = (
  url: string,
  more: Partial<EndpointRegistration.EndpointRegistration> = {}
): EndpointRegistration.EndpointRegistration => ({ ...key, url, secret, types: null, cursor: 0, ...more })

export const register = (url: string, more: Partial<EndpointRegistration.EndpointRegistration> = {}) =>
  Effect.flatMap(EventEndpoints.EventEndpoints, (endpoints) => endpoints.register(caller, registration(url, more)))

export const statusOf = (id = key.id, company: CompanyId = Hosts.company) =>
  Effect.flatMap(EventEndpoints.EventEndpoints, (endpoints) =>
    Effect.map(endpoints.list(company), (all) => all.find((one) => one.id === id))
  )

export const stored = Effect.flatMap(EventEndpointStore, (store) => store.find(key))

/** One event each. */
export const changeStock = (quantities: ReadonlyArray<number>) =>
  Effect.forEach(quantities, (quantity) => Hosts.setStock([{ sku: Hosts.skus[0] ?? "", quantity }]), { discard: true })

/** One change with an event for each size, which is that of a text in it. */
export const appendEvents = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const [log, transaction] = [yield* AuditStore, yield* Transaction.Transaction]
    const append = Effect.gen(function* () {
      const [head] = yield* log.lock([Hosts.company])
      const sequence = (head?.sequence ?? 0) + 1
      const named = { id: `id-${sequence}`, entityType: "test", entityId: "1", action: "set", body: "{}", hash: "h" }
      const drafts = sizes.map((size) => ({ type: "stock.changed", version: 1, data: { text: "é".repeat(size / 2) } }))
      const change = { companyId: Hosts.company, at: 1_790_000_000_000 }
      yield* log.append(
        [{ ...change, ...named, sequence, personal: null }],
        [{ ...change, change: sequence, first: (head?.events ?? 0) + 1, drafts }]
      )
    })
    yield* transaction.run(append)
  })

export interface SentEvent {
  readonly companyId: number
  readonly number: number
  readonly type: string
  readonly data: unknown
}

export const eventsOf = (one: { readonly body: string }): ReadonlyArray<SentEvent> => JSON.parse(one.body)

export const numbersOf = (one: { readonly body: string }): ReadonlyArray<number> =>
  eventsOf(one).map(({ number }) => number)

export const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i)
