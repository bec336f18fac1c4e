/**
 * Tests the example Worker in workerd from outside. There are an operator, two sellers, a marketplace with a webhook, and the
 * platform.
 */
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as Bundle from "@crossdock/example-worker/Bundle"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll, expect } from "vitest"

const reference = JSON.parse(
  readFileSync(new URL("../../../packages/cli/data/reference.json", import.meta.url), "utf8")
) as object

const bindings = {
  PUBLIC_URL: "https://shop.example",
  SETUP_KEY: "a setup key of thirty-two bytes or more",
  PRIVATE_WEBHOOKS: "true",
  SECRETS_KEY: "5e".repeat(32)
}
const password = "correct horse battery"
const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

const companyOf = (id: number, name: string, code: string, pincode: string) => ({
  company: { id, name, legalName: `${name} Private Limited` },
  locations: [
    {
      code,
      name: code,
      currency: "INR",
      handlingHours: 24,
      address: {
        address1: "1 Market Road",
        address2: null,
        city: "Bengaluru",
        state: "Karnataka",
        pincode,
        country: "India",
        phone: null,
        gstin: "29AAAAA0000A1Z5"
      }
    }
  ]
})

const seller = (id: string, companyId: number) => ({
  password,
  principal: { kind: "integration", id, integrationId: id, companyId, locations: null, stockPolicy: "set" }
})

const setupOf = (webhook: string) => ({
  companies: [companyOf(1, "Acme", "BLR1", "560001"), companyOf(2, "Globex", "BLR2", "560002")],
  accounts: [
    seller("acme", 1),
    seller("globex", 2),
    { password, principal: { kind: "platform_client", id: "ops", companyId: 1, scopes: ["company/audit/read"] } }
  ],
  marketplaces: [
    {
      slug: "bazaar",
      name: "Bazaar",
      currency: "INR",
      password,
      locations: [
        { companyId: 1, location: "BLR1", code: "A" },
        { companyId: 2, location: "BLR2", code: "G" }
      ],
      skus: null,
      buffers: [],
      webhook: { url: webhook, secret, authentication: { type: "none" } }
    }
  ],
  reference
})

const product = (brand: string, sku: string) => ({
  item_type: "standard",
  name: `Shirt ${sku}`,
  slug: `shirt-${sku.toLowerCase()}`,
  departments: ["166"],
  category: "T-Shirts",
  brand,
  item_code: sku,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [
    {
      primary_identifier: sku,
      size: "M",
      price: 799,
      price_effective: 499,
      item_length: 30,
      item_width: 25,
      item_height: 2,
      item_weight: 180,
      track_inventory: true
    }
  ],
  trader: [{ type: "Seller", name: brand, address: ["1 Market Road", "Bengaluru 560001"] }],
  attributes: { color: "Black", material: "Cotton" },
  is_dependent: false
})

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const orderOf = (id: string, quantities: { readonly acme: number; readonly globex: number }) => ({
  external_order_id: id,
  ordering_currency: "INR",
  payment: { mode: "PREPAID" },
  billing_address: address,
  shipping_address: address,
  shipments: [
    { external_shipment_id: "S1", location_id: "A", lines: [{ sku: "A-1", quantity: quantities.acme, esp: 100 }] },
    { external_shipment_id: "S2", location_id: "G", lines: [{ sku: "G-1", quantity: quantities.globex, esp: 100 }] }
  ]
})

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

