/**
 * What a program calls in place of a request: it is judged as the request would be.
 */
import type { Caller } from "@crossdock/access"
import { productInput } from "@crossdock/catalog/testing"
import { allOrThrow, type Host, type Outcome, orThrow } from "@crossdock/host"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Layer, Stream } from "effect"
import * as FastCheck from "fast-check"
import { afterAll, beforeAll } from "vitest"
import { runs } from "../../kernel/test/runs.ts"
import * as Shop from "./Shop.ts"
import { acme, bazaar, orderOf, seller } from "./Shop.ts"

const password = "correct horse battery"

const start = async (more: Partial<Host.Options> = {}) => {
  const { host } = await Shop.start(more)
  await allOrThrow(host.services.inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity: 1_000_000 }]))
  return host
}

type Answer = Outcome<unknown, unknown>

/** The code of a call's failure, or those of the rejected records. */
const codesOf = (outcome: Answer): unknown => {
  if (!outcome.ok) return (outcome.error as { readonly code: string }).code
  const { failures = [] } = outcome.value as { readonly failures?: ReadonlyArray<{ code: string; index: number }> }
  return failures.map(({ code, index }) => [index, code])
}

const errorsIn = (body: Record<string, unknown>): unknown => {
  const { errors } = (body.data ?? body) as { readonly errors?: ReadonlyArray<{ code: string; index: number }> }
  return Object.values(errors ?? []).map(({ code, index }) => [index, code])
}

interface Door {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly call: (host: Host.Host, sent: never) => Promise<Answer>
  readonly valid: (shipment: string) => unknown
}

const items = [{ orderItemId: "x", quantity: 2 }]
const move = "/oms/v3/shipment"
const doors: ReadonlyArray<Door> = [
  {
    name: "inventory.setStock",
    method: "PUT",
    path: "/ims/v3/inventory",
    call: ({ services }, sent) => services.inventory.setStock(seller, sent),
    valid: () => [{ sku: "T-S", location_id: "BLR1", quantity: 1_000_000 }]
  },
  {
    name: "prices.setPrices",
    method: "PUT",
    path: "/ims/v3/price",
    call: ({ services }, sent) => services.prices.setPrices(seller, sent),
    valid: () => [{ sku: "T-S", location_id: "BLR1", mrp: 999, esp: 799.5, currency: "INR" }]
  },
  ...(
    [
      ["confirm", "POST", "confirm", (orderId: string) => [{ orderId, orderItems: items }]],
      ["cancel", "POST", "cancel", (orderId: string) => [{ orderId, orderItems: items }]],
      ["invoice", "POST", "invoiceUpdate", (orderId: string) => [{ orderId, invoiceNumber: "1", invoiceType: "sale" }]],
      ["pack", "POST", "pack", (orderId: string) => [{ orderId }]],
      ["dispatch", "POST", "dispatch", (orderId: string) => [{ orderId }]],
      [
        "assignAwb",
        "PUT",
        "awb",
        (orderId: string) => [{ orderId, awbNumber: "A", courierName: "Swift", autoDispatch: false }]
      ],
      ["reportStatus", "PUT", "status", (orderId: string) => [{ orderId, orderStatus: "delivery_done" }]],
      ["checkQuality", "POST", "return", (orderId: string) => [{ orderId, badQc: true }]]
    ] as const
  ).map(
    ([name, method, path, valid]): Door => ({
      name: `shipments.${name}`,
      method,
      path: `${move}/${path}`,
      call: ({ services }, sent) => services.shipments[name](seller, sent),
      valid
    })
  ),
  ...(
    [
      // It exists: a product is created once.
      ["create", "POST", () => ({ template: "apparel", products: [productInput("T")] })],
      ["update", "PUT", () => ({ template: "apparel", products: [{ ...productInput("T"), name: "Another" }] })],
      ["delete", "DELETE", () => ({ products: [{ item_code: "NONE" }] })]
    ] as const
  ).map(
    ([name, method, valid]): Door => ({
      name: `productWrites.${name}`,
      method,
      path: "/v3/catalog/product",
      call: ({ services }, sent) => services.productWrites[name](seller, sent),
      valid
    })
  ),
  {
    name: "orders.place",
    method: "POST",
    path: "/order/api/v1/bazaar/create",
    call: ({ services }, sent) => services.orders.place(bazaar, sent),
    valid: () => orderOf("LAW-1")
  },
  {
    name: "orders.assignAwb",
    method: "PUT",
    path: "/order/api/v1/bazaar/awb",
    call: ({ services }, sent) => services.orders.assignAwb(bazaar, sent),
    valid: (orderId) => [{ orderId, awbNumber: "A", courierName: "Swift", autoDispatch: false, isSelfShip: true }]
  },
  {
    name: "orders.reportStatus",
    method: "PUT",
    path: "/order/api/v1/bazaar/status",
    call: ({ services }, sent) => services.orders.reportStatus(bazaar, sent),
    valid: (order_id) => [{ order_id, isSelfShip: true, status: "delivery_done" }]
  }
]

