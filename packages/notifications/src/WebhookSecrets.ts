/** Use cases that list and encrypt the secrets of webhooks. See docs/reference/host.md#encrypted-secrets. */
import { SecretCipher, type Stored, Transaction } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, StoredWebhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type EndpointKey, type EventEndpoint, EventEndpointStore, placeOf } from "./EventEndpoint.ts"

/** A webhook with a name for operators. `fault` is the reason why its secrets can't be decrypted, or null. */
export interface ProtectedWebhook {
  readonly name: string
  readonly protection: StoredWebhook.Protection
  readonly fault: SecretCipher.UnreadableSecret | null
}

/** How many webhooks were encrypted now, how many were encrypted already, and the names of those that no key decrypts. */
export interface Encrypted {
  readonly encrypted: number
  readonly unchanged: number
  readonly unreadable: ReadonlyArray<string>
}

/** Lists and encrypts the secrets of webhooks. */
export class WebhookSecrets extends Context.Service<
  WebhookSecrets,
  {
    /** Every stored webhook: those of marketplaces by slug, and then those of endpoints by company and id. */
    readonly list: Stored<ReadonlyArray<ProtectedWebhook>>
    /** Encrypts the secrets that the current key hasn't encrypted, and purges old forms. Repeat the call after a failure. */
    readonly encrypt: Stored<Encrypted>
  }
>()("@crossdock/notifications/WebhookSecrets") {}

const batchSize = 100

interface Row {
  readonly name: string
  readonly place: string
  readonly stored: StoredWebhook.StoredWebhook
}

const ofMarketplace = ({ slug, webhook }: Marketplace): ReadonlyArray<Row> =>
  webhook === null ? [] : [{ name: `marketplace ${slug}`, place: StoredWebhook.placeOf(slug), stored: webhook }]

const ofEndpoint = (endpoint: EventEndpoint): ReadonlyArray<Row> => {
  const { companyId, id, webhook } = endpoint
  return [{ name: `endpoint ${id} of company ${companyId}`, place: placeOf(endpoint), stored: webhook }]
}

interface Batch<A> extends Encrypted {
  readonly changed: ReadonlyArray<A>
}

const sum = (one: Encrypted, other: Encrypted): Encrypted => ({
  encrypted: one.encrypted + other.encrypted,
  unchanged: one.unchanged + other.unchanged,
  unreadable: [...one.unreadable, ...other.unreadable]
})

export const make = Effect.gen(function* () {
  const marketplaces = yield* MarketplaceStore
  const endpoints = yield* EventEndpointStore
  const inTransaction = Transaction.retrying(yield* Transaction.Transaction)
  const cipher = yield* SecretCipher.SecretCipher

  const examined = ({ name, place, stored }: Row) => {
    const encryption = { cipher, place }
    const read = StoredWebhook.decrypted(encryption, stored)
    return { name, stored, encryption, read, protection: StoredWebhook.protectionOf(encryption, stored, read) }
  }

  const protectedOf = (row: Row): ProtectedWebhook => {
    const { name, protection, read } = examined(row)
    return { name, protection, fault: Result.isFailure(read) ? read.failure : null }
  }

  const batchOf = <A extends { readonly webhook: StoredWebhook.StoredWebhook | null }>(
    all: ReadonlyArray<A>,
    rowsOf: (one: A) => ReadonlyArray<Row>
  ): Batch<A> => {
    const judged = all.flatMap((one) =>
      rowsOf(one).map((row) => {
        const { encryption, name, protection, read, stored } = examined(row)
        const webhook = StoredWebhook.renewed(encryption, stored, read)
        return { next: { ...one, webhook }, isChanged: webhook !== stored, name, protection }
      })
    )
    const changed = judged.filter(({ isChanged }) => isChanged).map(({ next }) => next)
    const unreadable = judged.filter(({ protection }) => protection === "unreadable").map(({ name }) => name)
    const unchanged = judged.length - changed.length - unreadable.length
    return { changed, encrypted: changed.length, unchanged, unreadable }
  }

  const encryptMarketplaces = inTransaction(
    Effect.gen(function* () {
      yield* marketplaces.lock
      const batch = batchOf(yield* marketplaces.all, ofMarketplace)
      if (batch.changed.length > 0) yield* marketplaces.putAll(batch.changed)
      return batch
    })
  )

  const encryptEndpoints = (after: EndpointKey | null): Stored<Encrypted> =>
    Effect.gen(function* () {
      const { batch, last } = yield* inTransaction(
        Effect.gen(function* () {
          const read = yield* endpoints.lockAfter(after, batchSize)
          const batch = batchOf(read, ofEndpoint)
          if (batch.changed.length > 0) yield* endpoints.saveAll(batch.changed)
          return { batch, last: read.length < batchSize ? undefined : read.at(-1) }
        })
      )
      return last === undefined ? batch : sum(batch, yield* encryptEndpoints(last))
    })

  const listEndpoints = (after: EndpointKey | null): Stored<ReadonlyArray<ProtectedWebhook>> =>
    Effect.gen(function* () {
      const read = yield* endpoints.after(after, batchSize)
      const last = read.length < batchSize ? undefined : read.at(-1)
      const listed = read.flatMap(ofEndpoint).map(protectedOf)
      return last === undefined ? listed : [...listed, ...(yield* listEndpoints(last))]
    })

  const list = Effect.gen(function* () {
    const ofMarketplaces = (yield* marketplaces.all).flatMap(ofMarketplace)
    return [...ofMarketplaces.map(protectedOf), ...(yield* listEndpoints(null))]
  }).pipe(Effect.withSpan("WebhookSecrets.list"))

  const encrypt = Effect.gen(function* () {
    const { encrypted, unchanged, unreadable } = sum(yield* encryptMarketplaces, yield* encryptEndpoints(null))
    // Purge even if nothing was encrypted, since an earlier purge may have failed.
    yield* marketplaces.purge
    yield* endpoints.purge
    return { encrypted, unchanged, unreadable }
  }).pipe(Effect.withSpan("WebhookSecrets.encrypt"))

  return WebhookSecrets.of({ list, encrypt })
})

export const layer = Layer.effect(WebhookSecrets, make)
