import { describe, it } from "@effect/vitest"
import { assertMatch, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { useHost } from "./TestHost.ts"
import * as TestOrders from "./TestOrders.ts"
import { type Problem, shipment } from "./TestOrders.ts"

interface Message {
  readonly message: string
}

describe("messages of errors", () => {
  const host = useHost()

  it("of products are sentences too, also when a product has several faults", async () => {
    const { body } = await host.acme.call<{
      errors: Readonly<Record<string, Message & { readonly errors?: ReadonlyArray<Message> }>>
    }>("DELETE", "/v3/catalog/product?dry_run=true", {
      template: "apparel",
      products: [{}, { slug: "Not a slug", name: 5 }, { item_code: "AR-85123A" }]
    })
    const messages = Object.values(body.errors).flatMap(({ errors = [], message }) => [
      message,
      ...errors.map((one) => one.message)
    ])
    strictEqual(messages.length >= 5, true, JSON.stringify(body.errors))
    for (const message of messages) assertMatch(message, /^[A-Z].*[.)]$/)
  })

  it("of an unknown AWB speak of the AWB", async () => {
    const { body } = await host.acme.call<Problem>("POST", `${shipment}/track`, { awb_number: "NO-1" })
    strictEqual(body.message, "There is no shipment with the AWB NO-1. Check the number.")
  })

  it("are sentences that say what is wrong and what to do", async () => {
    const answers = [
      await host.anonymous.call<Problem>("GET", "/v3/catalog/departments"),
      await host.anonymous.call<Problem>("GET", "/order/api/v1/bazaar/order?platform_order_id=1"),
      await host.anonymous.call<Problem>("GET", "/service/platform/billing/v1.0/company/1/invoice/list"),
      await host.anonymous.call<Problem>("POST", "/service/panel/authentication/v1.0/company/1/oauth/token", {
        grant_type: "client_credentials"
      }),
      await host.anonymous.call<Problem>("GET", "/aggregator/v1/token"),
      await host.bazaar.call<Problem>("GET", "/order/api/v1/souk/order?platform_order_id=1"),
      await host.bazaar.call<Problem>("GET", "/order/api/v1/bazaar/order?platform_order_id=1"),
      await host.bazaar.call<Problem>("POST", "/order/api/v1/bazaar/create", { external_order_id: "x".repeat(2001) }),
      await host.acme.call<Problem>("GET", "/v3/catalog/status?trace_id=1"),
      await host.acme.call<Problem>("GET", "/v3/catalog/product-attributes"),
      await host.acme.call<Problem>("GET", `${shipment}?orderId=1`),
      await host.acme.call<Problem>("GET", `${shipment}?orderStatus=NEW`),
      await host.acme.call<Problem>("POST", `${shipment}/pack`, []),
      await host.acme.call<Problem>("POST", `${shipment}/pack`, {}),
      await host.acme.call<Problem>("PUT", "/ims/v3/inventory", [{}, { sku: 1 }]),
      await host.acme.call<Problem>("POST", "/v3/catalog/product", { template: "apparel", products: [{ name: "" }] }),
      await host.viewer.call<Problem>(
        "POST",
        "/service/platform/billing/v1.0/company/1/subscription/customer-detail",
        {}
      )
    ]
    for (const { body } of answers) {
      const data = (body as { data?: { errors: ReadonlyArray<Message> } }).data
      const entries = (body.errors ?? data?.errors ?? []) as ReadonlyArray<Partial<Message>>
      for (const message of [body.message, ...entries.map((one) => one.message)])
        if (message !== undefined) assertMatch(message, /^[A-Z/"].*[.?]$/s)
    }
    strictEqual(
      answers[0]?.body.message,
      "Send the token in the header x-access-token; get one at POST /aggregator/v1/token."
    )
    assertMatch(answers[3]?.body.message ?? "", /^The request has no client credentials\. Send client_id/)
    assertMatch(
      answers[7]?.body.message ?? "",
      /^\/external_order_id: Must have at most 2000 characters; this has 2001\. See/
    )
  })

  it("about a name that is too long count its characters", async () => {
    const products = [{ name: "é".repeat(301) }]
    const { body } = await host.acme.call<Problem>("POST", "/v3/catalog/product", { template: "apparel", products })
    assertMatch(body.message, /^\/products\/0\/name: Must have at most 300 characters; this has 301\./)
  })

  it("about a token say whether it is malformed, changed, or of another interface, and what to do", async () => {
    const genuine = await host.tokenOf("/auth/bazaar/token", "bazaar")
    const [head, body] = genuine.split(".")
    const messageOf = async (token: string) => {
      const { body } = await host.client({ "x-access-token": token }).call<Problem>("GET", "/ims/v3/listings")
      strictEqual(body.code, "TOKEN_INVALID")
      return body.message
    }
    strictEqual(
      await messageOf("abc"),
      "The token is malformed. Send the token alone, complete and unchanged, as you got it when you signed in."
    )
    strictEqual(
      await messageOf(`${head}.${body}.${"a".repeat(43)}`),
      "The token's signature is wrong: it was changed, or another host issued it. Sign in on this host again."
    )
    strictEqual(
      await messageOf(genuine),
      "The token is for another interface. Get one for this interface at POST /aggregator/v1/token."
    )
  })

  it("about a value have the value, the bounds or words that are allowed, and the word that was probably meant", async () => {
    const order = TestOrders.order([TestOrders.shipmentOf([TestOrders.line("85123A", 1_000_000_001)])], {
      payment: { mode: "PREPAYED" },
      external_order_id: "A\u0007"
    })
    const { body } = await host.bazaar.call<{ errors: ReadonlyArray<object> }>("POST", TestOrders.create, order)
    deepStrictEqual(body.errors, [
      {
        path: "/external_order_id",
        code: "INVALID_TEXT",
        message: "Has the control character U+0007 at position 2; remove it."
      },
      {
        path: "/payment/mode",
        code: "INVALID_VALUE",
        message: "Must be one of COD, PREPAID. Did you mean PREPAID?",
        suggestion: "PREPAID"
      },
      {
        path: "/shipments/0/lines/0/quantity",
        code: "OUT_OF_RANGE",
        message: "Must be from 1 to 1000000000; this is 1000000001."
      }
    ])
  })

  it("about a body that is not JSON say where it stops being it", async () => {
    const token = await host.tokenOf("/aggregator/v1/token", "acme")
    const text = '[{"orderId": '
    const headers = {
      "x-access-token": token,
      "content-type": "application/json",
      "content-length": String(text.length)
    }
    const { body } = await host.send("POST", `${shipment}/pack`, headers, text)
    strictEqual(
      body.message,
      "The body is not JSON: unexpected end at line 1, column 14. It ends too early: send the rest."
    )
  })
})
