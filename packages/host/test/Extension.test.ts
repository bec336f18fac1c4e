/**
 * What a host adds to the rules, by an option of `Host.make`: HTTP and calls in process answer alike, and no other host knows of
 * it.
 */
import { productInput } from "@crossdock/catalog/testing"
import { allOrThrow, Host, orThrow } from "@crossdock/host"
import { extendLifecycle, Lifecycle } from "@crossdock/shipments"
import { StorageMemory } from "@crossdock/storage-memory"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Layer, Logger, Result } from "effect"
import { expect } from "vitest"
import { acme, bazaar, options, seller, setupError, start } from "./Shop.ts"

const closed = {
  says: "the warehouse is closed",
  advice: "Wait until it opens.",
  code: "WAREHOUSE_CLOSED"
} as const

const lifecycle = extendLifecycle({
  statuses: { quality_hold: { orderStatus: "PROCESSING", stock: "none" } },
  transitions: {
    bag_invoiced: { assignCourier: { to: "quality_hold", guards: ["by-who-ships"] } },
    dp_assigned: { pack: null, status: { quality_hold: { who: "seller" } } },
    quality_hold: {
      pack: { to: "bag_packed" },
      cancel: { to: "cancelled_seller", guards: ["within-what-is-left"] },
      status: { dp_assigned: {}, cancelled_customer: { who: "marketplace" } }
    }
  }
})

const named = (logged: Array<string>) =>
  Logger.layer([Logger.make(({ message }) => void logged.push(String(Array.isArray(message) ? message[0] : message)))])

describe("Open shipments in a status that the lifecycle no longer has", () => {
  it("are named when a host starts, and reject every move", async () => {
    const database = new Database(":memory:")
    const storage = Layer.provide(StorageSql.layer, Sqlite.fromDatabase(database))
    const first = await start({ lifecycle, storage })
    const { orderId } = await first.ready("A")
    await first.host.dispose()
    const logged: Array<string> = []
    const later = await Host.make({ ...options, storage, lifecycle: extendLifecycle({}), observability: named(logged) })
    await expect
      .poll(() => logged)
      .toContain("Open shipments of company 1 are in quality_hold, which the lifecycle doesn't have")
    const { failures } = await orThrow(later.services.shipments.pack(seller, [{ orderId }]))
    deepStrictEqual(
      failures.map(({ code, details }) => [code, details?.current, details?.allowed]),
      [["CR400", "quality_hold", []]]
    )
    await later.dispose()
  })
})

const storages = {
  memory: StorageMemory.layer,
  SQLite: Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:"))
} as const

describe.each(Object.entries(storages))("A status that a host adds, in %s", (_, storage) => {
  it("is reached, read, filtered, shown in events and left over HTTP", async () => {
    const { host, place, ready, send } = await start({ lifecycle, storage })
    const { order, orderId, orderItems } = await ready("A")
    const move = async (path: string, record: object) => {
      const method = path === "status" ? "PUT" : "POST"
      const answer = await send(method, `/oms/v3/shipment/${path}`, [{ orderId, ...record }])
      return (answer.data ?? answer).errors.map(({ code, current, allowed }: Record<string, unknown>) => ({
        code,
        current,
        allowed
      }))
    }
    // The courier port assigned the courier, which leads to the added status here.
    const tracked = async () => (await send("POST", "/oms/v3/shipment/track", { shipment_id: orderId })).data
    const { current_status, events, operational_status } = await tracked()
    deepStrictEqual([operational_status, current_status], ["quality_hold", "PROCESSING"])
    deepStrictEqual(events.at(-1).status, "quality_hold")
    const listed = async (orderStatus: string) =>
      (await send("GET", `/oms/v3/shipment?orderStatus=${orderStatus}&locationCode=BLR1`)).length
    deepStrictEqual([await listed("PROCESSING"), await listed("CONFIRMED")], [1, 0])
    const viewed = await send("GET", `/order/api/v1/bazaar/order?platform_order_id=${order}`)
    assertTrue(JSON.stringify(viewed).includes('"quality_hold"'), JSON.stringify(viewed))
    deepStrictEqual(await move("confirm", { orderItems }), [
      { code: "O409", current: "quality_hold", allowed: ["cancel everything", "pack", "status dp_assigned"] }
    ])
    deepStrictEqual(await move("status", { orderStatus: "dp_assigned" }), [])
    deepStrictEqual(
      (await move("pack", {})).map((one: { code: string }) => one.code),
      ["CR400"]
    )
    deepStrictEqual(await move("status", { orderStatus: "quality_hold" }), [])
    deepStrictEqual(await move("pack", {}), [])
    deepStrictEqual((await tracked()).operational_status, "bag_packed")
    const read = await orThrow(host.services.events.read(acme, 0, 1000))
    const moved = read.flatMap(({ data, type }) => (type === "shipment.moved" ? [(data as { to: string }).to] : []))
    deepStrictEqual(moved.filter((to) => to === "quality_hold").length, 2)

    // The order's stock comes back when the shipment is cancelled in the added status.
    const stock = async () => {
      const [level] = await orThrow(host.services.inventory.listings(seller, ["T-S"], { number: 1, size: 1 }))
      return [level?.onHand, level?.reserved]
    }
    const before = await stock()
    const other = await ready("B")
    await allOrThrow(host.services.shipments.cancel(seller, [{ orderId: other.orderId, orderItems: other.orderItems }]))
    deepStrictEqual(await stock(), before)
    assertTrue((await place("C")).orderId !== "")
    await host.dispose()
  })
})

