/** Fields that a host adds to orders, shipments, items, products, companies and locations: taken, checked, shown, searched and erased. */
import { AuditTrail } from "@crossdock/audit"
import { productInput } from "@crossdock/catalog/testing"
import { allOrThrow, Host, orThrow } from "@crossdock/host"
import { StorageMemory } from "@crossdock/storage-memory"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Layer, Stream } from "effect"
import { acme, bazaar, orderOf, seller, setupError, options as shopOptions, start } from "./Shop.ts"

const fields: Host.Options["fields"] = {
  order: { po_number: { type: "str", maxLength: 10, filter: true }, gift_note: { type: "str", personal: true } },
  shipment: { priority: { type: "int", range: { min: 1, max: 3 }, filter: true } },
  item: { engraving: { type: "str", personal: true }, batch: { type: "str" } },
  product: { recycled: { type: "bool", filter: true }, care: { type: "str", allowedValues: ["30°", "40°"] } }
}

/** The order, and its shipment and line, with these values. */
const orderWith = (id: string, order: unknown, shipment?: unknown, item?: unknown) => {
  const { shipments, ...rest } = orderOf(id, item === undefined ? {} : { custom_fields: item })
  const [first] = shipments
  return {
    ...rest,
    shipments: [{ ...first, ...(shipment === undefined ? {} : { custom_fields: shipment }) }],
    ...(order === undefined ? {} : { custom_fields: order })
  } as ReturnType<typeof orderOf>
}

const own = { po_number: "PO-1", gift_note: "for Asha" }
const engraved = { engraving: "Asha", batch: "B7" }
const create = "/order/api/v1/bazaar/create"
const read = (id: string) => `/order/api/v1/bazaar/order?platform_order_id=${id}`
const list = (query: string) => `/oms/v3/shipment/info?${query}`

const storages = {
  memory: StorageMemory.layer,
  SQLite: Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:"))
}

const codes = (answer: { errors?: ReadonlyArray<{ code: string; path: string }> }) =>
  answer.errors?.map(({ code, path }) => [path, code])

