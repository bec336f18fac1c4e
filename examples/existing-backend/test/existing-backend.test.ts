import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import type { Host } from "@crossdock/host"
import { Inventory } from "@crossdock/inventory"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { company, packing, start } from "../src/Crossdock.ts"
import { make } from "../src/Server.ts"
import { open, type Shop } from "../src/Shop.ts"

const password = "a password of the shop"
const sku = "T-S"

describe("A shop with its own tables, sign-in and pages", () => {
  let shop: Shop
  let crossdock: Host.Host
  let server: ReturnType<typeof make>
  let url: string
  let cookie: string
  let token: string

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), cookie, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) }
  }

  const order = (id: string, quantity = 1) => {
    const address = { name: "Asha Rao", phone: "+91 80 0000 0000", address1: "12 Lake View Road", city: "Bengaluru" }
    const whole = { ...address, state: "Karnataka", pincode: "560001", country: "India" }
    return send(
      "POST",
      "/partner/order/api/v1/bazaar/create",
      {
        external_order_id: id,
        ordering_currency: "INR",
        payment: { mode: "PREPAID" },
        billing_address: whole,
        shipping_address: whole,
        shipments: [{ external_shipment_id: `${id}-1`, location_id: "B-1", lines: [{ sku, quantity, esp: 499.5 }] }]
      },
      { "x-access-token": token }
    )
  }

  const setStock = async (quantity: number) => {
    const current = await stock()
    const change = [
      { location_id: "BLR1", sku, quantity: quantity - (current?.on_hand ?? 0) + (current?.reserved ?? 0) }
    ]
    const { body } = await send("PUT", "/partner/ims/v3/inventory", change)
    strictEqual(body.data.failed_count, 0, JSON.stringify(body))
  }
  const admin = async () => (await send("GET", "/admin")).body
  const stock = async (): Promise<{ on_hand: number; reserved: number } | undefined> => (await admin()).stock[0]

  beforeAll(async () => {
    process.env.SHOP_PASSWORD = password
    shop = open(":memory:")
    crossdock = await start(shop, "http://127.0.0.1")
    server = make(shop, crossdock, "http://127.0.0.1")
    url = await server.listen({ port: 0 })
    const { companies, marketplaces, productImport } = crossdock.services
    const system = crossdock.system("setup")
    const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }
    await companies.register(system, { id: company, name: "Shop", legalName: "Shop Ltd" }, [location])
    await productImport.reference(referenceData, brands)
    const imported = await productImport.products(system, company, [
      { template: "apparel", products: [productInput("T")] }
    ])
    assertTrue(imported.ok, JSON.stringify(imported))
    const registered = await marketplaces.register(system, {
      slug: "bazaar",
      name: "Bazaar",
      currency: "INR",
      password: "correct horse battery",
      locations: [{ companyId: company, location: "BLR1", code: "B-1" }],
      skus: null,
      buffers: [],
      webhook: null
    })
    assertTrue(registered.ok, JSON.stringify(registered))
    cookie = ""
    const signedIn = await send("POST", "/login", { username: "asha", password })
    cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const issued = await send("POST", "/partner/auth/bazaar/token", {
      username: "bazaar",
      password: "correct horse battery"
    })
    token = issued.body.access_token
    assertTrue(typeof token === "string", JSON.stringify(issued.body))
  })

  afterAll(async () => {
    await server.close()
    await crossdock.dispose()
    shop.handle.close()
  })

  it("has its own sign-in on its own pages and on the seller interface", async () => {
    const nobody = { cookie: "session=guessed" }
    strictEqual((await send("POST", "/login", { username: "asha", password: "wrong" })).status, 401)
    strictEqual((await send("GET", "/admin", undefined, nobody)).status, 401)
    strictEqual((await send("GET", "/partner/ims/v3/listings", undefined, nobody)).status, 401)
    strictEqual((await send("GET", "/partner/ims/v3/listings")).status, 200)
    strictEqual((await send("GET", "/admin", undefined, { cookie: `theme=dark; ${cookie}` })).status, 200)
    strictEqual((await send("POST", "/sales", { id: "S-0", sku, quantity: 1 }, nobody)).status, 401)
    strictEqual((await send("POST", "/sales", { id: "S-0", sku, quantity: -5 })).status, 400)
  })

  it("lets nobody in while it has no password, or without one", async () => {
    for (const body of [{ username: "mallory" }, { username: "mallory", password: "" }]) {
      strictEqual((await send("POST", "/login", body)).status, 400)
    }
    delete process.env.SHOP_PASSWORD
    strictEqual((await send("POST", "/login", { username: "mallory", password: "undefined" })).status, 401)
    process.env.SHOP_PASSWORD = password
  })

  it("takes an order through: its own stock goes down, and its admin page has the order", async () => {
    await setStock(5)
    const placed = await order("BZ-1", 2)
    strictEqual(placed.status, 200, JSON.stringify(placed.body))
    const { orders } = await admin()
    deepStrictEqual(
      orders.map((row: { marketplace: string; external_id: string }) => [row.marketplace, row.external_id]),
      [["bazaar", "BZ-1"]]
    )
    const { on_hand, reserved } = (await stock()) ?? { on_hand: 0, reserved: 0 }
    strictEqual(on_hand - reserved, 3)
  })

  it("says what to pack for each order, also for those of before", async () => {
    await setStock(1)
    const said: Array<string> = []
    const done = Promise.withResolvers<void>()
    const stop = packing(crossdock, (line) => {
      said.push(line)
      if (said.length === 2) done.resolve()
    })
    strictEqual((await order("BZ-4", 1)).status, 200)
    await done.promise
    await stop()
    deepStrictEqual(said, ["Pack order BZ-1 of bazaar", "Pack order BZ-4 of bazaar"])
  })

  it("leaves the size of a body to Crossdock", async () => {
    const create = (bytes: number) =>
      send("POST", "/partner/v3/catalog/product", { padding: "x".repeat(bytes) }).then(({ body, status }) => [
        status,
        body.code
      ])
    deepStrictEqual(await create(3 * 1024 * 1024), [400, "VALIDATION_FAILED"])
    deepStrictEqual(await create(6 * 1024 * 1024), [413, "BODY_TOO_LARGE"])
  })

  it("has no order in its list that was not placed", async () => {
    await setStock(1)
    const before = await admin()
    strictEqual((await order("BZ-2", 2)).status >= 400, true)
    const { orders } = await admin()
    deepStrictEqual(orders, before.orders)
  })

  it("sells in the shop what a marketplace then can't have", async () => {
    await setStock(2)
    strictEqual((await send("POST", "/sales", { id: "S-1", sku, quantity: 2 })).status, 200)
    strictEqual((await send("POST", "/sales", { id: "S-2", sku, quantity: 1 })).status, 409)
    assertTrue((await order("BZ-3")).status >= 400)
    const { sales } = await admin()
    deepStrictEqual(sales, [{ id: "S-1", sku, quantity: 2 }])
  })

  it("never sells a unit twice, however many buy it at once in the shop and on the marketplace", async () => {
    for (let round = 0; round < 5; round++) {
      await setStock(4)
      const before = await admin()
      const buyers = Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0 ? send("POST", "/sales", { id: `R${round}-${n}`, sku, quantity: 1 }) : order(`R${round}-${n}`)
      )
      const answers = await Promise.all(buyers)
      strictEqual(answers.filter(({ status }) => status === 200).length, 4)
      const after = await admin()
      strictEqual(after.sales.length - before.sales.length + after.orders.length - before.orders.length, 4)
      strictEqual((await stock())?.on_hand, (await stock())?.reserved)
    }
    deepStrictEqual(await crossdock.run(Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(company))), [])
  })

  it("keeps neither the sale nor the stock when the sale can't be written", async () => {
    await setStock(3)
    const again = await send("POST", "/sales", { id: "S-1", sku, quantity: 1 })
    strictEqual(again.status, 500)
    const { on_hand, reserved } = (await stock()) ?? { on_hand: 0, reserved: 0 }
    strictEqual(on_hand - reserved, 3)
  })
})