const wrong = [null, "", "3", 3, 1.5, -1, 0, 1e21, true, [], {}, "T-S", "\u0000", "x".repeat(300), { a: 1 }]

/** Every place of a value, as the keys that lead to it. */
const placesOf = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? [[]]
    : [[], ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner).map((place) => [key, ...place]))]

const replaced = (value: unknown, [key, ...place]: ReadonlyArray<string>, by: unknown): unknown => {
  if (key === undefined || typeof value !== "object" || value === null) return by
  const inner = replaced((value as Record<string, unknown>)[key], place, by)
  return Array.isArray(value) ? value.map((one, at) => (String(at) === key ? inner : one)) : { ...value, [key]: inner }
}

describe("A call of a host's services", () => {
  let host: Host.Host
  let shipment: string
  beforeAll(async () => {
    host = await start()
    const { shipments } = await orThrow(host.services.orders.place(bazaar, orderOf("FIRST")))
    shipment = shipments[0]?.shipmentId ?? ""
  })
  afterAll(() => host.dispose())

  const overHttp = async ({ method, path }: Door, sent: unknown) => {
    const headers = { "content-type": "application/json" }
    const body = sent === undefined ? null : JSON.stringify(sent)
    const answer = await host.handler(new Request(`https://shop.example${path}`, { method, headers, body }))
    const read = await answer.json()
    return answer.status === 200 ? errorsIn(read) : read.code
  }

  it.each(doors)("$name answers any value as HTTP does", (door) => {
    const valid = door.valid(shipment)
    const spoiled = FastCheck.tuple(FastCheck.constantFrom(...placesOf(valid)), FastCheck.constantFrom(...wrong)).map(
      ([place, by]) => replaced(valid, place, by)
    )
    const twice = (sent: unknown) => (Array.isArray(sent) ? [...sent, ...sent] : sent)
    const anything = FastCheck.oneof(FastCheck.constant(valid), spoiled, spoiled.map(twice))
    return FastCheck.assert(
      FastCheck.asyncProperty(anything, async (sent) => {
        const before = await overHttp(door, sent)
        // An order is placed once, and its repeat is answered again.
        deepStrictEqual(codesOf(await door.call(host, sent as never)), before, JSON.stringify(sent))
      }),
      { numRuns: runs(60) }
    )
  })

  it.each(doors)("$name rejects a body above the limit of HTTP", async (door) => {
    const limit = door.path === "/v3/catalog/product" ? 5 : 1
    const body = { padding: "x".repeat(limit * 1024 * 1024) }
    deepStrictEqual(codesOf(await door.call(host, body as never)), "BODY_TOO_LARGE")
  })

  it.each(doors)("$name rejects what JSON can't carry", async (door) => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const sent of [cycle, 1n]) deepStrictEqual(codesOf(await door.call(host, [sent] as never)), "MALFORMED_JSON")
    strictEqual((await door.call(host, Number.NaN as never)).ok, false)
    strictEqual((await door.call(host, (() => 1) as never)).ok, false)
  })

  it("is rejected for a caller of another kind", async () => {
    const { inventory, orders, productWrites } = host.services
    const other = (caller: Caller) => caller as never
    deepStrictEqual(codesOf(await inventory.setStock(other(bazaar), [])), "FORBIDDEN")
    deepStrictEqual(codesOf(await inventory.setStock(undefined as never, [])), "FORBIDDEN")
    const ofLocation = { ...seller, principal: { ...seller.principal, locations: ["BLR1"] } }
    deepStrictEqual(codesOf(await productWrites.create(ofLocation, { products: [] })), "EMPTY_REQUEST")
    const one = { template: "apparel", products: [productInput("N")] }
    deepStrictEqual(codesOf(await productWrites.create(ofLocation, one)), "FORBIDDEN")
    deepStrictEqual(codesOf(await orders.place(other(seller), orderOf("OTHER"))), "FORBIDDEN")
    deepStrictEqual(codesOf(await orders.place(other(host.system("job")), orderOf("OTHER"))), "FORBIDDEN")
  })

  it("moves a shipment with plain records, and uses an invoice number and an AWB once", async () => {
    const { inventory, orders, shipments } = host.services
    // The law above may have left fewer.
    await allOrThrow(inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity: 100 }]))
    const placed = await Promise.all(["A", "B"].map((id) => orThrow(orders.place(bazaar, orderOf(`MOVED-${id}`)))))
    const ids = placed.map(({ shipments: [one] }) => one?.shipmentId ?? "")
    const read = await orThrow(shipments.read(seller, ids))
    const confirmed = read.map(({ shipment: { id, items } }) => ({
      orderId: id,
      orderItems: items.map((item) => ({ orderItemId: item.id, quantity: item.ordered }))
    }))
    await allOrThrow(shipments.confirm(seller, confirmed))
    const invoices = ids.map((orderId) => ({ orderId, invoiceNumber: "INV-1", invoiceType: "sale" as const }))
    deepStrictEqual(codesOf(await shipments.invoice(seller, invoices)), [[1, "IN422"]])
    const rejected = await allOrThrow(shipments.invoice(seller, invoices.slice(1))).then(
      () => "applied",
      ({ code, message }: Error & { readonly code: string }) => `${code} ${message}`
    )
    assertTrue(rejected.startsWith("IN422 Invoice number INV-1 is already used"), rejected)
  })

  it("is an error with a code and a message when it is thrown", async () => {
    const thrown = await orThrow(
      host.services.orders.place(bazaar, { ...orderOf("X"), payment: undefined as never })
    ).catch((error: unknown) => error)
    assertTrue(thrown instanceof Error)
    deepStrictEqual(
      [Reflect.get(thrown, "code"), thrown.message],
      ["VALIDATION_FAILED", "/payment: Is required: { mode }."]
    )
  })
})

