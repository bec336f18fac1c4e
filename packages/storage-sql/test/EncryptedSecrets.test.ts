import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { SecretCipherNode } from "@crossdock/crypto"
import { CompanyId, SecretCipher } from "@crossdock/kernel"
import { MarketplaceStore, StoredWebhook } from "@crossdock/marketplaces"
import { EventEndpoint, EventEndpointStore, WebhookSecrets } from "@crossdock/notifications"
import { endpoint } from "@crossdock/notifications/testing"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Redacted, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, temporaryFolder } from "./Databases.ts"
import { fill, fixtures } from "./OldDatabases.ts"

const cipher = SecretCipherNode.make(Redacted.make(new Uint8Array(32).fill(1)))

/** Every secret, and credential of a receiver, that a database of an earlier release has in plain. */
const secretsOf = (stored: ReadonlyArray<StoredWebhook.StoredWebhook>) =>
  stored.flatMap((webhook) => ("encrypted" in webhook ? [] : [webhook.secret]))

const storedWebhooks = Effect.gen(function* () {
  const [marketplaces, endpoints] = [yield* MarketplaceStore, yield* EventEndpointStore]
  const ofMarketplaces = (yield* marketplaces.all).flatMap(({ slug, webhook }) =>
    webhook === null ? [] : [{ place: StoredWebhook.placeOf(slug), webhook }]
  )
  const ofEndpoints = (yield* endpoints.after(null, 100)).map((one) => ({
    place: EventEndpoint.placeOf(one),
    webhook: one.webhook
  }))
  return [...ofMarketplaces, ...ofEndpoints]
})

const services = WebhookSecrets.layer.pipe(
  Layer.provideMerge(StorageSql.layer),
  Layer.provideMerge(Layer.succeed(SecretCipher.SecretCipher, cipher))
)

/** All bytes of the files of a folder. */
const bytesOf = (folder: string) =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("")

const sqlite = Effect.map(temporaryFolder, (folder) => ({
  database: BetterSqlite3.layer(join(folder, "test.db")),
  files: Effect.sync(() => bytesOf(folder))
}))

const server = Effect.succeed({
  database: postgres({ isEmpty: true }),
  files: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CHECKPOINT`
    const [found] = yield* sql<{ folder: string; oid: string }>`
      SELECT current_setting('data_directory') AS folder, oid::text AS oid FROM pg_database
      WHERE datname = current_database()`
    return bytesOf(join(found?.folder ?? "", "base", found?.oid ?? ""))
  })
})

for (const fixture of fixtures) {
  describe(`The secrets of a database that was filled at migration ${fixture.version}`, () => {
    for (const [name, storage] of [
      ["SQLite", sqlite],
      ["PostgreSQL", server]
    ] as const) {
      it.live(`on ${name} are read as they were, encrypted by one call, and then in no file of the database`, () =>
        Effect.gen(function* () {
          const { database, files } = yield* storage
          yield* Effect.gen(function* () {
            yield* fill(fixture)
            const client = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
            yield* Effect.gen(function* () {
              const companyId = CompanyId.make(1)
              yield* Effect.flatMap(EventEndpointStore, ({ save }) => save(endpoint({ companyId })))
              const { encrypt, list } = yield* WebhookSecrets.WebhookSecrets
              const before = yield* storedWebhooks
              const secrets = secretsOf(before.map(({ webhook }) => webhook))
              assertTrue(secrets.length >= 2)
              deepStrictEqual([...new Set((yield* list).map(({ protection }) => protection))], ["plain"])
              const plain = yield* files
              for (const secret of secrets) assertTrue(plain.includes(secret), secret)
              deepStrictEqual(yield* encrypt, { encrypted: before.length, unchanged: 0, unreadable: [] })
              const after = yield* storedWebhooks
              deepStrictEqual(
                after.map(({ place, webhook }) =>
                  Result.getOrThrow(StoredWebhook.decrypted({ cipher, place }, webhook))
                ),
                before.map(({ webhook }) => webhook)
              )
              const left = yield* files
              assertTrue(left.includes("encrypted"))
              for (const secret of secrets) strictEqual(left.includes(secret), false, secret)
            }).pipe(Effect.provide(Layer.provide(services, client)))
          }).pipe(Effect.provide(Layer.fresh(database)))
        })
      )
    }
  })
}