describe.each(Object.entries(storages))("Custom fields of an order in %s", (_, storage) => {
  it("are in reads of marketplace and seller, in the event and the audit record, personal ones in reads alone", async () => {
    const { host, send } = await start({ fields, storage })
    const sent = orderWith("A", own, { priority: 2 }, engraved)
    const { platform_order_id: id, shipments } = await send("POST", create, sent)
    const shown = await send("GET", read(id))
    deepStrictEqual(
      [shown.custom_fields, shown.shipments[0].custom_fields, shown.shipments[0].bags[0].custom_fields],
      [own, { priority: 2 }, engraved]
    )
    const [sellers] = (await send("GET", list(`orderId=${shipments[0].shipment_id}`))).orders
    deepStrictEqual(
      [sellers.order_custom_fields, sellers.custom_fields, sellers.orderItems[0].custom_fields],
      [own, { priority: 2 }, engraved]
    )
    const events = await orThrow(host.services.events.read(acme, 0, 100))
    const placed = events.find(({ type }) => type === "order.placed")
    deepStrictEqual(JSON.parse(JSON.stringify(placed?.data)), {
      orderId: id,
      externalOrderId: "A",
      marketplace: "bazaar",
      currency: "INR",
      shipments: [
        {
          shipmentId: shipments[0].shipment_id,
          location: "BLR1",
          lines: [
            {
              itemId: sellers.orderItems[0].orderItemId,
              sku: "T-S",
              quantity: 2,
              esp: 10_000,
              customFields: { batch: "B7" }
            }
          ],
          customFields: { priority: 2 }
        }
      ],
      customFields: { po_number: "PO-1" }
    })
    const trail = await host.run(
      Effect.flatMap(AuditTrail.AuditTrail, ({ jsonLines }) => Stream.runCollect(jsonLines(acme)))
    )
    const record = [...trail].find((line) => line.includes("external_order_id")) ?? ""
    assertTrue(record.includes("PO-1") && record.includes("B7"), record)
    assertTrue(!JSON.stringify([events, [...trail]]).includes("Asha"))
    await host.dispose()
  })

  it("are searched by exact value, of the order and of the shipment", async () => {
    const { send } = await start({ fields, storage })
    await send("POST", create, orderWith("A", { po_number: "PO-1" }, { priority: 2 }))
    await send("POST", create, orderWith("B", { po_number: "PO-12" }, { priority: 2 }))
    await send("POST", create, orderWith("C", undefined))
    const found = async (query: string) =>
      (await send("GET", list(query))).orders.map((one: { marketplaceOrderId: string }) => one.marketplaceOrderId)
    deepStrictEqual(await found("custom_fields.order.po_number=PO-1"), ["A"])
    deepStrictEqual(await found("custom_fields.shipment.priority=2"), ["B", "A"])
    deepStrictEqual(await found("custom_fields.shipment.priority=02&custom_fields.order.po_number=PO-12"), ["B"])
    deepStrictEqual(await found("custom_fields.shipment.priority=3"), [])
    deepStrictEqual(await found("orderStatus=CREATED"), ["C", "B", "A"])
    deepStrictEqual(codes(await send("GET", list("custom_fields.shipment.priority=high"))), [
      ["/custom_fields.shipment.priority", "INVALID_TYPE"]
    ])
    deepStrictEqual(codes(await send("GET", list("custom_fields.shipment.priority=0x10"))), [
      ["/custom_fields.shipment.priority", "INVALID_TYPE"]
    ])
    const { errors } = await send("GET", list("custom_fields.order.gift_note=x"))
    deepStrictEqual(errors[0].code, "UNKNOWN_PARAMETER")
  })

  it("are content of the order, which a repeat must have again", async () => {
    const { host, send } = await start({ fields, storage })
    const first = await send("POST", create, orderWith("A", own, { priority: 2 }, engraved))
    deepStrictEqual(
      await send("POST", create, orderWith("A", { ...own, gift_note: "for Asha" }, { priority: 2 }, engraved)),
      first
    )
    const changed = await send(
      "POST",
      create,
      orderWith("A", { ...own, gift_note: "for Ravi" }, { priority: 3 }, engraved)
    )
    deepStrictEqual(codes(changed), [
      ["/external_order_id", "ORDER_EXISTS"],
      ["/shipments/0/custom_fields/priority", "ORDER_EXISTS"],
      ["/custom_fields/gift_note", "ORDER_EXISTS"]
    ])
    assertTrue(!JSON.stringify(changed).includes("Asha"))
    await host.dispose()
  })

  it("that are personal are erased with it, and no search finds it any more", async () => {
    const { host, send } = await start({ fields, storage })
    const { platform_order_id: id, shipments } = await send(
      "POST",
      create,
      orderWith("A", own, { priority: 2 }, engraved)
    )
    const shipment = shipments[0].shipment_id
    const cancelled = await host.services.shipments.cancelAsHost(host.system("ops"), acme, [shipment], null)
    assertTrue(cancelled.ok)
    strictEqual(await orThrow(host.services.orders.erase(host.system("ops"), "bazaar", id)), true)
    strictEqual(await orThrow(host.services.orders.erase(host.system("ops"), "bazaar", id)), false)
    const shown = await send("GET", read(id))
    deepStrictEqual(
      [shown.custom_fields, shown.shipments[0].custom_fields, shown.shipments[0].bags[0].custom_fields],
      [{ po_number: "PO-1" }, { priority: 2 }, { batch: "B7" }]
    )
    deepStrictEqual((await send("GET", list("custom_fields.order.po_number=PO-1"))).orders, [])
    // The same order again is a repeat, erased or not.
    const { platform_order_id: again } = await send("POST", create, orderWith("A", own, { priority: 2 }, engraved))
    strictEqual(again, id)
    await host.dispose()
  })

  it("follow a cancelled part and a return", async () => {
    const { host, send } = await start({ fields, storage })
    const { platform_order_id: id, shipments } = await send(
      "POST",
      create,
      orderWith("A", own, { priority: 1 }, engraved)
    )
    const orderId = shipments[0].shipment_id
    const [{ orderItems }] = (await send("GET", list(`orderId=${orderId}`))).orders
    const part = [{ orderItemId: orderItems[0].orderItemId, quantity: 1 }]
    await allOrThrow(host.services.shipments.cancel(seller, [{ orderId, orderItems: part }]))
    const { shipments: both } = await send("GET", read(id))
    deepStrictEqual(
      both.map((one: { custom_fields: object; bags: [{ custom_fields: object }] }) => [
        one.custom_fields,
        one.bags[0].custom_fields
      ]),
      [0, 1].map(() => [{ priority: 1 }, engraved])
    )
    strictEqual((await send("GET", list("custom_fields.order.po_number=PO-1"))).orders.length, 2)
    await host.dispose()
  })
})

