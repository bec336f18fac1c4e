import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Access, Directory, type MarketplaceCaller } from "@crossdock/access"
import { AuditStore, CompanyWrite, Events } from "@crossdock/audit"
import { ProductStore } from "@crossdock/catalog"
import { DigestNode, PasswordHashScrypt, TokenCodecJose } from "@crossdock/crypto"
import { Inventory, Level, StockLevels } from "@crossdock/inventory"
import { BackgroundLoop, CompanyId, Ids } from "@crossdock/kernel"
import { MarketplaceStore, Marketplaces, type Registration } from "@crossdock/marketplaces"
import { NotificationStore, Notifications, WebhookWorker } from "@crossdock/notifications"
import { ReceiverKit, Signature, WebhookSenderNode } from "@crossdock/notifications/node"
import { type OrderDraft, Orders } from "@crossdock/orders"
import { Couriers } from "@crossdock/shipments"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer, Logger, Redacted, References, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Hosts from "./Hosts.ts"

const [kaveri, nila] = [CompanyId.make(1), CompanyId.make(2)]
const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(32)).toString("base64")}`

const mapping = (companyId: CompanyId, location: string, code = `M-${location}`) => ({ companyId, location, code })

const wanted = (more: Partial<Registration.Registration> = {}): Registration.Registration => ({
  slug: "mandi",
  name: "Mandi",
  currency: "INR",
  password: "first-password",
  locations: [mapping(kaveri, "BLR1"), mapping(nila, "DEL1")],
  skus: null,
  buffers: [],
  webhook: null,
  ...more
})

const to = (url: string, more: Partial<NonNullable<Registration.Registration["webhook"]>> = {}) => ({
  url,
  secret: secretOf("a"),
  authentication: { type: "none" } as const,
  ...more
})

const services = Layer.mergeAll(Marketplaces.layer, Orders.layer, Access.layer({ sandbox: false })).pipe(
  Layer.provideMerge(Layer.mergeAll(Notifications.layer, Inventory.layer, Couriers.layer, Events.layer)),
  Layer.provideMerge(CompanyWrite.layer)
)

const adapters = Layer.mergeAll(
  PasswordHashScrypt.layer({ logN: 4, blockSize: 8, parallel: 1 }),
  TokenCodecJose.layer(Redacted.make("a secret of more than thirty-two bytes")),
  DigestNode.layer,
  Ids.layer
)

const sqlite = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-registration-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (folder) => StorageSql.layer.pipe(Layer.provideMerge(BetterSqlite3.layer(join(folder, "test.db"))))
  )
)

const storages = { memory: StorageMemory.layer, SQLite: sqlite } as const

const worker = WebhookWorker.layer({ poll: "20 millis" }).pipe(
  Layer.provide(Layer.merge(WebhookSenderNode.layer({ allowPrivate: true }), BackgroundLoop.registry))
)

/** Two sellers with mapped locations and one that is not mapped, three SKUs, and stock. */
const fill = Effect.gen(function* () {
  const directory = yield* Directory
  const products = yield* ProductStore
  yield* directory.putCompanies([kaveri, nila].map(Fresh.company))
  yield* directory.putLocations([
    ...["BLR1", "BOM1"].map((code) => Fresh.location(kaveri, code)),
    Fresh.location(nila, "DEL1")
  ])
  for (const company of [kaveri, nila]) {
    yield* products.put(company, [Fresh.product(company, "item", ["A", "B", "C"])], 1)
  }
  yield* setStock(kaveri, "BLR1", { A: 10, B: 20, C: 30 })
  yield* setStock(kaveri, "BOM1", { A: 100, B: 200, C: 300 })
  yield* setStock(nila, "DEL1", { A: 7 })
})

const setStock = (companyId: CompanyId, location: string, stock: Readonly<Record<string, number>>) =>
  Effect.gen(function* () {
    const integration = { kind: "integration", id: "seller", integrationId: "seller", companyId } as const
    const summary = yield* (yield* Inventory.Inventory).setStock(
      { principal: { ...integration, locations: null, stockPolicy: "set" }, requestId: null },
      Object.entries(stock).map(([sku, quantity]) => Result.succeed({ sku, location, quantity, expected: null }))
    )
    deepStrictEqual(summary.failures, [])
  })

const register = (registration: Registration.Registration) =>
  Effect.flatMap(Marketplaces.Marketplaces, (marketplaces) => marketplaces.register(caller, registration))

const signIn = (password: string) =>
  Effect.flatMap(Access.Access, (access) =>
    access.signIn({ kind: "marketplace", username: "mandi", password, peer: "127.0.0.1" })
  )

const address = {
  name: "A Customer",
  phone: "1",
  email: null,
  address1: "1 Road",
  address2: null,
  landmark: null,
  city: "Pune",
  state: "Maharashtra",
  pincode: "411001",
  country: "India"
}

const mandi: MarketplaceCaller = { kind: "marketplace", id: "mandi" }

const order = (location: string, sku = "A") =>
  Effect.flatMap(Orders.Orders, (orders) => {
    const draft: OrderDraft = {
      externalOrderId: `${location} ${sku}`,
      currency: "INR",
      orderDate: null,
      payment: { mode: "PREPAID", methods: [] },
      customer: null,
      billingAddress: address,
      shippingAddress: address,
      coupon: null,
      charges: [],
      gstin: null,
      totalAmount: null,
      shipments: [
        {
          externalShipmentId: "S1",
          location,
          fulfillment: "SELLER",
          selfShip: true,
          packAfter: null,
          packBy: null,
          dispatchBy: null,
          deliverBy: null,
          lines: [
            {
              externalLineId: null,
              sku,
              quantity: 1,
              mrp: null,
              esp: 10,
              discount: 0,
              couponDiscount: 0,
              deliveryCharge: 0,
              tax: null
            }
          ]
        }
      ],
      meta: null
    }
    return orders.place({ principal: mandi, requestId: null }, draft)
  }).pipe(
    Effect.as("taken"),
    Effect.catchTag("OrderRejected", ({ code }) => Effect.succeed(code))
  )

/** A marketplace's receiver; `events` are in the order of arrival. */
const receiver = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly stock: Map<string, ReceiverKit.StockEvent>
    readonly events: Array<string>
    readonly close: () => void
  }>((resume) => {
    const stock = new Map<string, ReceiverKit.StockEvent>()
    const events: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8")
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        const received = ReceiverKit.receive(
          { headers: request.headers, body },
          {
            secrets: [secretOf("a")],
            now: Date.now(),
            sequenceOf: ({ location_id, sku }) => stock.get(`${sku} ${location_id}`)?.sequence,
            numberOf: () => undefined
          }
        )
        if (Result.isSuccess(received)) {
          for (const event of received.success.events) {
            stock.set(`${event.sku} ${event.location_id}`, event)
            events.push(`${event.sku} ${event.location_id} ${event.quantity}`)
          }
        }
        response.writeHead(Result.isSuccess(received) ? 204 : received.failure.status).end()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/stock`, stock, events, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Waits until nothing is pending for the marketplace. */
