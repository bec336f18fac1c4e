import { readFileSync } from "node:fs"
import { Directory, PasswordHash } from "@crossdock/access"
import { CompanyWrite, Events } from "@crossdock/audit"
import { DigestNode, SecretCipherNode } from "@crossdock/crypto"
import { Inventory, StockFeed } from "@crossdock/inventory"
import { BackgroundLoop, Ids } from "@crossdock/kernel"
import { MarketplaceStore, Marketplaces, type Registration } from "@crossdock/marketplaces"
import {
  EventDeliveries,
  EventEndpoint,
  EventEndpointStore,
  EventEndpoints,
  EventWebhookWorker,
  Notifications,
  WebhookSecrets,
  WebhookWorker
} from "@crossdock/notifications"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Webhook } from "standardwebhooks"
import { inject } from "vitest"
import { caller, changeStock, registration as endpointOf } from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import { accepting } from "./Received.ts"
import type * as Receiver from "./Receiver.ts"

const keyOf = (fill: number) => Redacted.make<Uint8Array>(new Uint8Array(32).fill(fill))
const [oldKey, newKey, otherKey] = [keyOf(1), keyOf(2), keyOf(3)]

const secretOf = (name: string) => `whsec_${Buffer.from(name.padEnd(32, "-")).toString("base64")}`

const services = Layer.mergeAll(
  Marketplaces.layer,
  EventEndpoints.layer(StockFeed.types),
  EventDeliveries.layer,
  WebhookSecrets.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Notifications.layer, Inventory.layer, BackgroundLoop.registry, Events.layer)),
  Layer.provideMerge(CompanyWrite.layer)
)

/** No account signs in here. */
const passwords = Layer.succeed(
  PasswordHash,
  PasswordHash.of({ hash: () => Effect.succeed("hash"), verify: () => Effect.succeed(false) })
)

type Keys = readonly [key: Redacted.Redacted<Uint8Array>, ...previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>]

/** The services of a host with these keys, or with none. */
const ground = (database: Layer.Layer<SqlClient.SqlClient>, keys: Keys | undefined) => {
  const [key, ...previous] = keys ?? []
  return services.pipe(
    Layer.provideMerge(StorageSql.layer),
    Layer.provideMerge(Layer.mergeAll(database, DigestNode.layer, Ids.layer, passwords)),
    Layer.provideMerge(key === undefined ? Layer.empty : SecretCipherNode.layer(key, previous)),
    Layer.orDie,
    Layer.fresh
  )
}

const workers = Layer.mergeAll(WebhookWorker.layer({ poll: "10 millis" }), EventWebhookWorker.layer).pipe(
  Layer.provide([Hosts.sender, Layer.succeed(Events.Poll, Duration.millis(10))])
)

const registrationOf = (slug: string, url: string): Registration.Registration => ({
  slug,
  name: slug,
  currency: "INR",
  password: "a long password",
  locations: Hosts.mapped,
  skus: null,
  buffers: [],
  webhook: { url, secret: secretOf(slug), authentication: { type: "bearer", token: `token of ${slug}` } }
})

const registerMarketplace = (slug: string, url: string) =>
  Effect.flatMap(Marketplaces.Marketplaces, ({ register }) => register(caller, registrationOf(slug, url)))

const registerEndpoint = (id: string, url: string) =>
  Effect.flatMap(EventEndpoints.EventEndpoints, ({ register }) =>
    register(caller, endpointOf(url, { id, secret: secretOf(id) }))
  )

const bodies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ body: string }>`
    SELECT body FROM crossdock_marketplaces UNION ALL SELECT body FROM crossdock_event_endpoints`
  return rows.map(({ body }) => body).join("\n")
})

const list = Effect.flatMap(WebhookSecrets.WebhookSecrets, (secrets) => secrets.list)
const encrypt = Effect.flatMap(WebhookSecrets.WebhookSecrets, (secrets) => secrets.encrypt)
const protections = Effect.map(list, (all) => Object.fromEntries(all.map((one) => [one.name, one.protection])))