describe.each(Object.entries(storages))("Custom fields of a company and its locations in %s", (_, storage) => {
  const fields: Host.Options["fields"] = {
    company: {
      tier: { type: "str", allowedValues: ["gold", "silver"], mandatory: true },
      owner: { type: "str", personal: true }
    },
    location: { dock: { type: "int" }, contact: { type: "str", personal: true } }
  }
  const company = { id: acme, name: "Acme", legalName: "Acme Ltd" }
  const location = { code: "BLR1", name: "Bengaluru", currency: "INR", handlingHours: 24, address: null }
  const own = { tier: "gold", owner: "Asha" }
  const docked = { dock: 7, contact: "Ravi" }

  const open = async (options: Partial<Host.Options<unknown>> = { fields }) => {
    const host = await Host.make<unknown>({ ...shopOptions, storage, ...options })
    const { companies } = host.services
    const setup = host.system("setup")
    const register = (more: object, ofLocation: object = {}) =>
      companies.register(setup, { ...company, ...more }, [{ ...location, ...ofLocation }])
    const read = async () => {
      const found = await orThrow(companies.find(acme))
      return [found.company.customFields, found.locations[0]?.customFields]
    }
    return { host, read, register }
  }

  it("are read in process, and are in the event and the audit record without personal values", async () => {
    const { host, read, register } = await open()
    await orThrow(register({ customFields: own }, { customFields: { ...docked, none: null } }))
    deepStrictEqual(await read(), [own, docked])
    const [event] = await orThrow(host.services.events.read(acme, 0, 10))
    deepStrictEqual(event?.data, {
      isNew: true,
      locations: ["BLR1"],
      customFields: { tier: "gold" },
      locationFields: { BLR1: { dock: 7 } }
    })
    const trail = await host.run(
      Effect.flatMap(AuditTrail.AuditTrail, ({ jsonLines }) => Stream.runCollect(jsonLines(acme)))
    )
    const text = [...trail].join("")
    assertTrue(text.includes("gold") && text.includes("dock"), text)
    assertTrue(!/Asha|Ravi/.test(text), text)
    await host.dispose()
  })

  it("stay when they are left out, also by a host without the option, and are replaced as a whole", async () => {
    const { host, read, register } = await open()
    await orThrow(register({ customFields: own }, { customFields: docked }))
    await orThrow(register({ name: "Renamed" }, { name: "Moved" }))
    deepStrictEqual(await read(), [own, docked])
    await orThrow(register({ customFields: { tier: "silver" } }, { customFields: {} }))
    deepStrictEqual(await read(), [{ tier: "silver" }, {}])
    await host.dispose()
  })

  it("stay when a host without the option registers the company again", async () => {
    const shared = Layer.provide(StorageSql.layer, Sqlite.fromDatabase(new Database(":memory:")))
    const first = await open({ fields, storage: shared })
    await orThrow(first.register({ customFields: own }, { customFields: docked }))
    await first.host.dispose()
    const other = await open({ storage: shared })
    await orThrow(other.register({ customFields: { tier: "none" } }, { customFields: { dock: "x" } }))
    deepStrictEqual(await other.read(), [own, docked])
    await other.host.dispose()
  })

  it("aren't shown to operators, who can't register a company without its mandatory fields", async () => {
    const { host, read, register } = await open({ fields, interfaces: ["operator"], signIn: {} })
    await orThrow(register({ customFields: own }, { customFields: docked }))
    const account = { username: "asha", password: "correct horse battery" }
    await orThrow(host.services.accounts.putOperator(account.username, account))
    const send = async (method: string, path: string, body: object, headers = {}) => {
      const url = `https://shop.example/operator/v1${path}`
      const type = { "content-type": "application/json", ...headers }
      const answer = await host.handler(new Request(url, { method, headers: type, body: JSON.stringify(body) }))
      return answer.json()
    }
    const { access_token } = await send("POST", "/token", account)
    const put = (id: number, body: object) =>
      send("PUT", `/companies/${id}`, body, { authorization: `Bearer ${access_token}` })
    const names = { name: "Acme", legalName: "Acme Ltd" }
    deepStrictEqual(await put(acme, names), { id: acme, ...names, locations: [{ ...location }] })
    deepStrictEqual(await read(), [own, docked])
    const { errors } = await put(2, { ...names, customFields: own })
    deepStrictEqual(errors, [
      { path: "/customFields/tier", code: "REQUIRED", message: "Is required: one of gold, silver." }
    ])
    await host.dispose()
  })

  it("are judged with all faults at once, and nothing is written", async () => {
    const { host, register } = await open()
    const wrong = await register({ customFields: { tier: "tin", ownr: "A" } }, { customFields: { dock: "x" } })
    const faultsOf = (outcome: typeof wrong) =>
      outcome.ok || outcome.error._tag !== "CompanyRejected"
        ? outcome
        : outcome.error.violations.map(({ code, path }) => [path, code])
    deepStrictEqual(faultsOf(wrong), [
      ["/customFields/tier", "INVALID_VALUE"],
      ["/customFields/ownr", "INVALID_VALUE"],
      ["/locations/0/customFields/dock", "INVALID_TYPE"]
    ])
    deepStrictEqual(faultsOf(await register({})), [["/customFields/tier", "REQUIRED"]])
    strictEqual((await host.services.companies.find(acme)).ok, false)
    await host.dispose()
  })
})