describe("The example Worker", () => {
  const received: Array<Received> = []
  const receiver = createServer((request, answer) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      received.push({ headers: request.headers, body })
      answer.end()
    })
  })
  const folder = mkdtempSync(join(tmpdir(), "crossdock-worker-"))
  let bundle: Bundle.Bundle
  let workerd: Awaited<ReturnType<typeof Bundle.start>>
  let started = 0

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL(path, workerd.url), {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true
    const text = new TextDecoder().decode(bytes)
    return { status: answer.status, text, body: isJson ? JSON.parse(text) : undefined }
  }
  const operator = { authorization: `Bearer ${bindings.SETUP_KEY}` }
  const setUp = () =>
    send("PUT", "/setup", setupOf(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`), operator)
  const signedIn = async (username: string, path = "/aggregator/v1/token") => {
    const { body, status } = await send("POST", path, { username, password })
    strictEqual(status, 200, JSON.stringify(body))
    return { "x-access-token": body.access_token as string }
  }
  const levels = async (token: Record<string, string>, sku: string) => {
    const { body } = await send("GET", `/ims/v3/listings?skus=${sku}`, undefined, token)
    return body.data.map((row: { quantity: number; reserved: number }) => [row.quantity, row.reserved])
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    bundle = await Bundle.make(Bundle.worker)
    const before = performance.now()
    workerd = await Bundle.start(bundle, bindings, { durableObjectsPersist: folder })
    await send("GET", "/health/live")
    started = performance.now() - before
  })
  afterAll(async () => {
    await workerd.dispose()
    receiver.close()
    rmSync(folder, { recursive: true })
  })

  it("has nothing of Node, is below 1.1 MB gzipped, as are its fonts, and answers its first request", () => {
    const size = gzipSync(bundle.code).length
    const fonts = bundle.fonts.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0)
    console.log(`worker: ${size} bytes gzipped, fonts ${fonts}, first answer after ${Math.round(started)} ms`)
    deepStrictEqual(bundle.code.match(/from"node:[a-z_/]+"|require\("node:/g), null)
    assertTrue(size < 1_100_000, `${size} bytes`)
    assertTrue(fonts < 1_000_000, `${fonts} bytes of fonts`)
  })

  it("lets nobody but the operator set it up", async () => {
    strictEqual((await send("PUT", "/setup", setupOf("http://127.0.0.1/"))).status, 401)
    strictEqual((await send("POST", "/aggregator/v1/token", { username: "acme", password })).status, 401)
  })

  it("rejects a setup that lacks its lists", async () => {
    strictEqual((await send("PUT", "/setup", { companies: [] }, operator)).status, 400)
  })

  it("takes an order over two companies as one transaction, notifies the marketplace, and records who did what", async () => {
    deepStrictEqual(await setUp(), { status: 204, text: "", body: undefined })
    const [acme, globex] = [await signedIn("acme"), await signedIn("globex")]
    for (const [token, brand, sku] of [
      [acme, "Acme", "A-1"],
      [globex, "Globex", "G-1"]
    ] as const) {
      const { body, status } = await send(
        "POST",
        "/v3/catalog/product",
        { template: "apparel", products: [product(brand, sku)] },
        token
      )
      strictEqual(status, 200, JSON.stringify(body))
    }
    // Stock of the new products is accepted.
    for (const [token, location_id, sku] of [
      [acme, "BLR1", "A-1"],
      [globex, "BLR2", "G-1"]
    ] as const) {
      await expect
        .poll(
          async () =>
            (await send("PUT", "/ims/v3/inventory", [{ location_id, sku, quantity: 10 }], token)).body.data
              .failed_count,
          { interval: 300 }
        )
        .toBe(0)
    }

    const bazaar = await signedIn("bazaar", "/auth/bazaar/token")
    const place = (order: object) => send("POST", "/order/api/v1/bazaar/create", order, bazaar)
    const placed = await place(orderOf("O-1", { acme: 2, globex: 3 }))
    strictEqual(placed.status, 200, placed.text)
    const tooMuch = await place(orderOf("O-2", { acme: 2, globex: 300 }))
    assertTrue(tooMuch.status >= 400 && tooMuch.status < 500, tooMuch.text)
    deepStrictEqual([await levels(acme, "A-1"), await levels(globex, "G-1")], [[[10, 2]], [[10, 3]]])

    // The sellable stock after the order, of both companies.
    const latest = () => {
      const quantities = new Map<string, number>()
      for (const { body, headers } of received) {
        assertTrue(Signature.matches(secret, headers, body, Math.floor(Date.now() / 1000)))
        for (const { quantity, sku } of JSON.parse(body)) quantities.set(sku, quantity)
      }
      return Object.fromEntries(quantities)
    }
    await expect.poll(latest, { interval: 300 }).toEqual({ "A-1": 8, "G-1": 7 })

    const ops = await send(
      "POST",
      "/service/panel/authentication/v1.0/company/1/oauth/token",
      { grant_type: "client_credentials" },
      { authorization: `Basic ${btoa(`ops:${password}`)}` }
    )
    strictEqual(ops.status, 200, ops.text)
    const trail = async (order: string) => {
      const { body } = await send("GET", `/service/platform/audit-trail/v1.0/company/1/logs?qs=${order}`, undefined, {
        authorization: `Bearer ${ops.body.access_token}`
      })
      return body.docs.length as number
    }
    deepStrictEqual([await trail(placed.body.platform_order_id), await trail("O-2")], [1, 0])
  })

  it("has the secret of the webhook nowhere in its database but encrypted", () => {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    const files = names.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
    const bytes = files.map((file) => readFileSync(file, "latin1")).join("")
    deepStrictEqual([bytes.includes('"slug":"bazaar"'), bytes.includes(secret)], [true, false])
    assertTrue(/"encrypted":"v1\.[0-9a-f]{12}\./.test(bytes))
  })

  it("rejects an order that would be longer than the object's 2 MB for a value, and goes on", async () => {
    const acme = await signedIn("acme")
    await send("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "A-1", quantity: 50_000 }], acme)
    const bazaar = await signedIn("bazaar", "/auth/bazaar/token")
    const place = (id: string, lines: number) => {
      const { shipments, ...order } = orderOf(id, { acme: 1, globex: 1 })
      const [one] = shipments
      const many = Array.from({ length: lines }, () => ({ sku: "A-1", quantity: 1, esp: 100 }))
      const body = { ...order, shipments: [{ ...one, lines: many }] }
      return send("POST", "/order/api/v1/bazaar/create", body, bazaar)
    }
    const { body, status, text } = await place("O-long", 15_000)
    deepStrictEqual([status, body?.code], [413, "BODY_TOO_LARGE"], text)
    deepStrictEqual(await levels(acme, "A-1"), [[50_000, 2]])
    strictEqual((await place("O-short", 3)).status, 200)
  })

  it("rejects what is malformed as on any other host", async () => {
    const acme = await signedIn("acme")
    const sent = (body: string) =>
      fetch(new URL("/ims/v3/inventory", workerd.url), {
        method: "PUT",
        headers: { "content-type": "application/json", ...acme },
        body
      })
    strictEqual((await sent("[{")).status, 400)
    // workerd may close the connection of a caller that is still sending, so only the announcement of the body is sent.
    const announced = request(new URL("/ims/v3/inventory", workerd.url), {
      method: "PUT",
      headers: { "content-type": "application/json", "content-length": "3000000", ...acme }
    })
    announced.flushHeaders()
    const [large] = await once(announced, "response")
    announced.destroy()
    strictEqual(large.statusCode, 413)
    strictEqual((await send("PATCH", "/ims/v3/inventory", undefined, acme)).status, 405)
    strictEqual((await send("GET", "/nothing", undefined, acme)).status, 404)
  })
})
