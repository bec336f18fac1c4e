import { deepStrictEqual } from "node:assert/strict"
import { after, before, test } from "node:test"
import type { Host } from "@crossdock/host"
import { start } from "../src/Crossdock.ts"
import { seed } from "../src/Seed.ts"
import { make } from "../src/Server.ts"
import { open } from "../src/Shop.ts"

const password = "a password of the test"
const shop = open(":memory:")
let crossdock: Host.Host
let server: ReturnType<typeof make>
let url: string
let token: string

const post = async (path: string, body: unknown) => {
  const headers = { "content-type": "application/json", "x-access-token": token }
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

before(async () => {
  crossdock = await start(shop, "http://127.0.0.1")
  await seed(crossdock, password)
  server = make(shop, crossdock, "http://127.0.0.1")
  url = await server.listen({ port: 0 })
  token = ""
  token = (await post("/partner/auth/bazaar/token", { username: "bazaar", password })).body.access_token
})

after(async () => {
  await server.close()
  await crossdock.dispose()
  shop.close()
})

const address = {
  name: "Asha Rao",
  phone: "+91 80 0000 0000",
  address1: "12 Lake View Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const order = (id: string, quantity: number) =>
  post("/partner/order/api/v1/bazaar/create", {
    external_order_id: id,
    ordering_currency: "INR",
    payment: { mode: "PREPAID" },
    billing_address: address,
    shipping_address: address,
    shipments: [{ external_shipment_id: "1", location_id: "BLR1", lines: [{ sku: "TEE-M", quantity, esp: 499.5 }] }]
  })

test("a marketplace's order is in the shop's own table", async () => {
  deepStrictEqual((await order("B-1", 2)).status, 200)
  const orders = await fetch(`${url}/orders`).then((answer) => answer.json())
  deepStrictEqual(
    orders.map((row: { marketplace: string; external_id: string }) => [row.marketplace, row.external_id]),
    [["bazaar", "B-1"]]
  )
})

test("no unit is sold twice: three are left", async () => {
  const sale = (id: string) => post("/sales", { id, sku: "TEE-M", quantity: 1 })
  const answers = await Promise.all([sale("S-1"), order("B-2", 1), sale("S-2"), order("B-3", 1), sale("S-3")])
  deepStrictEqual(answers.filter(({ status }) => status === 200).length, 3)
  deepStrictEqual((await sale("S-9")).status, 409)
})