describe("Reasons of a host", () => {
  const reasons = [
    { on: "return", code: 130, reason: "expired", until: Date.now() + 1e9 },
    { on: "return", code: 131, reason: "retired", until: 1 },
    { on: "cancel", code: "OOS", reason: "out of stock" },
    { on: "cancel", code: "OOS", reason: "none left at Acme", companyId: acme }
  ] as const

  it("give their text to checks and cancellations, and to nothing before or after their time", async () => {
    const { host, place, ready } = await start({ reasons })
    const { orders, shipments } = host.services
    const back = await ready("A")
    const { orderId } = back
    const report = (status: string) => ({ order_id: orderId, isSelfShip: true, status }) as const
    await allOrThrow(shipments.pack(seller, [{ orderId }]))
    for (const status of ["bag_picked", "rto_in_transit", "rto_bag_delivered"])
      await allOrThrow(orders.reportStatus(bazaar, [report(status)]))
    const items = back.orderItems.map((item) => ({ ...item, quantity: 1 }))
    const check = (reasonCode: number) =>
      shipments.checkQuality(seller, [
        { orderId, badQc: true, orderItems: items.map((item) => ({ ...item, reasonCode })) }
      ])
    await allOrThrow(check(130))
    await allOrThrow(check(131))
    const other = await place("B")
    const cancelled = other.orderItems.map((item) => ({ ...item, reasonCode: "OOS" }))
    await allOrThrow(shipments.cancel(seller, [{ orderId: other.orderId, orderItems: cancelled }]))
    const read = await orThrow(shipments.read(seller, [orderId, other.orderId]))
    const byId = new Map(read.map(({ shipment }) => [shipment.id, shipment]))
    const [line] = byId.get(orderId)?.items ?? []
    deepStrictEqual([line?.qcReasons, line?.unmappedReasons], [[{ code: 130, reason: "expired" }], ["131"]])
    strictEqual(byId.get(other.orderId)?.events.at(-1)?.remark, "none left at Acme")
    await host.dispose()
  })

  it("that can't work are named", async () => {
    const wrong = [
      { on: "return", code: "x", reason: "" },
      { on: "return", code: 113, reason: "ours" }
    ]
    strictEqual(
      await setupError({ reasons: wrong }),
      'lifecycle, guards or reasons: The reason "x" of returns needs a whole number as its code; The reason x needs a text; The reason 113 of returns is ours'
    )
  })
})