describe("Custom fields of a product", () => {
  const sent = (code: string, custom_fields: unknown) => ({
    template: "apparel",
    products: [productInput(code, { custom_fields } as object)]
  })

  it.each(Object.entries(storages))(
    "are taken, kept by an update, shown, searched and in events, in %s",
    async (_, storage) => {
      const { host, send } = await start({ fields, storage })
      const { failures } = await orThrow(
        host.services.productWrites.create(seller, sent("P", { recycled: true, care: "30°" }))
      )
      deepStrictEqual(failures, [])
      const codesOf = async (query: string) =>
        (await send("GET", `/v3/catalog/product?${query}`)).items.map((one: { item_code: string }) => one.item_code)
      const found = async () => (await send("GET", "/v3/catalog/product?item_code=P")).items[0].custom_fields
      deepStrictEqual(
        [await codesOf("custom_fields.product.recycled=true"), await found()],
        [["P"], { recycled: true, care: "30°" }]
      )
      deepStrictEqual(await codesOf("custom_fields.product.recycled=false"), [])
      const { sizes, slug, brand, item_code, attributes, trader, ...facts } = productInput("P")
      const update = (more: object) =>
        orThrow(
          host.services.productWrites.update(seller, {
            template: "apparel",
            products: [{ ...facts, item_code, item_type: "standard", sizes, ...more }]
          })
        )
      deepStrictEqual((await update({})).failures, [])
      deepStrictEqual(await found(), { recycled: true, care: "30°" })
      deepStrictEqual((await update({ custom_fields: { recycled: false } })).failures, [])
      deepStrictEqual([await codesOf("custom_fields.product.recycled=true"), await found()], [[], { recycled: false }])
      const events = await orThrow(host.services.events.read(acme, 0, 100))
      deepStrictEqual(
        events.flatMap(({ data, type }) =>
          type.startsWith("product.") ? [(data as { customFields?: object }).customFields ?? null] : []
        ),
        [null, { recycled: true, care: "30°" }, { recycled: true, care: "30°" }, { recycled: false }]
      )
      await host.dispose()
    }
  )

  it("are judged with all other faults, where they are, on import too", async () => {
    const { host } = await start({ fields })
    const { failures } = await orThrow(
      host.services.productWrites.create(seller, sent("P", { recycled: "yes", carre: 1 }))
    )
    deepStrictEqual(
      failures.map(({ code, details, path }) => [
        path,
        code,
        (details?.errors as ReadonlyArray<{ path: string }> | undefined)?.map((one) => one.path)
      ]),
      [
        [
          "/products/0/custom_fields/recycled",
          "INVALID_TYPE",
          ["/products/0/custom_fields/recycled", "/products/0/custom_fields/carre"]
        ]
      ]
    )
    const imported = await host.services.productImport.products(host.system("x"), acme, [sent("P", { recycled: 1 })])
    strictEqual(imported.ok, false)
    await host.dispose()
  })
})

