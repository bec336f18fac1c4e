import { answerCodes, fieldCodes, recordCodes, shipmentCodes } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { type Client, useHost } from "./TestHost.ts"
import * as TestOrders from "./TestOrders.ts"

interface Problem {
  readonly code: keyof typeof answerCodes
  readonly docs?: string
  readonly errors?: ReadonlyArray<object>
}

const docsUrl = "https://docs.example.com/api"

describe("an error body", () => {
  const host = useHost({ docsUrl })
  const bare = useHost()

  const rejections = async (on: typeof host) => {
    const inventory = "/ims/v3/inventory"
    const created = "/order/api/v1/bazaar/create"
    const lines = [TestOrders.shipmentOf([TestOrders.line("85123A", 1_000_000)])]
    const send = (api: Client, method: string, path: string, body?: unknown) => api.call<Problem>(method, path, body)
    return Promise.all([
      send(on.anonymous, "GET", "/nowhere"),
      send(on.anonymous, "POST", inventory),
      send(on.anonymous, "PUT", inventory, []),
      send(on.client({ "x-access-token": "a.b.c" }), "PUT", inventory, []),
      send(on.acme, "PUT", inventory, []),
      send(on.acme, "PUT", inventory, 1),
      send(on.acme, "GET", "/ims/v3/listings?page_number=1"),
      send(on.acme, "POST", "/oms/v3/shipment/labels", [{ orderId: "1" }]),
      send(on.bazaar, "POST", created, TestOrders.order(lines)),
      send(on.bazaar, "POST", "/order/api/v1/souk/create", {})
    ])
  }

  it("leads to its code on the page of codes, and has the code's status", async () => {
    const answers = await rejections(host)
    deepStrictEqual(
      answers.map(({ body }) => body.code),
      [
        "ROUTE_NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "TOKEN_MISSING",
        "TOKEN_INVALID",
        "EMPTY_REQUEST",
        "VALIDATION_FAILED",
        "UNKNOWN_PARAMETER",
        "L400",
        "INSUFFICIENT_STOCK",
        "FORBIDDEN"
      ]
    )
    for (const { body, status } of answers) {
      strictEqual(body.docs, `${docsUrl}/errors#${body.code}`)
      strictEqual(status, answerCodes[body.code].status)
      for (const entry of body.errors ?? []) assertTrue(!("docs" in entry), "entries have none")
    }
  })

  it("has none on a host that does not say where its documents are", async () => {
    for (const { body } of await rejections(bare)) strictEqual(body.docs, undefined)
  })

  it("is replayed for its Idempotency-Key byte for byte, with its docs", async () => {
    const headers = { "content-type": "application/json", "idempotency-key": "docs-1", "content-length": "2" }
    const token = await host.tokenOf("/aggregator/v1/token", "acme")
    const send = () => host.send("PUT", "/ims/v3/inventory", { ...headers, "x-access-token": token }, "[]")
    const [first, again] = [await send(), await send()]
    strictEqual(again.headers["idempotent-replayed"], "true")
    assertTrue(first.text.includes(`"docs":"${docsUrl}/errors#EMPTY_REQUEST"`), first.text)
    strictEqual(again.text, first.text)
  })

  it("is not part of a bulk's result: its entries have a code and a message", async () => {
    const record = { location_id: "BLR1", sku: "no such sku", quantity: 1 }
    const { body } = await host.acme.call<{ data: { errors: ReadonlyArray<object> } }>("PUT", "/ims/v3/inventory", [
      record
    ])
    deepStrictEqual(Object.keys(body.data.errors[0] ?? {}), ["index", "code", "message", "path", "sku", "location_id"])
  })
})

describe("the page of codes", () => {
  const host = useHost()

  it("has one place for every code, with its cause and what to do", async () => {
    const { headers, status, text } = await host.send("GET", "/docs/errors")
    deepStrictEqual([status, String(headers["content-type"]).split(";")[0]], [200, "text/html"])
    const codes = [answerCodes, fieldCodes, recordCodes, ...Object.values(shipmentCodes)].flatMap(Object.keys)
    for (const code of new Set(codes)) strictEqual(text.split(` id="${code}"`).length, 2, code)
    assertTrue(text.includes("The token is older than 24 hours, or the signed link has expired."))
  })

  it("takes GET alone", async () => {
    strictEqual((await host.send("POST", "/docs/errors")).status, 405)
  })
})
