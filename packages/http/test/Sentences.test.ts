import { describe, it } from "@effect/vitest"
import { assertMatch, strictEqual } from "@effect/vitest/utils"
import { useHost } from "./TestHost.ts"
import { type Problem, shipment } from "./TestOrders.ts"

interface Message {
  readonly message: string
}

describe("messages of errors", () => {
  const host = useHost()

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
    assertMatch(answers[7]?.body.message ?? "", /^\/external_order_id: At most 2000 characters, this has 2001\. See/)
  })

  it("about a name that is too long count its characters", async () => {
    const products = [{ name: "é".repeat(301) }]
    const { body } = await host.acme.call<Problem>("POST", "/v3/catalog/product", { template: "apparel", products })
    assertMatch(body.message, /^\/products\/0\/name: At most 300 characters, this has 301\./)
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
    strictEqual(body.message, "The body is not JSON: unexpected end at line 1, column 14.")
  })
})