const isSignedBy = (name: string, { body, headers }: Receiver.Received): boolean => {
  const texts = Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, String(value)]))
  try {
    new Webhook(secretOf(name)).verify(body, texts)
    return true
  } catch {
    return false
  }
}

const received = (receiver: { readonly all: ReadonlyArray<unknown> }, count = 1) =>
  Hosts.eventually(
    `${count} webhooks are received`,
    Effect.sync(() => receiver.all.length >= count)
  )

const progressOf = (slug: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* MarketplaceStore).find(slug)
    assertTrue(found !== undefined)
    const [progress] = yield* (yield* Notifications.Notifications).progress(found)
    assertTrue(progress !== undefined)
    return progress
  })

const endpointStatus = (id: string) =>
  Effect.flatMap(EventEndpoints.EventEndpoints, ({ list }) =>
    Effect.map(list(Hosts.company), (all) => all.find((one) => one.id === id))
  )

/** The failures of tries at the endpoint and at the marketplace, once each has one. */
const endpointFailure = (id: string) =>
  Effect.andThen(
    Hosts.eventually(
      `a try at ${id} failed`,
      Effect.map(endpointStatus(id), (one) => (one?.failures ?? 0) > 0)
    ),
    Effect.map(endpointStatus(id), (one) => one?.failure ?? "none")
  )

const marketplaceFailure = (slug: string) =>
  Effect.andThen(
    Hosts.eventually(
      `a try at ${slug} failed`,
      Effect.map(progressOf(slug), ({ failures }) => failures > 0)
    ),
    Effect.map(progressOf(slug), ({ failure }) => failure ?? "none")
  )

const sqlite = Effect.map(Hosts.databaseFile, (file) => Layer.orDie(BetterSqlite3.layer(file)))
const postgres = Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Layer.orDie(Postgres.layer(url)))

const silent = Logger.layer([])