describe("A host that was disposed of", () => {
  it("rejects every call, and ends its consumers and loops", async () => {
    const host = await start()
    const { services } = host
    const seen: Array<string> = []
    const first = Promise.withResolvers<void>()
    const looped = (async () => {
      for await (const { type } of services.events.after(acme, 0)) {
        seen.push(type)
        first.resolve()
      }
    })()
    services.events.consume({ group: "g", handler: async () => {} })
    await first.promise
    await host.dispose()
    await looped
    assertTrue(seen.length > 0)
    const calls: ReadonlyArray<() => unknown> = [
      () => services.orders.place(bazaar, orderOf("LATE")),
      () => services.inventory.setStock(seller, []),
      () => services.events.read(acme, 0, 1),
      () => services.events.consume({ group: "late", handler: async () => {} }),
      () => host.handler(new Request("https://shop.example/health/live")),
      () => host.transaction(async () => 1),
      () => host.once(),
      () => host.runWorkers(),
      () => host.callerOf(new Request("https://shop.example/", { headers: { "x-access-token": "x" } })),
      () => Effect.runPromise(Stream.runCollect(services.auditTrail.jsonLines(acme)))
    ]
    for (const call of calls) {
      const reason = await Promise.resolve()
        .then(call)
        .then(
          () => "answered",
          ({ message }: Error) => message
        )
      strictEqual(reason, "The host was disposed of. Make another one for further calls.", String(call))
    }
    const late = services.events.after(acme, 0)[Symbol.asyncIterator]()
    strictEqual(
      await late.next().then(
        ({ done }) => done,
        () => true
      ),
      true
    )
  })
})