describe("Options of other types", () => {
  const reason = { on: "cancel", code: "OOS", reason: "out of stock" }
  const lifecycle = "lifecycle must be extendLifecycle({ … })"
  const list = (name: string) => `lifecycle, guards or reasons: ${name} must be a list of objects`
  const numbering = /^numbering must be an object with invoice/
  it.each<readonly [object, string | RegExp]>([
    [{ guards: [null] }, list("guards")],
    [{ reasons: [null] }, list("reasons")],
    [{ guards: [{ ...closed, on: 5, isMet: () => true }] }, /The guard WAREHOUSE_CLOSED needs on, the move or moves/],
    [{ guards: [{ ...closed, on: "pack", facts: 5, isMet: () => true }] }, /WAREHOUSE_CLOSED must be a function$/],
    [{ reasons: [{ ...reason, code: undefined }] }, /The reason undefined of cancellations needs a text or a number/],
    [{ reasons: [{ ...reason, reason: "a\u0000b" }] }, /The reason OOS needs a text$/],
    [{ reasons: [{ ...reason, from: "2026-01-01" }] }, /from and until of the reason OOS must be numbers$/],
    [{ lifecycle: Result.succeed({}) }, lifecycle],
    [{ lifecycle: Result.succeed(null) }, lifecycle],
    [{ lifecycle: Result.fail("no") }, lifecycle],
    [{ numbering: { invoice: () => Promise.reject(new Error("down")).catch(() => "1") } }, numbering],
    [{ numbering: { invoice: () => JSON.parse("") } }, numbering],
    [{ numbering: { invoice: (year: number, nth: number) => year * 1e7 + nth } }, numbering],
    [{ numbering: { invoice: (year: number, nth: number) => `${year}\u0000${nth}` } }, numbering],
    [{ prices: { espMayExceedMrp: "no" } }, /^prices must be an object/]
  ])("keep the host from starting with a sentence: %o", async (given, said) => {
    const message = String(await setupError(given))
    assertTrue(typeof said === "string" ? message === said : said.test(message), message)
  })
})

describe("Misspelt names of options and of their members", () => {
  const guard = { ...closed, on: "confirm", isMet: () => true }
  const wrong = "lifecycle, guards or reasons: "
  it.each<readonly [object, string]>([
    [{ gaurds: [guard] }, "Host.make has gaurds: did you mean guards?"],
    [{ hooks: [{ on: "place", befor: () => undefined }] }, "hooks has befor: did you mean before?"],
    [
      { salesTax: { taxNames: () => ["VAT"], placeOfSuply: () => null } },
      "salesTax has placeOfSuply: did you mean placeOfSupply?"
    ],
    [{ numbering: { order: String } }, "numbering has order: use invoice, papers"],
    [
      { guards: [{ ...guard, fatcs: async () => 1 }] },
      `${wrong}The guard WAREHOUSE_CLOSED has fatcs: did you mean facts?`
    ],
    [
      { reasons: [{ on: "cancel", code: "OOS", reason: "out", untill: 1 }] },
      `${wrong}The reason OOS has untill: did you mean until?`
    ],
    [
      { lifecycle: extendLifecycle({ stauses: {} } as object) },
      `${wrong}extendLifecycle has stauses: did you mean statuses?`
    ],
    [
      {
        lifecycle: extendLifecycle({
          transitions: { placed: { confirm: { to: "bag_confirmed", guard: [] } as never } }
        })
      },
      `${wrong}confirm of placed has guard: did you mean guards?`
    ]
  ])("keep the host from starting, with the nearest right name: %o", async (given, said) => {
    strictEqual(await setupError(given), said)
  })
})

/** Every option: the compiler requires each. */
const everyOption: { readonly [K in keyof Required<Host.Options>]: true } = {
  storage: true,
  runtime: true,
  payments: true,
  couriers: true,
  secrets: true,
  policies: true,
  lifecycle: true,
  guards: true,
  reasons: true,
  productRules: true,
  charges: true,
  fields: true,
  documents: true,
  salesTax: true,
  prices: true,
  ids: true,
  numbering: true,
  hooks: true,
  publicUrl: true,
  interfaces: true,
  tokenSecret: true,
  previousTokenSecret: true,
  signIn: true,
  sandbox: true,
  queryCredentials: true,
  lenientQuery: true,
  allowances: true,
  docsUrl: true,
  auditKeys: true,
  admin: true,
  console: true,
  prefix: true,
  addressOf: true,
  workers: true,
  privateWebhooks: true,
  observability: true
}