for (const [storage, database] of [
  ["SQLite", sqlite],
  ["PostgreSQL", postgres]
] as const) {
  describe(`Encrypted webhook secrets on ${storage}`, () => {
    /** Runs `use` on a host with these keys, which sends when it has workers. */
    const host = <A, E, R>(
      layer: Layer.Layer<SqlClient.SqlClient>,
      keys: Keys | undefined,
      use: Effect.Effect<A, E, R>,
      sends = false
    ) => {
      const own = ground(layer, keys)
      const whole = sends ? Layer.provideMerge(workers, own) : own
      return Effect.provide(use, Layer.merge(whole as typeof own, silent))
    }

    it.live("are sent with, and no table has one of them in plain, nor a credential of a receiver", () =>
      Effect.gen(function* () {
        const [market, erp] = [yield* accepting, yield* accepting]
        yield* host(
          yield* database,
          [newKey],
          Effect.gen(function* () {
            yield* Hosts.fill([])
            yield* registerMarketplace("bazaar", market.webhook.url)
            yield* registerEndpoint("erp", erp.webhook.url)
            yield* changeStock([3])
            yield* received(market)
            yield* received(erp)
            assertTrue(isSignedBy("bazaar", market.all[0] as Receiver.Received))
            assertTrue(isSignedBy("erp", erp.all[0] as Receiver.Received))
            strictEqual(market.all[0]?.headers.authorization, "Bearer token of bazaar")
            const stored = yield* bodies
            for (const secret of ["whsec_", ...["bazaar", "erp"].map((name) => secretOf(name).slice(6)), "token of"]) {
              assertFalse(stored.includes(secret), secret)
            }
            assertTrue(stored.includes(`"encrypted":"v1.`))
            deepStrictEqual(yield* protections, {
              "marketplace bazaar": "current",
              "endpoint erp of company 1": "current"
            })
          }),
          true
        )
      })
    )

    it.live("of another row aren't decrypted: nothing is sent there, and the others go on", () =>
      Effect.gen(function* () {
        const [market, erp, shop] = [yield* accepting, yield* accepting, yield* accepting]
        const layer = yield* database
        yield* host(
          layer,
          [newKey],
          Effect.gen(function* () {
            yield* Hosts.fill([])
            yield* registerMarketplace("bazaar", market.webhook.url)
            yield* registerEndpoint("erp", erp.webhook.url)
            yield* registerEndpoint("shop", shop.webhook.url)
            const store = yield* EventEndpointStore
            const [one, other] = yield* Effect.forEach(["erp", "shop"], (id) =>
              store.find({ companyId: Hosts.company, id })
            )
            const bazaar = yield* (yield* MarketplaceStore).find("bazaar")
            assertTrue(one !== undefined && other !== undefined && bazaar?.webhook !== undefined)
            assertTrue(bazaar.webhook !== null && "encrypted" in bazaar.webhook && "encrypted" in other.webhook)
            yield* store.save({ ...one, webhook: { ...one.webhook, encrypted: other.webhook.encrypted } })
            strictEqual((yield* protections)["endpoint erp of company 1"], "unreadable")
            const again = yield* store.find(one)
            assertTrue(again !== undefined)
            yield* store.save({ ...again, webhook: { ...one.webhook, encrypted: bazaar.webhook.encrypted } })
          })
        )
        yield* host(
          layer,
          [newKey],
          Effect.gen(function* () {
            yield* changeStock([3])
            yield* received(market)
            yield* received(shop)
            strictEqual(
              yield* endpointFailure("erp"),
              "The stored secret is damaged, or was copied from another row: register the webhook again with a new secret"
            )
            strictEqual(erp.all.length, 0)
            // A new secret for it, and it goes on.
            yield* registerEndpoint("erp", erp.webhook.url)
            yield* received(erp)
            assertTrue(isSignedBy("erp", erp.all[0] as Receiver.Received))
          }),
          true
        )
      })
    )

    it.live("of a key that the host doesn't have are counted and named, and sent with once it has it", () =>
      Effect.gen(function* () {
        const [market, erp, readable] = [yield* accepting, yield* accepting, yield* accepting]
        const layer = yield* database
        const prepare = Effect.gen(function* () {
          yield* Hosts.fill([])
          yield* registerMarketplace("bazaar", market.webhook.url)
          yield* registerEndpoint("erp", erp.webhook.url)
          yield* changeStock([3])
        })
        yield* host(layer, [oldKey], prepare)
        const logged: Array<string> = []
        const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
        for (const keys of [[otherKey], undefined] as const) {
          yield* host(
            layer,
            keys,
            Effect.gen(function* () {
              yield* registerEndpoint("readable", readable.webhook.url)
              yield* received(readable)
              for (const failure of [yield* marketplaceFailure("bazaar"), yield* endpointFailure("erp")]) {
                assertTrue(
                  /^The stored secret is encrypted with key [0-9a-f]{12}, which this host doesn't have: set SECRETS_KEY /.test(
                    failure
                  ),
                  failure
                )
              }
              const { "endpoint readable of company 1": _, ...others } = yield* protections
              deepStrictEqual(others, {
                "marketplace bazaar": "unreadable",
                "endpoint erp of company 1": "unreadable"
              })
              yield* (yield* EventEndpoints.EventEndpoints).remove(caller, {
                companyId: Hosts.company,
                id: "readable"
              })
            }).pipe(Effect.provide(Logger.layer([logger]))),
            true
          )
        }
        deepStrictEqual([market.all.length, erp.all.length], [0, 0])
        assertFalse(/whsec_|token of/.test(logged.join("\n")), logged.join("\n"))
        yield* host(
          layer,
          [newKey, oldKey],
          Effect.gen(function* () {
            yield* (yield* Notifications.Notifications).wake(caller, "bazaar")
            yield* (yield* EventEndpoints.EventEndpoints).enable(caller, { companyId: Hosts.company, id: "erp" })
            yield* received(market)
            yield* received(erp)
          }),
          true
        )
        assertTrue(isSignedBy("bazaar", market.all[0] as Receiver.Received))
        assertTrue(isSignedBy("erp", erp.all[0] as Receiver.Received))
      })
    )

    it.live("that are unreadable stay when nothing secret changes, can be replaced, and can't be kept in part", () =>
      Effect.gen(function* () {
        const layer = yield* database
        yield* host(
          layer,
          [oldKey],
          Effect.gen(function* () {
            yield* Hosts.fill([])
            yield* registerMarketplace("bazaar", "https://bazaar.example/a")
            yield* registerEndpoint("erp", "https://erp.example/a")
          })
        )
        yield* host(
          layer,
          [newKey],
          Effect.gen(function* () {
            const { register } = yield* Marketplaces.Marketplaces
            const asked = registrationOf("bazaar", "https://bazaar.example/b")
            const webhook = { url: "https://bazaar.example/b", secret: null }
            for (const [path, more] of [
              ["/webhook/secret", { authentication: { type: "none" } }],
              ["/webhook/authentication", { secret: secretOf("new"), authentication: null }]
            ] as const) {
              const rejected = yield* Effect.flip(register(caller, { ...asked, webhook: { ...webhook, ...more } }))
              assertTrue(rejected._tag === "RegistrationRejected")
              const [violation] = rejected.violations
              assertTrue(violation !== undefined)
              strictEqual(violation.path, path)
              assertTrue(
                /^can't be kept, since it is encrypted with key .*: set SECRETS_KEY or .* to that key, or give a new secret/.test(
                  violation.message
                ),
                violation.message
              )
            }
            yield* register(caller, { ...asked, webhook: { ...webhook, authentication: null } })
            const endpoints = yield* EventEndpoints.EventEndpoints
            yield* endpoints.register(caller, endpointOf("https://erp.example/b", { secret: null }))
            const found = yield* (yield* MarketplaceStore).find("bazaar")
            strictEqual(found?.webhook?.url, "https://bazaar.example/b")
            strictEqual((yield* endpointStatus("erp"))?.url, "https://erp.example/b")
            strictEqual(new Set(Object.values(yield* protections)).size, 1)
            yield* register(caller, asked)
            yield* registerEndpoint("erp", "https://erp.example/b")
            deepStrictEqual([...new Set(Object.values(yield* protections))], ["current"])
          })
        )
      })
    )

    it.live(
      "are encrypted in batches with the present key, again and again, and what was in plain is nowhere left",
      () =>
        Effect.gen(function* () {
          const file = yield* Hosts.databaseFile
          const layer = storage === "SQLite" ? Layer.orDie(BetterSqlite3.layer(file)) : yield* database
          const count = 230
          const plain = Effect.gen(function* () {
            yield* Hosts.fill([])
            const directory = yield* Directory
            strictEqual((yield* directory.companies).length, 1)
            for (const slug of ["bazaar", "souk"]) yield* registerMarketplace(slug, `https://${slug}.example`)
            // More than a company may register, so that there are several batches.
            const store = yield* EventEndpointStore
            for (let at = 0; at < count; at++) {
              const [key, secret] = [{ companyId: Hosts.company, id: `e-${at}` }, secretOf(`e-${at}`)]
              const authentication = { type: "none" } as const
              const webhook = { url: "https://erp.example", secret, retiring: null, authentication }
              yield* store.save(EventEndpoint.fresh(key, { webhook, types: null, cursor: 0 }))
            }
            assertTrue((yield* bodies).includes("whsec_"))
          })
          yield* host(layer, undefined, plain)
          yield* host(
            layer,
            undefined,
            Effect.gen(function* () {
              deepStrictEqual(yield* encrypt, { encrypted: 0, unchanged: count + 2, unreadable: [] })
              deepStrictEqual([...new Set(Object.values(yield* protections))], ["plain"])
            })
          )
          const all = { encrypted: count + 2, unchanged: 0, unreadable: [] }
          const none = { encrypted: 0, unchanged: count + 2, unreadable: [] }
          for (const keys of [[oldKey], [newKey, oldKey], [newKey]] as const) {
            yield* host(
              layer,
              keys,
              Effect.gen(function* () {
                const isDone = keys.length === 1 && keys[0] === newKey
                strictEqual(
                  [...new Set(Object.values(yield* protections))].join(),
                  isDone ? "current" : keys.length === 1 ? "plain" : "previous"
                )
                deepStrictEqual(yield* encrypt, isDone ? none : all)
                deepStrictEqual(yield* encrypt, none)
                assertFalse((yield* bodies).includes("whsec_"))
                strictEqual((yield* list).length, count + 2)
              })
            )
          }
          if (storage === "SQLite") assertFalse(readFileSync(file, "latin1").includes("whsec_"))
          yield* host(
            layer,
            [otherKey],
            Effect.gen(function* () {
              const { encrypted, unchanged, unreadable } = yield* encrypt
              deepStrictEqual([encrypted, unchanged, unreadable.length], [0, 0, count + 2])
              deepStrictEqual(unreadable.slice(0, 3), [
                "marketplace bazaar",
                "marketplace souk",
                "endpoint e-0 of company 1"
              ])
            })
          )
          yield* host(
            layer,
            [newKey],
            Effect.map(encrypt, (result) => deepStrictEqual(result, none))
          )
        })
    )

    it.live(
      "are encrypted with another key while hosts send: no webhook fails, and each is signed with its own secret",
      () =>
        Effect.gen(function* () {
          const layer = yield* database
          const names = ["bazaar", "souk"]
          const ids = ["e-0", "e-1", "e-2"]
          const receivers = new Map<string, Effect.Success<typeof accepting>>()
          for (const name of [...names, ...ids]) receivers.set(name, yield* accepting)
          const urlOf = (name: string) => receivers.get(name)?.webhook.url ?? ""
          const prepare = Effect.gen(function* () {
            yield* Hosts.fill([])
            for (const name of names) yield* registerMarketplace(name, urlOf(name))
            for (const id of ids) yield* registerEndpoint(id, urlOf(id))
          })
          yield* host(layer, undefined, prepare)
          let isOver = false
          let changes = 0
          const selling = Effect.gen(function* () {
            while (!isOver) yield* changeStock([++changes])
          })
          const rotations = Effect.gen(function* () {
            for (let turn = 0; turn < 6 || changes < 20 || turn % 2 === 1; turn++) {
              const keys = turn % 2 === 0 ? ([oldKey, newKey] as const) : ([newKey, oldKey] as const)
              const { encrypted, unreadable } = yield* host(layer, keys, encrypt)
              deepStrictEqual([encrypted, unreadable], [names.length + ids.length, []])
            }
            isOver = true
          })
          yield* host(
            layer,
            [newKey, oldKey],
            Effect.gen(function* () {
              const seller = yield* Effect.forkChild(selling)
              yield* rotations
              yield* Fiber.join(seller)
              for (const id of ids) {
                const isThere = Effect.map(endpointStatus(id), (one) => one?.cursor === one?.lastEvent)
                yield* Hosts.eventually(`${id} is up to date`, isThere)
                strictEqual((yield* endpointStatus(id))?.failure, null)
              }
              for (const name of names) {
                yield* Hosts.notified(name)
                const { failure, notifications } = yield* progressOf(name)
                deepStrictEqual([failure, notifications], [null, receivers.get(name)?.all.length])
              }
              for (const [name, { all }] of receivers) {
                assertTrue(all.length > 0, name)
                deepStrictEqual(all.filter((one) => !isSignedBy(name, one)).length, 0)
              }
              deepStrictEqual([...new Set(Object.values(yield* protections))], ["current"])
            }),
            true
          )
        })
    )
  })
}
