import { SecretCipherNode } from "@crossdock/crypto"
import { SecretCipher } from "@crossdock/kernel"
import { MarketplaceStore, StoredWebhook } from "@crossdock/marketplaces"
import { EventEndpoint, EventEndpointStore, WebhookSecrets } from "@crossdock/notifications"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Redacted } from "effect"
import * as Hosts from "./Hosts.ts"
import { secret } from "./Receiver.ts"

const keyOf = (fill: number) => Redacted.make<Uint8Array>(new Uint8Array(32).fill(fill))
const [oldKey, newKey, otherKey] = [keyOf(1), keyOf(2), keyOf(3)]

const webhook = { url: "https://erp.example", secret, retiring: null, authentication: { type: "none" } } as const

/** A cipher with the new and the old key that notes every place that it decrypts for. */
const counting = () => {
  const cipher = SecretCipherNode.make(newKey, [oldKey])
  const places: Array<string> = []
  const decrypt: SecretCipher.Cipher["decrypt"] = (text, place) => {
    places.push(place)
    return cipher.decrypt(text, place)
  }
  return { places, cipher: { ...cipher, decrypt } }
}

describe("Stored webhook secrets", () => {
  it.effect("are decrypted once each when they are listed, and once when they are encrypted", () => {
    const { cipher, places } = counting()
    const store = Effect.gen(function* () {
      const put = (id: string, key: Redacted.Redacted<Uint8Array>) =>
        Effect.gen(function* () {
          const endpoint = { companyId: Hosts.company, id }
          const encryption = { cipher: SecretCipherNode.make(key), place: EventEndpoint.placeOf(endpoint) }
          const stored = StoredWebhook.renewed(encryption, webhook)
          yield* (yield* EventEndpointStore).save(
            EventEndpoint.fresh(endpoint, { webhook: stored, types: null, cursor: 0 })
          )
          return encryption.place
        })
      const bazaar = Hosts.marketplace("bazaar", webhook)
      const encryption = { cipher: SecretCipherNode.make(oldKey), place: StoredWebhook.placeOf("bazaar") }
      yield* (yield* MarketplaceStore).put({ ...bazaar, webhook: StoredWebhook.renewed(encryption, webhook) })
      return [
        encryption.place,
        yield* put("erp-current", newKey),
        yield* put("erp-lost", otherKey),
        yield* put("erp-previous", oldKey)
      ]
    })
    return Effect.gen(function* () {
      const stored = yield* store
      const secrets = yield* WebhookSecrets.WebhookSecrets
      const listed = yield* secrets.list
      deepStrictEqual(
        listed.map(({ protection }) => protection),
        ["previous", "current", "unreadable", "previous"]
      )
      deepStrictEqual(places.splice(0), stored)
      deepStrictEqual(yield* secrets.encrypt, {
        encrypted: 2,
        unchanged: 1,
        unreadable: ["endpoint erp-lost of company 1"]
      })
      deepStrictEqual(places, stored)
    }).pipe(
      Effect.provide(
        WebhookSecrets.layer.pipe(
          Layer.provideMerge(StorageMemory.layer),
          Layer.provide(Layer.succeed(SecretCipher.SecretCipher, cipher))
        )
      )
    )
  })
})