const allDelivered = Effect.gen(function* () {
  const notifications = yield* Notifications.Notifications
  const store = yield* NotificationStore
  const before = yield* store.channels
  const due = yield* notifications.due
  const after = yield* store.channels
  const idle = after.every(({ lease, outstanding }) => lease === null && outstanding === null)
  // An empty list of due channels counts only if nobody worked on a channel meanwhile.
  const still = JSON.stringify(before) === JSON.stringify(after)
  return idle && still && due.length === 0
}).pipe(
  Effect.tap(() => turn),
  Effect.repeat({ until: (done) => done }),
  Effect.timeoutOrElse({
    duration: "10 seconds",
    orElse: () => Effect.fail(new Error("some notifications were not delivered"))
  })
)

const receivedBy = ({ events }: Effect.Success<typeof receiver>) =>
  Effect.map(allDelivered, () => events.splice(0).toSorted())

for (const [name, storage] of Object.entries(storages)) {
  const world = services.pipe(Layer.provideMerge(Layer.merge(storage, adapters)), Layer.orDie)
  const inWorld = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof world>>) =>
    Effect.provide(Effect.andThen(fill, test), world)
  const inRunningWorld = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof world>>) =>
    Effect.provide(Effect.andThen(fill, test), Layer.provideMerge(worker, world))

  describe(`A registration on ${name}`, () => {
    it.effect("lets the marketplace sign in and order from its mapped locations only", () =>
      inWorld(
        Effect.gen(function* () {
          strictEqual(
            yield* Effect.flip(signIn("first-password")).pipe(Effect.map(({ _tag }) => _tag)),
            "CredentialsInvalid"
          )
          yield* register(wanted({ skus: ["A", "B"] }))
          const { principal, token } = yield* signIn("first-password")
          deepStrictEqual(principal, mandi)
          const access = yield* Access.Access
          deepStrictEqual(yield* access.authenticate("marketplace", token), mandi)
          deepStrictEqual(
            yield* Effect.all([order("M-BLR1"), order("M-DEL1"), order("BLR1"), order("M-BOM1"), order("M-BLR1", "C")]),
            ["taken", "taken", "UNKNOWN_LOCATION", "UNKNOWN_LOCATION", "UNKNOWN_SKU"]
          )
          const levels = yield* (yield* StockLevels).load(kaveri, [{ sku: "A", location: "BLR1" }])
          deepStrictEqual(
            levels.map((level) => (typeof level === "string" ? level : Level.sellable(level))),
            [9]
          )
        })
      )
    )

    it.effect("that is made again changes what it says and nothing else", () =>
      inWorld(
        Effect.gen(function* () {
          const marketplaces = yield* Marketplaces.Marketplaces
          const directory = yield* Directory
          const store = yield* MarketplaceStore
          const authentications = [
            { type: "basic", username: "user", password: "of-the-receiver" },
            { type: "bearer", token: "of-the-receiver" },
            { type: "header", name: "X-Key", value: "of-the-receiver" }
          ] as const
          for (const authentication of authentications) {
            for (const isEnabled of [true, false]) {
              yield* register(wanted({ webhook: to("https://mandi.example/stock", { authentication }) }))
              yield* marketplaces.setEnabled(caller, "mandi", isEnabled)
              const before = yield* directory.account("marketplace", "mandi")
              const unsaid = {
                password: null,
                webhook: { url: "https://mandi.example/2", secret: null, authentication: null }
              }
              yield* register(wanted({ ...unsaid, name: "Mandi 2" }))
              deepStrictEqual(yield* directory.account("marketplace", "mandi"), before)
              // A new password is no reason to enable it.
              yield* register(wanted({ ...unsaid, password: "second-password" }))
              strictEqual((yield* directory.account("marketplace", "mandi"))?.enabled, isEnabled)
              const kept = Hosts.inPlain((yield* store.find("mandi"))?.webhook)
              deepStrictEqual([kept.secret, kept.authentication], [secretOf("a"), authentication])
            }
          }
        })
      )
    )

    it.effect("that several amend at once has the change of each", () =>
      inWorld(
        Effect.gen(function* () {
          yield* register(wanted({ skus: [] }))
          const { amend } = yield* Marketplaces.Marketplaces
          const skus = ["A", "B", "C"]
          yield* Effect.forEach(
            skus,
            (sku) => amend(caller, "mandi", (present) => ({ ...present, skus: [...(present.skus ?? []), sku] })),
            { concurrency: "unbounded" }
          )
          const registered = yield* (yield* MarketplaceStore).find("mandi")
          deepStrictEqual(registered?.skus?.toSorted(), skus)
          assertTrue((yield* signIn("first-password")).token !== "")
        })
      )
    )

    it.effect("of no company has who changed its account in the log", () =>
      inWorld(
        Effect.gen(function* () {
          const lines: Array<unknown> = []
          const log = Logger.make(({ fiber, message }) =>
            lines.push([message, fiber.getRef(References.CurrentLogAnnotations)])
          )
          yield* register(wanted({ locations: [] }))
          const { setPassword } = yield* Marketplaces.Marketplaces
          yield* Effect.provide(setPassword(caller, "mandi", "another-password"), Logger.layer([log]))
          deepStrictEqual(lines, [
            [
              ["The account of a marketplace that sells for no company was changed"],
              { marketplace: "mandi", action: "set_password", by: "test" }
            ]
          ])
        })
      )
    )

    it.effect("that nobody made can't be amended", () =>
      inWorld(
        Effect.gen(function* () {
          const { amend } = yield* Marketplaces.Marketplaces
          const error = yield* Effect.flip(amend(caller, "nowhere", (present) => present))
          strictEqual(error._tag, "UnknownMarketplace")
        })
      )
    )

    it.effect("that changes the secret keeps the old one valid beside the new one for exactly a day", () =>
      inWorld(
        Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          yield* register(wanted({ webhook: to("https://mandi.example/stock") }))
          yield* TestClock.adjust("1 hour")
          const webhook = to("https://mandi.example/stock", { secret: secretOf("b") })
          yield* register(wanted({ password: null, webhook }))
          // A change to another field does not end the old one sooner.
          yield* register(wanted({ password: null, name: "Mandi 2", webhook: { ...webhook, secret: null } }))
          const verifiedBy = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const kept = Hosts.inPlain((yield* (yield* MarketplaceStore).find("mandi"))?.webhook)
            const headers = {
              "webhook-id": "msg_1",
              "webhook-timestamp": String(Math.floor(now / 1000)),
              "webhook-signature": Signature.header(kept, "msg_1", "[]", now)
            }
            return ["a", "b"].filter((one) => Signature.matches(secretOf(one), headers, "[]", Math.floor(now / 1000)))
          })
          deepStrictEqual(yield* verifiedBy, ["a", "b"])
          yield* TestClock.adjust(86_399_999)
          deepStrictEqual(yield* verifiedBy, ["a", "b"])
          yield* TestClock.adjust(1)
          deepStrictEqual(yield* verifiedBy, ["b"])
        })
      )
    )

    it.effect("that changes the password ends earlier tokens within 5 seconds; no other change does", () =>
      inWorld(
        Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const access = yield* Access.Access
          const works = (token: string) => Effect.isSuccess(access.authenticate("marketplace", token))
          yield* register(wanted())
          const { token } = yield* signIn("first-password")
          assertTrue(yield* works(token))
          yield* register(wanted({ password: null, name: "Mandi 2" }))
          yield* TestClock.adjust("5 seconds")
          assertTrue(yield* works(token))
          yield* register(wanted({ password: "second-password" }))
          yield* TestClock.adjust("5 seconds")
          assertTrue(!(yield* works(token)))
          assertTrue(yield* Effect.isFailure(signIn("first-password")))
          assertTrue(yield* works((yield* signIn("second-password")).token))
        })
      )
    )

    it.live("resends only the stock that a change to it shows differently", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* receiver, yield* receiver]
        yield* inRunningWorld(
          Effect.gen(function* () {
            const change = (more: Partial<Registration.Registration>) => register(wanted({ password: null, ...more }))
            const webhook = to(first.url)
            yield* register(wanted({ webhook }))
            const all = ["A M-BLR1 10", "A M-DEL1 7", "B M-BLR1 20", "C M-BLR1 30"]
            deepStrictEqual(yield* receivedBy(first), all)

            yield* change({ webhook, name: "Mandi 2" })
            deepStrictEqual(yield* receivedBy(first), [], "a new name changes no stock")

            const locations = [mapping(kaveri, "BLR1"), mapping(kaveri, "BOM1"), mapping(nila, "DEL1")]
            yield* change({ webhook, locations })
            deepStrictEqual(
              yield* receivedBy(first),
              ["A M-BLR1 10", "A M-BOM1 100", "B M-BLR1 20", "B M-BOM1 200", "C M-BLR1 30", "C M-BOM1 300"],
              "only the company with another location"
            )

            const buffers = [{ companyId: null, location: null, sku: "A", quantity: 8 }]
            yield* change({ webhook, locations, buffers })
            const buffered = yield* receivedBy(first)
            deepStrictEqual(
              buffered.filter((one) => one.startsWith("A")),
              ["A M-BLR1 2", "A M-BOM1 92", "A M-DEL1 0"]
            )

            yield* change({ webhook, locations, buffers, skus: ["A"] })
            deepStrictEqual(yield* receivedBy(first), ["A M-BLR1 2", "A M-BOM1 92", "A M-DEL1 0"])

            yield* change({ webhook: to(second.url), locations, buffers, skus: ["A"] })
            deepStrictEqual(yield* receivedBy(second), ["A M-BLR1 2", "A M-BOM1 92", "A M-DEL1 0"])
            deepStrictEqual(first.events, [], "nothing goes to the old address")

            // Resent events are newer than earlier ones, so that a receiver accepts them.
            yield* setStock(kaveri, "BLR1", { A: 11 })
            deepStrictEqual(yield* receivedBy(second), ["A M-BLR1 3"])
          })
        )
      })
    )

    it.effect("takes no order for a closed company, within 5 seconds, until it is reopened", () =>
      inWorld(
        Effect.gen(function* () {
          const directory = yield* Directory
          const { amend } = yield* Marketplaces.Marketplaces
          yield* register(wanted())
          const becomes = (closed: number | null) =>
            Effect.andThen(
              Effect.andThen(
                directory.setClosed(kaveri, closed),
                amend(caller, "mandi", (present) => present)
              ),
              TestClock.adjust("5 seconds")
            )
          strictEqual(yield* order("M-BLR1"), "taken")
          yield* becomes(1)
          deepStrictEqual(yield* Effect.all([order("M-BLR1", "B"), order("M-DEL1")]), ["UNKNOWN_LOCATION", "taken"])
          const reported = yield* Effect.flatMap(Events.Events, ({ read }) => read(kaveri, 0, 100))
          deepStrictEqual(
            reported.flatMap(({ data, type }) =>
              type === "marketplace.registered" ? [(data as { locations: unknown }).locations] : []
            ),
            [["BLR1"], []]
          )
          yield* register(wanted({ password: null, name: "Mandi 2" }))
          yield* TestClock.adjust("5 seconds")
          strictEqual(yield* order("M-BLR1", "B"), "UNKNOWN_LOCATION")
          yield* becomes(null)
          strictEqual(yield* order("M-BLR1", "B"), "taken")
          strictEqual((yield* (yield* MarketplaceStore).find("mandi"))?.closedCompanies, undefined)
        })
      )
    )

    it.live("shows no stock of a closed company until it is reopened", () =>
      Effect.gen(function* () {
        const receiving = yield* receiver
        yield* inRunningWorld(
          Effect.gen(function* () {
            const directory = yield* Directory
            const { amend } = yield* Marketplaces.Marketplaces
            yield* register(wanted({ webhook: to(receiving.url) }))
            yield* receivedBy(receiving)

            yield* directory.setClosed(kaveri, 1)
            yield* amend(caller, "mandi", (present) => present)
            deepStrictEqual(yield* receivedBy(receiving), ["A M-BLR1 0", "B M-BLR1 0", "C M-BLR1 0"])

            // Neither another registration nor another stock brings it back.
            const locations = [...wanted().locations, mapping(kaveri, "BOM1")]
            yield* register(wanted({ password: null, locations, webhook: to(receiving.url) }))
            yield* setStock(kaveri, "BLR1", { A: 11 })
            deepStrictEqual(
              (yield* receivedBy(receiving)).filter((one) => !one.endsWith(" 0")),
              []
            )

            yield* directory.setClosed(kaveri, null)
            yield* amend(caller, "mandi", (present) => present)
            deepStrictEqual(yield* receivedBy(receiving), [
              "A M-BLR1 11",
              "A M-BOM1 100",
              "B M-BLR1 20",
              "B M-BOM1 200",
              "C M-BLR1 30",
              "C M-BOM1 300"
            ])
          })
        )
      })
    )

    it.effect(
      "with no locations, or with all of them removed, is accepted: the marketplace can sign in but order nothing",
      () =>
        inWorld(
          Effect.gen(function* () {
            yield* register(wanted({ locations: [] }))
            yield* signIn("first-password")
            strictEqual(yield* order("M-BLR1"), "UNKNOWN_LOCATION")
            yield* register(wanted({ slug: "souk" }))
            yield* register(wanted({ slug: "souk", locations: [] }))
            deepStrictEqual((yield* (yield* MarketplaceStore).find("souk"))?.locations, [])
          })
        )
    )

    it.effect("that is rejected changes nothing", () =>
      inWorld(
        Effect.gen(function* () {
          const [directory, store] = [yield* Directory, yield* MarketplaceStore]
          const log = yield* AuditStore
          const state = Effect.all([
            store.all,
            directory.account("marketplace", "mandi"),
            log.read(kaveri, 0, 100),
            log.read(nila, 0, 100)
          ])
          const faulty: ReadonlyArray<readonly [Partial<Registration.Registration>, ReadonlyArray<string>]> = [
            [{ locations: [mapping(kaveri, "NONE")] }, ["/locations/0/location"]],
            [{ locations: [mapping(CompanyId.make(99), "BLR1")] }, ["/locations/0/location"]],
            [{ currency: "USD" }, ["/locations/0/location", "/locations/1/location"]],
            [{ password: "short" }, ["/password"]],
            [{ webhook: to("ftp://mandi.example", { secret: "whsec_short" }) }, ["/webhook/url", "/webhook/secret"]]
          ]
          const none = yield* state
          for (const [fault, places] of [...faulty, [{ password: null }, ["/password"]] as const]) {
            const rejected = yield* Effect.flip(register(wanted(fault)))
            assertTrue(rejected._tag === "RegistrationRejected")
            deepStrictEqual(
              rejected.violations.map(({ path }) => path),
              places
            )
          }
          deepStrictEqual(yield* state, none)
          yield* register(wanted({ webhook: to("https://mandi.example/stock") }))
          const before = yield* state
          for (const [fault] of faulty) yield* Effect.flip(register(wanted(fault)))
          deepStrictEqual(yield* state, before)
          assertTrue(yield* Effect.isSuccess(signIn("first-password")))
        })
      )
    )

    it.effect("leaves an audit record at each company it concerns, without secrets or data of other companies", () =>
      inWorld(
        Effect.gen(function* () {
          const log = yield* AuditStore
          const authentication = { type: "header", name: "x-key", value: "header-secret" } as const
          yield* register(wanted({ webhook: to("https://mandi.example/key-in-path", { authentication }) }))
          // The second company's location is removed, so the change concerns that company too.
          yield* register(
            wanted({
              password: "second-password",
              locations: [mapping(kaveri, "BLR1")],
              webhook: to("https://mandi.example/key-in-path", { secret: secretOf("b"), authentication })
            })
          )
          const records = yield* Effect.forEach([kaveri, nila], (company) =>
            Effect.map(log.read(company, 0, 100), (all) => all.filter(({ entityType }) => entityType === "marketplace"))
          )
          deepStrictEqual(
            records.map((all) => all.map(({ action, entityId }) => `${action} ${entityId}`)),
            [
              ["register mandi", "register mandi"],
              ["register mandi", "register mandi"]
            ]
          )
          const [ofKaveri = "", ofNila = ""] = records.map((all) => all.map(({ body }) => body).join("\n"))
          assertTrue(ofKaveri.includes("M-BLR1") && !ofKaveri.includes("DEL1"))
          assertTrue(ofNila.includes("M-DEL1") && !ofNila.includes("BLR1"))
          const kept = (yield* (yield* Directory).account("marketplace", "mandi"))?.passwordHash ?? "no account"
          const secrets = ["first-password", "second-password", "header-secret", "key-in-path", kept]
          for (const secret of [...secrets, ...["a", "b"].map((one) => secretOf(one).slice(6))]) {
            assertTrue(!ofKaveri.includes(secret) && !ofNila.includes(secret), `${secret} in the audit trail`)
          }
        })
      )
    )
  })
}
