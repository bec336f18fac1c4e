import { describe, it } from "@effect/vitest"
import { assertMatch, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { start, useHost } from "./TestHost.ts"

interface Problem {
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{
    readonly path: string
    readonly code: string
    readonly message: string
    readonly suggestion?: string
  }>
}

const billing = "/service/platform/billing/v1.0/company/1"

describe("query parameters", () => {
  const host = useHost()

  const clientOf = (path: string) =>
    path.startsWith("/service") ? host.ops : path.startsWith("/order") ? host.bazaar : host.acme

  const say = async (path: string, method: "GET" | "POST" | "PUT" | "DELETE" = "GET", api = clientOf(path)) => {
    const { body, status } = await api.call<Problem>(method, path, method === "GET" ? undefined : [])
    return { verdict: `${status} ${body.code}`, ...body }
  }

  it("that a route doesn't have are 400 UNKNOWN_PARAMETER on every interface, and the message has the right name", async () => {
    const search = await say("/v3/catalog/taxes/hscodes?q=t-shirt")
    strictEqual(search.verdict, "400 UNKNOWN_PARAMETER")
    assertMatch(search.message, /"q"\. Did you mean .*search/)
    const page = await say("/oms/v3/shipment?page=2")
    assertMatch(page.message, /Did you mean (pageNumber or pageSize|pageSize or pageNumber)\?$/)
    for (const [path, suggestion] of [
      ["/v3/catalog/departments?pageSize=5", "page_size"],
      ["/v3/catalog/departments?page_sise=5&name=a", "page_size"],
      ["/v3/catalog/category?Level=1", "level"],
      ["/v3/catalog/product?itemcode=1", "item_code"],
      ["/ims/v3/listings?sku=1", "skus"],
      ["/oms/v3/shipment?orderid=1", "orderId"],
      ["/oms/v3/shipment/info?order_id=1", "orderId"],
      ["/order/api/v1/bazaar/order?platformOrderId=1", "platform_order_id"],
      [`${billing}/invoice/list?pages=1`, "page"],
      ["/service/platform/audit-trail/v1.0/company/1/logs?qs=a&limits=1", "limit"]
    ] as const) {
      const { errors, message, verdict } = await say(path)
      const name = /[?&]([^?&=]+)=[^&]*$/.exec(path)?.[1]
      const sent = path.includes("page_sise") ? "page_sise" : name
      deepStrictEqual(
        [verdict, errors?.map((one) => [one.path, one.code, one.suggestion])],
        ["400 UNKNOWN_PARAMETER", [[`/${sent}`, "UNKNOWN_PARAMETER", suggestion]]]
      )
      assertMatch(message, new RegExp(`Did you mean ${suggestion}\\?`))
    }
  })

  it("that are sent more than once say so, wherever they are", async () => {
    for (const [path, name] of [
      ["/v3/catalog/departments?page_number=1&page_number=2", "page_number"],
      ["/v3/catalog/category?cat3_id=1&cat3_id=2", "cat3_id"],
      ["/order/api/v1/bazaar/order?platform_order_id=1&platform_order_id=2", "platform_order_id"],
      ["/service/platform/audit-trail/v1.0/company/1/logs?qs=a&qs=b", "qs"],
      ["/documents/labels-a4-1-1.pdf?expires=1&expires=2", "expires"]
    ] as const) {
      const { errors, verdict } = await say(path)
      deepStrictEqual(
        [verdict, errors?.map(({ message, path: place }) => [place, message])],
        ["400 VALIDATION_FAILED", [[`/${name}`, "Is sent 2 times; send it once."]]]
      )
    }
  })

  it("are checked on writes too, before the body, and on routes that take none", async () => {
    strictEqual((await say("/oms/v3/shipment/return?badqc=true", "POST")).errors?.[0]?.suggestion, "badQc")
    strictEqual((await say("/oms/v3/shipment/labels?size=a4", "POST")).verdict, "400 UNKNOWN_PARAMETER")
    for (const [method, path] of [
      ["PUT", "/ims/v3/inventory?location=BLR1"],
      ["POST", "/order/api/v1/bazaar/create?test=1"],
      ["GET", "/ims/v3/listings/count?page_no=1"],
      ["GET", `${billing}/subscription/current?x=1`]
    ] as const) {
      const { message, verdict } = await say(path, method)
      strictEqual(verdict, "400 UNKNOWN_PARAMETER")
      assertMatch(message, /This route takes none\.$/)
    }
  })

  it("don't get ahead of the route, the token and its rights", async () => {
    strictEqual((await say("/v3/catalog/nothing?q=1")).verdict, "404 ROUTE_NOT_FOUND")
    strictEqual((await say("/v3/catalog/departments?q=1", "GET", host.anonymous)).verdict, "401 TOKEN_MISSING")
    strictEqual((await say("/order/api/v1/souk/order?q=1")).verdict, "403 FORBIDDEN")
    strictEqual((await say("/service/platform/billing/v1.0/company/2/invoice/list?q=1")).verdict, "403 FORBIDDEN")
  })

  it("with hostile names are answered quickly and don't come back at length", async () => {
    for (const name of ["__proto__", "constructor", "toString", "%00", "a[b]=c&a", "x".repeat(8_000)]) {
      const { message, verdict } = await say(`/v3/catalog/departments?${name}=1`)
      strictEqual(verdict, "400 UNKNOWN_PARAMETER")
      strictEqual(message.length < 400, true)
    }
  })

  it("that documents name are accepted, and on token paths any are", async () => {
    for (const path of [
      "/v3/catalog/departments?name=a&slug=b&is_active=true&page_number=1&page_size=10",
      "/v3/catalog/category?slug=a&level=3&department=1&cat3_id=1,2&page_number=1&page_size=10",
      "/v3/catalog/company-brand?brand_name=a&page_number=1&page_size=10",
      "/v3/catalog/product/template?department=apparel&page_number=1&page_size=10",
      "/v3/catalog/product-attributes?category=T-Shirts",
      "/v3/catalog/taxes/hscodes?search=a&type=HS&page_number=1&page_size=10",
      "/v3/catalog/taxes/rules?status=ACTIVE&version_status=CURRENT&rule_name=a&page_number=1&page_size=10",
      "/v3/catalog/product?name=a&slug=b&item_code=1,2&sort_on=created&page_number=1&page_size=10",
      "/ims/v3/listings?page_no=1&page_size=10&skus=1,2",
      "/oms/v3/shipment?orderingChannel=bazaar&orderStatus=CREATED&pageNumber=1&pageSize=9&locationCode=BLR1&orderDateFrom=01-01-2026&orderDateTo=01-02-2026",
      "/oms/v3/shipment/info?orderStatus=CREATED&locationCode=BLR1&pageNumber=1&pageSize=9",
      `${billing}/coupon/check-validity?plan=basic&coupon_code=WELCOME10`,
      `${billing}/invoice/list?page=1&limit=10`,
      `${billing}/subscription/current-limit?product_suite=ecomm&type=company`,
      "/service/platform/audit-trail/v1.0/company/1/logs?qs=a&limit=10&sort=%5Bobject%20Object%5D"
    ])
      strictEqual((await say(path)).verdict, "200 undefined", path)
    const token = "/aggregator/v1/token?username=acme&password=acme-secret&source=erp"
    strictEqual((await say(token, "GET", host.anonymous)).verdict, "200 undefined")
  })

  it("LENIENT_QUERY=1 ignores unknown ones", async () => {
    const lenient = await start({ lenientQuery: true })
    const acme = await lenient.seller("acme")
    strictEqual((await acme.call("GET", "/v3/catalog/taxes/hscodes?q=t-shirt")).status, 200)
    await lenient.stop()
  })
})