describe("Custom fields", () => {
  it("are judged in process as over HTTP, all faults at once", async () => {
    const { host, send } = await start({
      fields: { ...fields, order: { ...fields.order, po_number: { type: "str", mandatory: true, maxLength: 3 } } }
    })
    const wrong = orderWith("A", { po_number: "PO-1", giftnote: "x" }, { priority: 1.5 }, 5)
    const expected = [
      ["/custom_fields/po_number", "TOO_LONG"],
      ["/custom_fields/giftnote", "INVALID_VALUE"],
      ["/shipments/0/custom_fields/priority", "INVALID_VALUE"],
      ["/shipments/0/lines/0/custom_fields", "INVALID_TYPE"]
    ]
    const answered = await send("POST", create, wrong)
    deepStrictEqual([answered.code, codes(answered)], ["VALIDATION_FAILED", expected])
    const called = await host.services.orders.place(bazaar, wrong)
    assertTrue(!called.ok)
    deepStrictEqual(codes(called.error as never), expected)
    deepStrictEqual(codes(await send("POST", create, orderOf("A"))), [["/custom_fields/po_number", "REQUIRED"]])
    deepStrictEqual(codes(await send("POST", create, orderWith("A", { po_number: null }))), [
      ["/custom_fields/po_number", "REQUIRED"]
    ])
    await host.dispose()
  })

  it("of a host without the option are ignored as unknown members, and no document names them", async () => {
    const { host, send } = await start({ admin: true })
    const { platform_order_id: id } = await send("POST", create, orderWith("A", own, 5, engraved))
    const shown = JSON.stringify(await send("GET", read(id)))
    assertTrue(!shown.includes("custom_fields") && !shown.includes("Asha"), shown)
    const { errors } = await send("GET", list("custom_fields.order.po_number=PO-1"))
    strictEqual(errors[0].code, "UNKNOWN_PARAMETER")
    const documents = await Promise.all(["seller", "marketplace"].map((name) => send("GET", `/openapi/${name}.json`)))
    assertTrue(!JSON.stringify(documents).includes("custom_fields"))
    await host.dispose()
  })

  it("are in the OpenAPI documents of the host that declares them", async () => {
    const { host, send } = await start({ fields, admin: true })
    const marketplace = await send("GET", "/openapi/marketplace.json")
    const { Order, OrderLine } = marketplace.components.schemas
    deepStrictEqual(Object.keys(Order.properties.custom_fields.properties), ["po_number", "gift_note"])
    deepStrictEqual(Object.keys(OrderLine.properties.custom_fields.properties), ["engraving", "batch"])
    // In a request, null counts as absent.
    deepStrictEqual(Order.properties.custom_fields.type, ["object", "null"])
    const { components, paths } = await send("GET", "/openapi/seller.json")
    const named = paths["/oms/v3/shipment"].get.parameters.map(({ name }: { name: string }) => name)
    deepStrictEqual(named.slice(-2), ["custom_fields.order.po_number", "custom_fields.shipment.priority"])
    const { Product, Shipment } = components.schemas
    deepStrictEqual(Object.keys(Shipment.properties).slice(-2), ["custom_fields", "order_custom_fields"])
    deepStrictEqual(Object.keys(Product.properties.custom_fields.properties), ["recycled", "care"])
    await host.dispose()
  })

  it.each<readonly [object, string]>([
    [{ orders: {} }, "fields has orders: did you mean order?"],
    [{ order: [] }, "fields: order must be an object of fields by their names"],
    [{ order: { Po: { type: "str" } } }, "fields: order.Po must have a name of small letters, digits and _"],
    [{ order: { po: { type: "text" } } }, "fields: order.po must have a type: str, int, float, bool, date"],
    [{ order: { po: { type: "str", filtr: true } } }, "fields: order.po has filtr: did you mean filter?"],
    [{ order: { po: { type: "str", maxLength: 0 } } }, "fields: order.po must have a maxLength from 1 to 20000"],
    [{ order: { po: { type: "str", format: "(" } } }, "fields: order.po must have a regular expression as its format"],
    [
      { order: { po: { type: "str", filter: true } } },
      "fields: order.po is a filter: give it a maxLength of at most 200"
    ],
    [
      { order: { po: { type: "int", filter: true, personal: true } } },
      "fields: order.po can't be personal and a filter"
    ],
    [
      { item: { po: { type: "int", filter: true } } },
      "fields: item.po can't be a filter: items, companies and locations aren't searched"
    ],
    [
      { location: { po: { type: "int", filter: true } } },
      "fields: location.po can't be a filter: items, companies and locations aren't searched"
    ],
    [
      { product: { po: { type: "int", personal: true } } },
      "fields: product.po can't be personal: products are nobody's"
    ]
  ])("that can't work keep the host from starting: %o", async (wrong, said) => {
    strictEqual(await setupError({ fields: wrong }), said)
  })
})