describe("Disposing of a host", () => {
  it("waits for a transaction that is under way, which commits as a whole", async () => {
    const database = new Database(":memory:")
    database.exec("CREATE TABLE notes (text TEXT)")
    const host = await start({ storage: Layer.orDie(Layer.provide(StorageSql.layer, Sqlite.fromDatabase(database))) })
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const note = database.prepare("INSERT INTO notes VALUES (?)")
    const running = host.transaction(async ({ services }) => {
      note.run("first")
      begun.resolve()
      await goOn.promise
      note.run("second")
      await allOrThrow(services.inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity: 7 }]))
    })
    await begun.promise
    const disposing = host.dispose()
    goOn.resolve()
    await Promise.all([running, disposing])
    deepStrictEqual(database.prepare("SELECT text FROM notes").pluck().all(), ["first", "second"])
    strictEqual(database.prepare("SELECT on_hand FROM crossdock_levels").pluck().get(), 7)
    database.close()
  })

  it("ends a loop over events before the next one, whatever was read ahead", async () => {
    const host = await start()
    const seen: Array<string> = []
    for await (const { type } of host.services.events.after(acme, 0)) {
      seen.push(type)
      await host.dispose()
    }
    strictEqual(seen.length, 1)
  })

  it("is rejected in the middle of a transaction, for whose end it would wait", async () => {
    const host = await start()
    const reason = await host
      .transaction(() => host.dispose())
      .then(
        () => "disposed",
        ({ message }: Error) => message
      )
    assertTrue(reason.startsWith("This call is made inside of transaction"), reason)
    await host.dispose()
  })
})

describe("The caller of a route of one's own", () => {
  it("is known by its token for any interface, or rejected with the code of HTTP", async () => {
    const host = await start({ signIn: {} })
    const setup = host.system("setup")
    await orThrow(host.services.accounts.register(setup, seller.principal, password))
    const ops = { kind: "platform_client", id: "ops", companyId: acme, scopes: ["company/finance/read"] } as const
    await orThrow(host.services.accounts.register(setup, ops, password))
    const tokenAt = async (path: string, body: unknown, more: Record<string, string> = {}) => {
      const headers = { "content-type": "application/json", ...more }
      const request = new Request(`https://shop.example${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body)
      })
      return (await (await host.handler(request)).json()).access_token as string
    }
    const callerBy = (headers: Record<string, string>) =>
      host.callerOf(new Request("https://shop.example/mine", { headers }))
    const sold = await tokenAt("/aggregator/v1/token", { username: "acme", password })
    const bought = await tokenAt("/auth/bazaar/token", { username: "bazaar", password })
    const basic = { authorization: `Basic ${btoa(`ops:${password}`)}` }
    const platform = "/service/panel/authentication/v1.0/company/1/oauth/token"
    const billed = await tokenAt(platform, { grant_type: "client_credentials" }, basic)
    deepStrictEqual(await callerBy({ "x-access-token": sold, "x-request-id": "r-1" }), {
      ok: true,
      value: { principal: seller.principal, requestId: "r-1" }
    })
    deepStrictEqual(await callerBy({ "x-access-token": bought }), { ok: true, value: bazaar })
    deepStrictEqual(await callerBy({ authorization: `Bearer ${billed}` }), {
      ok: true,
      value: { principal: ops, requestId: null }
    })
    for (const [headers, code] of [
      [{}, "TOKEN_MISSING"],
      [{ "x-access-token": "forged" }, "TOKEN_INVALID"],
      [{ "x-access-token": billed }, "TOKEN_INVALID"],
      [{ authorization: `Bearer ${sold}` }, "TOKEN_INVALID"]
    ] as const)
      deepStrictEqual(codesOf(await callerBy(headers)), code)
    await host.dispose()
  })
})