describe("The names of options", () => {
  it("are known, all of them", async () => {
    const absent = Object.fromEntries(Object.keys(everyOption).map((name) => [name, undefined]))
    strictEqual(
      await setupError({ ...absent, storage: undefined }),
      "storage must be a layer such as StorageSql.layer on a database"
    )
  })
})

describe("A rule of products", () => {
  it("rejects products with all violations at once, where they are, over HTTP, in process and on import", async () => {
    const productRules: Host.Options["productRules"] = [
      ({ attributes, itemCode }) =>
        attributes.care === undefined && itemCode !== "T"
          ? [{ code: "CARE_MISSING", path: "/attributes/care", message: "must say how to wash it" }]
          : [],
      ({ name }) => (name.length > 3 ? [] : [{ code: "NAME_TOO_SHORT", path: "/name", message: "is too short" }])
    ]
    const { host, send } = await start({ productRules })
    const care = { ...productInput("M").attributes, care: "30°" }
    const products = [productInput("N"), productInput("M", { name: "M", attributes: care })]
    const own = [
      { index: 0, code: "CARE_MISSING", path: "/products/0/attributes/care" },
      { index: 1, code: "NAME_TOO_SHORT", path: "/products/1/name" }
    ]
    const shown = (failures: ReadonlyArray<{ index: number; code: string; path?: string }>) =>
      failures.map(({ code, index, path }) => ({ index, code, path }))
    const written = await orThrow(host.services.productWrites.create(seller, { template: "apparel", products }))
    deepStrictEqual(shown(written.failures), own)
    const both = [productInput("N", { name: "N" })]
    const { failures } = await orThrow(
      host.services.productWrites.create(seller, { template: "apparel", products: both })
    )
    const codes = JSON.stringify(failures[0]?.details).match(/CARE_MISSING|NAME_TOO_SHORT/g)
    deepStrictEqual(codes, ["CARE_MISSING", "NAME_TOO_SHORT"])
    const { code, trace_id } = await send("POST", "/v3/catalog/product", { template: "apparel", products })
    strictEqual(code, undefined)
    const status = await send("GET", `/v3/catalog/status?trace_id=${trace_id}`)
    assertTrue(JSON.stringify(status).includes('"CARE_MISSING"'), JSON.stringify(status))
    const imported = await host.services.productImport.products(host.system("import"), acme, [
      { template: "apparel", products: both }
    ])
    strictEqual(imported.ok, false)
    strictEqual(
      await setupError({ productRules: [1] }),
      "productRules must be a list of functions from a product to its violations"
    )
    await host.dispose()
  })
})

