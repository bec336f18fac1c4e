import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { after, before, test } from "node:test"

const settings = { ...process.env, PORT: "0", DATABASE_URL: "memory:", LOG_LEVEL: "error" }
let host
let url

before(async () => {
  const command = ["node_modules/@crossdock/cli/bin/crossdock.js", "start"]
  host = spawn(process.execPath, command, { env: settings, stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(host, "exit").then(() => Promise.reject(new Error("The host ended before it listened")))
  const [line] = await Promise.race([once(host.stdout, "data"), ended])
  url = String(line).replace("listening on ", "").trim()
})

after(() => host.kill())

const send = async (method, path, body, token) => {
  const answer = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...(token && { "x-access-token": token }) },
    body: body && JSON.stringify(body)
  })
  strictEqual(answer.status, 200, `${method} ${path} answered ${answer.status}`)
  return answer.json()
}

const address = {
  name: "Asha Rao",
  phone: "+91 80 0000 0000",
  address1: "12 Lake View Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

test("an order reserves the seller's stock", async () => {
  const sku = "85123A"
  const acme = await send("POST", "/aggregator/v1/token", { username: "acme", password: "acme-secret" })
  await send("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku, quantity: 10 }], acme.access_token)

  const bazaar = await send("POST", "/auth/bazaar/token", { username: "bazaar", password: "bazaar-secret" })
  const order = {
    external_order_id: "FIRST-1",
    ordering_currency: "INR",
    payment: { mode: "PREPAID" },
    billing_address: address,
    shipping_address: address,
    shipments: [{ external_shipment_id: "1", location_id: "BLR1", lines: [{ sku, quantity: 2, esp: 499 }] }]
  }
  await send("POST", "/order/api/v1/bazaar/create", order, bazaar.access_token)

  const { data } = await send("GET", `/ims/v3/listings?skus=${sku}`, undefined, acme.access_token)
  const [{ quantity, reserved, sellable }] = data
  deepStrictEqual({ quantity, reserved, sellable }, { quantity: 10, reserved: 2, sellable: 8 })
})