describe("A guard of a host", () => {
  it("rejects over HTTP and in process with its own code, reason and advice", async () => {
    const { host, place, send } = await start({ guards: [{ ...closed, on: "confirm", isMet: () => false }] })
    const placed = await place("A")
    const [failure] = (await orThrow(host.services.shipments.confirm(seller, [placed]))).failures
    const { errors, status } = await send("POST", "/oms/v3/shipment/confirm", [placed])
    const message = `Can't confirm shipment ${placed.orderId} (placed): the warehouse is closed. Wait until it opens.`
    const shown = { index: 0, code: "WAREHOUSE_CLOSED", message, path: "/0/orderId" }
    const details = { current: "placed", allowed: ["cancel a part", "cancel everything"] }
    deepStrictEqual({ ...failure }, { ...shown, details })
    deepStrictEqual([status, errors], ["FAILED", [{ ...shown, ...details, orderId: placed.orderId }]])
    await host.dispose()
  })

  it("loads its facts once for all records of a request, as a promise or an effect", async () => {
    const asked: Array<ReadonlyArray<string>> = []
    const guards = [
      Lifecycle.guard({
        ...closed,
        on: "confirm",
        facts: async (shipments) => {
          asked.push(shipments.map(({ id }) => id).sort())
          return new Set([shipments[0]?.id])
        },
        isMet: ({ id }, { facts }) => !facts.has(id)
      }),
      Lifecycle.guard({ ...closed, on: "cancel", facts: () => Effect.succeed(3), isMet: (_, { facts }) => facts === 3 })
    ]
    const { host, place } = await start({ guards })
    const placed = [await place("A"), await place("B"), await place("C")]
    const { failures } = await orThrow(host.services.shipments.confirm(seller, placed))
    deepStrictEqual(asked, [placed.map(({ orderId }) => orderId).sort()])
    deepStrictEqual(
      failures.map(({ code }) => code),
      ["WAREHOUSE_CLOSED"]
    )
    await allOrThrow(host.services.shipments.cancel(seller, [placed[failures[0]?.index ?? 0] as (typeof placed)[0]]))
    await host.dispose()
  })

  it("has the facts of the return that a status reported of its sale is for", async () => {
    const guards = [
      Lifecycle.guard({
        ...closed,
        on: "status return_bag_in_transit",
        facts: async (shipments) => new Set(shipments.map(({ id }) => id)),
        isMet: ({ id }, { facts }) => facts.has(id)
      })
    ]
    const { host, ready } = await start({ guards })
    const { orderId } = await ready("A")
    const { orders, shipments } = host.services
    await allOrThrow(shipments.pack(seller, [{ orderId }]))
    for (const status of ["bag_picked", "delivery_done", "return_initiated", "return_bag_in_transit"])
      await allOrThrow(orders.reportStatus(bazaar, [{ order_id: orderId, isSelfShip: true, status }]))
    await host.dispose()
  })

  it("whose facts fail changes nothing", async () => {
    const facts = () => Promise.reject(new Error("down"))
    const { host, place } = await start({ guards: [{ ...closed, on: "confirm", facts, isMet: () => true }] })
    const placed = await place("A")
    const outcome = await host.services.shipments.confirm(seller, [placed]).then(
      () => "confirmed",
      ({ message }: Error) => message
    )
    const [found] = await orThrow(host.services.shipments.read(seller, [placed.orderId]))
    deepStrictEqual([outcome, found?.shipment.status], ["down", "placed"])
    await host.dispose()
  })

  it("is unknown to another host in the process", async () => {
    const [one, other] = await Promise.all([
      start({ guards: [{ ...closed, on: "confirm", isMet: () => false }] }),
      start()
    ])
    const outcomes = await Promise.all(
      [one, other].map(async ({ host, place }) => {
        const { succeeded } = await orThrow(host.services.shipments.confirm(seller, [await place("A")]))
        await host.dispose()
        return succeeded
      })
    )
    deepStrictEqual(outcomes, [0, 1])
  })

  it("that can't work keeps the host from starting, and a sentence says why", async () => {
    const wrong = await setupError({ guards: [{ ...closed, on: "despatch", code: "closed", isMet: () => true }] })
    assertTrue(
      String(wrong).startsWith("lifecycle, guards or reasons: The code of the guard closed must be"),
      String(wrong)
    )
    assertTrue(String(wrong).endsWith("The guard closed is on despatch, which is no move of a caller"), String(wrong))
    strictEqual(await setupError({ guards: {} }), "guards must be a list such as [{ on, isMet, says, advice, code }]")
    strictEqual(await setupError({ lifecycle: {} }), "lifecycle must be extendLifecycle({ … })")
    const faulty = await setupError({ lifecycle: extendLifecycle({ transitions: { nowhere: {} } }) })
    strictEqual(faulty, "lifecycle, guards or reasons: transitions has nowhere, which is no status")
    assertTrue(Result.isSuccess(extendLifecycle({})))
  })
})

describe("The OpenAPI documents of a host", () => {
  it("list the statuses of its lifecycle", async () => {
    const { host, send } = await start({ lifecycle, admin: true })
    const { host: plain, send: ask } = await start({ admin: true })
    const statuses = async (get: typeof send) => {
      const { components } = await get("GET", "/openapi/seller.json")
      return components.schemas.StatusRecord.properties.orderStatus.enum
    }
    deepStrictEqual(await statuses(send), [...(await statuses(ask)), "quality_hold"])
    await host.dispose()
    await plain.dispose()
  })
})
