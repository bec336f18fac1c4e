/** Sentences of the reference that may surprise clients, checked on a running host over a socket. */
import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll } from "vitest"
import {
  address,
  create,
  levelOf,
  line,
  marketplace,
  order,
  type Placed,
  type Problem,
  place,
  seen,
  seller,
  setStock,
  shipment,
  shipmentOf
} from "../../../packages/http/test/TestOrders.ts"
import { product } from "../../../packages/http/test/TestProducts.ts"
import * as Api from "../src/Api.ts"
import { basicOf, send, tokenOf, useHost } from "./TestHost.ts"

type Json = Readonly<Record<string, unknown>>

const inventory = "/ims/v3/inventory"
const price = "/ims/v3/price"
const listings = "/ims/v3/listings"
const catalog = "/v3/catalog/product"
const billing = "/service/platform/billing/v1.0/company/1"
const logs = "/service/platform/audit-trail/v1.0/company/1/logs"
const oauth = "/service/panel/authentication/v1.0/company/1/oauth/token"

const json = { "content-type": "application/json" }
const form = { "content-type": "application/x-www-form-urlencoded" }

interface Tracked {
  readonly status: string
  readonly data: Json & { readonly events: ReadonlyArray<{ readonly status: string }> }
}

const claimsOf = (token: string): Json => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())

describe("the interfaces, sentence by sentence", () => {
  const host = useHost()
  const own = {} as { ops: Api.Api; viewer: Api.Api }
  beforeAll(async () => {
    Object.assign(own, { ops: await Api.platform(host.url), viewer: await Api.platform(host.url, "viewer") })
    await setStock(host.acme, 100_000, ["85123A", "71053"])
  })
  afterAll(() => {
    own.ops.close()
    own.viewer.close()
  })

  const problem = async (api: Api.Api, method: string, path: string, body?: unknown) => {
    const { body: answer, status } = await api.call<Problem>(method, path, body)
    return [status, answer.code] as const
  }

  const newShipment = async (more: object = {}, orderMore: object = {}) => {
    const placed = await place(host.bazaar, order([shipmentOf([line("85123A", 2)], more)], orderMore))
    return placed.shipments[0]?.shipment_id ?? ""
  }

  describe("signing in", () => {
    it("a seller's answer has access_token and status SUCCESS, and nothing else", async () => {
      const { body, headers } = await send(host.url, "GET", "/aggregator/v1/token?username=acme&password=acme-secret")
      deepStrictEqual(Object.keys(body), ["access_token", "status"])
      strictEqual((body as Json).status, "SUCCESS")
      strictEqual(headers["cache-control"], "no-store")
    })

    it("a marketplace's answer has access_token alone", async () => {
      const { body } = await send(host.url, "GET", "/auth/bazaar/token?username=bazaar&password=bazaar-secret")
      deepStrictEqual(Object.keys(body), ["access_token"])
    })

    it("a platform's answer has token_type bearer, the seconds of a day, and scopes separated by spaces", async () => {
      const headers = { ...form, authorization: basicOf("viewer", "viewer-secret") }
      const { body } = await send(host.url, "POST", oauth, headers, "grant_type=client_credentials")
      const { access_token: _, ...rest } = body as Json
      deepStrictEqual(rest, {
        token_type: "bearer",
        expires_in: 86_400,
        scope: "company/finance/read company/audit/read"
      })
    })

    it("a token has iss, aud, sub, company_id, jti, iat and exp 24 hours later, and locations only at location level", async () => {
      const whole = claimsOf(await tokenOf(host.url, "/aggregator/v1/token", "acme"))
      const located = claimsOf(await tokenOf(host.url, "/aggregator/v1/token", "acme-blr1"))
      for (const claims of [whole, located]) {
        for (const name of ["iss", "sub", "jti"]) strictEqual(typeof claims[name], "string", name)
        deepStrictEqual([claims.aud, claims.company_id], ["seller", 1])
        strictEqual(Number(claims.exp) - Number(claims.iat), 86_400)
      }
      deepStrictEqual([whole.locations, located.locations], [undefined, ["BLR1"]])
    })

    it("no answer about a token may be cached, whatever the path, the method and the outcome", async () => {
      const answers = await Promise.all([
        send(host.url, "GET", "/aggregator/v1/token?username=acme&password=wrong"),
        send(host.url, "POST", "/aggregator/v1/token", json, '{"username":"acme","password":"acme-secret"}'),
        send(host.url, "GET", "/auth/bazaar/token?username=bazaar&password=bazaar-secret"),
        send(host.url, "POST", "/auth/bazaar/token", json, "{}"),
        send(host.url, "POST", oauth, { ...form, authorization: basicOf("ops", "ops-secret") }, "grant_type=other")
      ])
      deepStrictEqual(
        answers.map(({ headers, status }) => [status, headers["cache-control"]]),
        [401, 200, 200, 400, 400].map((status) => [status, "no-store"])
      )
    })

    it("a platform sign-in takes a form or JSON, and 415 names both", async () => {
      const authorization = basicOf("ops", "ops-secret")
      for (const [headers, grant] of [
        [form, "grant_type=client_credentials"],
        [json, '{"grant_type":"client_credentials"}']
      ] as const)
        strictEqual((await send(host.url, "POST", oauth, { ...headers, authorization }, grant)).status, 200, grant)
      const text = { "content-type": "text/plain", authorization }
      const { body, status } = await send(host.url, "POST", oauth, text, "grant_type=client_credentials")
      deepStrictEqual([status, body.code], [415, "UNSUPPORTED_MEDIA_TYPE"])
      strictEqual(
        body.message,
        "The body must be a form or JSON; it was sent as text/plain. Send it with Content-Type: application/json or application/x-www-form-urlencoded."
      )
    })

    it("an empty Content-Type counts as none in the message of 415", async () => {
      const empty = { "content-type": "", authorization: basicOf("ops", "ops-secret") }
      const { body } = await send(host.url, "POST", oauth, empty, "grant_type=client_credentials")
      assertTrue(String(body.message).includes("it was sent without a Content-Type"), String(body.message))
    })

    it("an Idempotency-Key on a token path is ignored: two sign-ins are two tokens", async () => {
      const headers = { ...json, "idempotency-key": "sign-in" }
      const body = '{"username":"acme","password":"acme-secret"}'
      const first = await send(host.url, "POST", "/aggregator/v1/token", headers, body)
      const second = await send(host.url, "POST", "/aggregator/v1/token", headers, body)
      deepStrictEqual([first.status, second.status], [200, 200])
      assertTrue(first.body.access_token !== second.body.access_token)
    })

    it("an empty password is wrong credentials for a platform's client, and a missing parameter for a seller", async () => {
      const headers = { ...form, authorization: basicOf("ops", "") }
      const { status } = await send(host.url, "POST", oauth, headers, "grant_type=client_credentials")
      const missing = await send(host.url, "GET", "/aggregator/v1/token?username=acme")
      deepStrictEqual([status, missing.status, missing.body.code], [401, 400, "VALIDATION_FAILED"])
    })
  })

  describe("errors", () => {
    it("every answer outside 2xx has message, code and request_id, and errors only when parts are at fault", async () => {
      const answers = await Promise.all([
        send(host.url, "GET", "/nowhere"),
        send(host.url, "DELETE", inventory),
        send(host.url, "PUT", inventory),
        send(host.url, "PUT", inventory, { "x-access-token": "x" }),
        host.acme.call<Json>("PUT", inventory, []),
        host.acme.call<Json>("GET", `${listings}?page_size=0`),
        host.acme.call<Json>("GET", `${shipment}?orderId=1`),
        host.bazaar.call<Json>("POST", create, {})
      ])
      deepStrictEqual(
        answers.map(({ body, status }) => [status, (body as Problem).errors !== undefined]),
        [
          [404, false],
          [405, false],
          [401, false],
          [401, false],
          [400, false],
          [400, true],
          [404, false],
          [400, true]
        ]
      )
      for (const { body, headers } of answers) {
        const { code, docs, errors, message, request_id, ...rest } = body as Json
        deepStrictEqual(rest, {})
        assertMatch(String(code), /^[A-Z]+(?:_[A-Z]+)*$/)
        deepStrictEqual([typeof message, request_id], ["string", headers["x-request-id"]])
        for (const { path, ...entry } of (errors ?? []) as ReadonlyArray<Json>) {
          assertMatch(String(path), /^\//)
          deepStrictEqual(
            Object.keys(entry)
              .filter((name) => name !== "suggestion")
              .toSorted(),
            ["code", "message"]
          )
        }
        assertTrue(String(docs).startsWith(`${host.url}/docs/errors#`))
      }
    })

    it("an Idempotency-Key has 1 to 255 characters, and an empty one is 400", async () => {
      const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
      const put = async (key: string) => {
        const headers = { ...json, "x-access-token": token, "idempotency-key": key }
        const { body } = await send(host.url, "PUT", inventory, headers, "[]")
        return [body.code, body.errors?.[0]?.path]
      }
      for (const key of ["", "k".repeat(256)])
        deepStrictEqual(await put(key), ["VALIDATION_FAILED", "/Idempotency-Key"], key)
      for (const key of ["k", "k".repeat(255)]) deepStrictEqual(await put(key), ["EMPTY_REQUEST", undefined], key)
    })

    it("a page size or a list in a query beyond its bound is VALIDATION_FAILED, a list in a body TOO_MANY_RECORDS", async () => {
      const skus = Array.from({ length: 11 }, (_, n) => `S${n}`).join()
      deepStrictEqual(await problem(host.acme, "GET", `${listings}?page_size=501`), [400, "VALIDATION_FAILED"])
      deepStrictEqual(await problem(host.acme, "GET", `${listings}?skus=${skus}`), [400, "VALIDATION_FAILED"])
      const records = Array.from({ length: 501 }, () => ({}))
      deepStrictEqual(await problem(host.acme, "PUT", inventory, records), [400, "TOO_MANY_RECORDS"])
    })

    it("a number in a query is decimal digits alone: no sign, exponent, fraction or blank", async () => {
      for (const number of ["%2B1", "1e1", "1.0", "0x1", "%201", ""])
        deepStrictEqual(
          await problem(host.acme, "GET", `/v3/catalog/departments?page_number=${number}`),
          [400, "VALIDATION_FAILED"],
          number
        )
    })

    it("a text with NUL in an order is an entry INVALID_TEXT of VALIDATION_FAILED, and in a bulk the record's own code", async () => {
      const { body } = await host.bazaar.call<Problem>("POST", create, order([], { external_order_id: "A\u0000" }))
      deepStrictEqual(
        [body.code, body.errors?.find(({ path }) => path === "/external_order_id")?.code],
        ["VALIDATION_FAILED", "INVALID_TEXT"]
      )
      const records = [{ location_id: "BLR1", sku: "A\u0000", quantity: 1 }]
      const bulk = await host.acme.call<{ data: { errors: ReadonlyArray<Json> } }>("PUT", inventory, records)
      strictEqual(bulk.body.data.errors[0]?.code, "INVALID_TEXT")
    })

    it("a key __proto__ is FORBIDDEN_KEY wherever it is, and a key constructor alone is not", async () => {
      const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
      const put = (body: string) => send(host.url, "PUT", inventory, { ...json, "x-access-token": token }, body)
      strictEqual((await put('[{"meta":{"__proto__":1}}]')).body.code, "FORBIDDEN_KEY")
      strictEqual((await put('[{"constructor":{"prototype":1}}]')).body.code, "FORBIDDEN_KEY")
      strictEqual((await put('[{"constructor":1}]')).status, 200)
    })

    it("a path is matched with case and without a trailing slash", async () => {
      for (const path of ["/IMS/v3/inventory", "/ims/v3/inventory/", "//ims/v3/inventory"])
        strictEqual((await send(host.url, "PUT", path)).body.code, "ROUTE_NOT_FOUND", path)
    })

    it("a known path with another method is 405 with Allow, before its token is looked at", async () => {
      const { body, headers, status } = await send(host.url, "POST", inventory)
      deepStrictEqual([status, body.code, headers.allow], [405, "METHOD_NOT_ALLOWED", "PUT"])
    })

    it("an amount with more decimals than its currency or more than 15 digits is rejected, never rounded", async () => {
      const record = (esp: string) => `[{"location_id":"BLR1","sku":"85123A","mrp":500,"esp":${esp},"currency":"INR"}]`
      const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
      for (const [esp, code] of [
        ["1.001", "TOO_MANY_DECIMALS"],
        ["1.2345678901234567", "INVALID_RECORD"]
      ] as const) {
        const { body } = await send(host.url, "PUT", price, { ...json, "x-access-token": token }, record(esp))
        const { errors } = (body as unknown as { data: { errors: ReadonlyArray<Json> } }).data
        deepStrictEqual(
          errors.map((entry) => [entry.code, entry.path]),
          [[code, "/0/esp"]],
          esp
        )
      }
    })

    it("another company's company_id in a path is 403, whether it exists or not", async () => {
      for (const company of ["2", "999", "x"])
        deepStrictEqual(
          await problem(own.ops, "GET", `/service/platform/billing/v1.0/company/${company}/invoice/list`),
          [403, "FORBIDDEN"]
        )
    })

    it("a client without the write scope is 403 before its body is read", async () => {
      deepStrictEqual(await problem(own.viewer, "POST", logs, { wrong: true }), [403, "FORBIDDEN"])
    })
  })

  describe("bulks of prices and stock", () => {
    it("a single record without its array gets a message that says what was sent and what to send", async () => {
      const { body } = await host.acme.call<Problem>("PUT", inventory, { sku: "85123A" })
      strictEqual(
        body.message,
        "The request: Must be an array of records; this is an object. Send an array for a single record too: [{…}]."
      )
    })

    it("a partial success is 200 with PARTIAL_SUCCESS, and its entries have the record's own keys as sent", async () => {
      const records = [
        { location_id: "BLR1", sku: "85123A", quantity: 99_990 },
        { location_id: "BLR1", sku: "NO-SUCH", quantity: 1 },
        { location_id: "DEL1", sku: "85123A", quantity: 1 }
      ]
      const { body, status } = await host.acme.call<{ data: { errors: ReadonlyArray<Json> } & Json; meta: Json }>(
        "PUT",
        inventory,
        records
      )
      const { errors, ...counts } = body.data
      deepStrictEqual([status, body.meta.status], [200, "PARTIAL_SUCCESS"])
      deepStrictEqual(counts, { payload_count: 3, success_count: 1, failed_count: 2 })
      deepStrictEqual(
        errors.map(({ code, index, location_id, sku }) => [index, code, sku, location_id]),
        [
          [1, "UNKNOWN_SKU", "NO-SUCH", "BLR1"],
          [2, "UNKNOWN_LOCATION", "85123A", "DEL1"]
        ]
      )
    })

    it("meta has an ack_id of 24 hex characters, its own in each answer, integrationId, time and status", async () => {
      const read = async () => (await host.acme.call<{ meta: Json }>("GET", `${listings}?page_size=1`)).body.meta
      const { ack_id, time, ...rest } = await read()
      deepStrictEqual(rest, { integrationId: "sandbox-acme", status: "SUCCESS" })
      assertMatch(String(ack_id), /^[0-9a-f]{24}$/)
      assertTrue(ack_id !== (await read()).ack_id)
      assertMatch(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it("a number as text, a fraction and a negative quantity are INVALID_RECORD under the policy set", async () => {
      for (const quantity of ["5", 1.5, -1]) {
        const { body } = await host.acme.call<{ data: { errors: ReadonlyArray<Json> } }>("PUT", inventory, [
          { location_id: "BLR1", sku: "85123A", quantity }
        ])
        strictEqual(body.data.errors[0]?.code, "INVALID_RECORD", String(quantity))
        strictEqual(body.data.errors[0]?.path, "/0/quantity")
      }
    })

    it("a stale expected_quantity is STALE_QUANTITY with current_quantity, and changes nothing", async () => {
      await setStock(host.acme, 7, ["22752"])
      const { body } = await host.acme.call<{ data: { errors: ReadonlyArray<Json> } }>("PUT", inventory, [
        { location_id: "BLR1", sku: "22752", quantity: 9, expected_quantity: 8 }
      ])
      const [entry] = body.data.errors
      deepStrictEqual([entry?.code, entry?.current_quantity], ["STALE_QUANTITY", 7])
      deepStrictEqual(await levelOf(host.acme, "22752"), [7, 0, 0])
    })

    it("a listing has exactly the documented fields, quantity being on hand and sellable what is not reserved", async () => {
      await setStock(host.acme, 7, ["22457"])
      await place(host.bazaar, order([shipmentOf([line("22457", 2)])]))
      const { body } = await host.acme.call<{ data: ReadonlyArray<Json> }>("GET", `${listings}?skus=22457`)
      deepStrictEqual(
        Object.keys(body.data[0] ?? {}).toSorted(),
        "sku location_id item_code name brand size mrp esp currency quantity reserved sellable unsellable batch modified_on"
          .split(" ")
          .toSorted()
      )
      const { batch, quantity, reserved, sellable, unsellable } = body.data[0] ?? {}
      deepStrictEqual([quantity, reserved, sellable, unsellable, batch], [7, 2, 5, 0, false])
    })

    it("the count takes x-batch-product TRUE or FALSE, in capitals", async () => {
      const count = (value: string) =>
        host.acme.call<Json>("GET", `${listings}/count`, undefined, { "x-batch-product": value })
      for (const [value, status] of Object.entries({ TRUE: 200, FALSE: 200, true: 400, false: 400, "1": 400, "": 400 }))
        strictEqual((await count(value)).status, status, value)
    })

    it("a repeat with its Idempotency-Key gives the first answer again, marked; with another body or query it is 422", async () => {
      const key = { "idempotency-key": "stock-1" }
      const body = [{ location_id: "BLR1", sku: "71053", quantity: 5 }]
      const first = await host.acme.call<Json>("PUT", inventory, body, key)
      const again = await host.acme.call<Json>("PUT", inventory, body, key)
      deepStrictEqual(again.body, first.body)
      deepStrictEqual([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]], [undefined, "true"])
      const other = await host.acme.call<Problem>("PUT", inventory, [...body, ...body], key)
      deepStrictEqual([other.status, other.body.code], [422, "IDEMPOTENCY_MISMATCH"])
      const checked = (badQc: boolean) =>
        host.acme.call<Problem>("POST", `${shipment}/return?badQc=${badQc}`, [{ orderId: "1" }], key)
      deepStrictEqual([(await checked(true)).status, (await checked(false)).body.code], [200, "IDEMPOTENCY_MISMATCH"])
    })

    it("an Idempotency-Key belongs to its principal, method and path", async () => {
      const key = { "idempotency-key": "stock-2" }
      const body = [{ location_id: "BLR1", sku: "71053", quantity: 5 }]
      const isReplayed = async (api: Api.Api, method: string, path: string) =>
        (await api.call(method, path, body, key)).headers["idempotent-replayed"] === "true"
      const replayed = []
      for (const [api, method, path] of [
        [host.acme, "PUT", inventory],
        [host.blr1, "PUT", inventory],
        [host.acme, "PUT", price],
        [host.acme, "PUT", catalog],
        [host.acme, "POST", catalog],
        [host.acme, "PUT", inventory]
      ] as const)
        replayed.push(await isReplayed(api, method, path))
      deepStrictEqual(replayed, [false, false, false, false, false, true])
    })
  })

  describe("the catalog", () => {
    it("a page has items, page_number, page_size and total; attributes have items alone", async () => {
      const page = await host.acme.call<Json>("GET", "/v3/catalog/departments")
      deepStrictEqual(Object.keys(page.body).toSorted(), ["items", "page_number", "page_size", "total"])
      deepStrictEqual([page.body.page_number, page.body.page_size], [1, 10])
      const none = await host.acme.call<Json>("GET", "/v3/catalog/product-attributes?category=NoSuch")
      deepStrictEqual(none.body, { items: [] })
    })

    it("a page size of 0, 201 or a word is 400, and 200 is not", async () => {
      const status = async (size: string) =>
        (await host.acme.call("GET", `/v3/catalog/departments?page_size=${size}`)).status
      deepStrictEqual(await Promise.all(["0", "201", "all", "200"].map(status)), [400, 400, 400, 200])
    })

    it("a create of a wrong shape is 400 with every fault, and one that does not fit the data fails alone", async () => {
      const wrong = [product("W1", { name: "", hs_code: "12" }), product("W2", { category: 5 })]
      const rejected = await host.acme.call<Problem>("POST", catalog, { template: "apparel", products: wrong })
      deepStrictEqual([rejected.status, rejected.body.code], [400, "VALIDATION_FAILED"])
      const paths = rejected.body.errors?.map(({ path }) => path) ?? []
      for (const path of ["/products/0/name", "/products/0/hs_code", "/products/1/category"])
        assertTrue(paths.includes(path), path)
      const partly = await host.acme.call<Json>("POST", catalog, {
        template: "apparel",
        products: [product("P1", { brand: "Nobody" }), product("P2")]
      })
      const { errors, failed, status, success, trace_id } = partly.body
      deepStrictEqual([partly.status, success, failed, status], [200, 1, 1, "PARTIAL_SUCCESS"])
      deepStrictEqual(
        Object.entries(errors as Readonly<Record<string, Json>>).map(([at, { code, path }]) => [at, code, path]),
        [["0", "UNKNOWN_BRAND", "/products/0/brand"]]
      )
      assertMatch(String(trace_id), /^[0-9a-f]{16}-\d{13}$/)
    })

    it("a delete with sizes: [] is rejected and never deletes the product", async () => {
      const products = [{ item_code: "AR-22752", sizes: [] }]
      deepStrictEqual(await problem(host.acme, "DELETE", catalog, { template: "apparel", products }), [
        400,
        "VALIDATION_FAILED"
      ])
      const { body } = await host.acme.call<{ items: ReadonlyArray<Json> }>("GET", `${catalog}?item_code=AR-22752`)
      deepStrictEqual(
        body.items.map(({ item_code }) => item_code),
        ["AR-22752"]
      )
    })

    it("an unknown trace_id is 404, a missing one 400", async () => {
      deepStrictEqual(await problem(host.acme, "GET", "/v3/catalog/status?trace_id=1"), [404, "NOT_FOUND"])
      deepStrictEqual(await problem(host.acme, "GET", "/v3/catalog/status"), [400, "VALIDATION_FAILED"])
    })

    it("a location-level token reads the catalog and is 403 on its writes", async () => {
      strictEqual((await host.blr1.call("GET", catalog)).status, 200)
      const body = { template: "apparel", products: [product("L1")] }
      for (const method of ["POST", "PUT", "DELETE"])
        deepStrictEqual(await problem(host.blr1, method, catalog, body), [403, "FORBIDDEN"], method)
    })
  })

  describe("shipments", () => {
    it("a list is a bare array with its total in x-total-count", async () => {
      const list = `${shipment}?orderStatus=CREATED&locationCode=BLR1&pageSize=1`
      const total = async () => Number((await host.acme.call("GET", list)).headers["x-total-count"])
      const before = await total()
      const newest = [await newShipment(), await newShipment()].at(-1)
      const { body } = await host.acme.call<ReadonlyArray<Json>>("GET", list)
      deepStrictEqual(
        body.map(({ id }) => id),
        [newest]
      )
      strictEqual(await total(), before + 2)
    })

    it("with an orderId the other filters are not applied", async () => {
      const id = await newShipment()
      const { body, status } = await host.acme.call<ReadonlyArray<Json>>(
        "GET",
        `${shipment}?orderId=${id}&orderStatus=DELIVERED&orderDateTo=01-01-2000&orderingChannel=souk&pageNumber=2`
      )
      strictEqual(status, 200, JSON.stringify(body))
      deepStrictEqual(
        body.map((one) => one.id),
        [id]
      )
    })

    it("a list needs orderStatus, and with a company-level token locationCode", async () => {
      deepStrictEqual(await problem(host.acme, "GET", `${shipment}?locationCode=BLR1`), [400, "VALIDATION_FAILED"])
      deepStrictEqual(await problem(host.acme, "GET", `${shipment}?orderStatus=CREATED`), [400, "VALIDATION_FAILED"])
      strictEqual((await host.blr1.call("GET", `${shipment}?orderStatus=CREATED`)).status, 200)
    })

    it("info needs orderId or orderStatus, and no locationCode", async () => {
      deepStrictEqual(await problem(host.acme, "GET", `${shipment}/info`), [400, "VALIDATION_FAILED"])
      const { body } = await host.acme.call<{ orders: ReadonlyArray<Json> }>(
        "GET",
        `${shipment}/info?orderStatus=CREATED`
      )
      assertTrue(body.orders.length > 0)
      strictEqual(body.orders[0]?.orderType, body.orders[0]?.orderBusinessType)
    })

    it("a date is dd-mm-yyyy; another form or a day that does not exist is 400", async () => {
      for (const day of ["2026-01-31", "31-02-2026", "1-1-2026"])
        deepStrictEqual(
          await problem(host.acme, "GET", `${shipment}?orderStatus=CREATED&locationCode=BLR1&orderDateFrom=${day}`),
          [400, "VALIDATION_FAILED"],
          day
        )
    })

    it("an unknown orderId is 404, an unknown locationCode 400, another own location 403", async () => {
      deepStrictEqual(await problem(host.acme, "GET", `${shipment}?orderId=1`), [404, "NOT_FOUND"])
      const list = `${shipment}?orderStatus=CREATED&locationCode=`
      deepStrictEqual(await problem(host.acme, "GET", `${list}NOWHERE`), [400, "UNKNOWN_LOCATION"])
      deepStrictEqual(await problem(host.acme, "GET", `${list}DEL1`), [400, "UNKNOWN_LOCATION"])
      deepStrictEqual(await problem(host.blr1, "GET", `${list}BOM1`), [403, "FORBIDDEN"])
    })

    it("a shipment of another location is 404 for a location-level token", async () => {
      await setStock(host.acme, 5, ["85123A"], "BOM1")
      const id = await newShipment({ location_id: "BOM1" })
      deepStrictEqual(await problem(host.blr1, "GET", `${shipment}?orderId=${id}`), [404, "NOT_FOUND"])
      strictEqual((await seen(host.acme, id)).id, id)
    })

    it("paymentType is COD or Prepaid, orderBusinessType B2B with a gstin, journeyType forward", async () => {
      const cod = await seen(host.acme, await newShipment({}, { payment: { mode: "COD" } }))
      const gstin = await seen(host.acme, await newShipment({}, { tax_info: { gstin: "29ABCDE1234F1Z5" } }))
      deepStrictEqual([cod.paymentType, cod.orderBusinessType, cod.journeyType], ["COD", "B2C", "forward"])
      deepStrictEqual([gstin.paymentType, gstin.orderBusinessType], ["Prepaid", "B2B"])
    })

    it("an unknown invoiceType is INVALID_RECORD, and the serial numbers have a path of their own", async () => {
      const id = await newShipment({ is_self_ship: true })
      await seller(host.acme).confirm(id)
      strictEqual(await seller(host.acme).invoice(id, "X-1", { invoiceType: "proforma" }), "INVALID_RECORD")
      const { orderItems } = await seen(host.acme, id)
      const orderItemId = orderItems[0]?.orderItemId
      for (const imeiSerialNumber of [
        ["1", "2", "3"],
        ["1", "1"]
      ]) {
        const item = { orderItemId, quantity: 2, imeiSerialNumber }
        const { body } = await host.acme.call<{ errors: ReadonlyArray<Json> }>("POST", `${shipment}/invoiceUpdate`, [
          { orderId: id, invoiceNumber: "X-2", invoiceType: "sale", orderItems: [item] }
        ])
        deepStrictEqual(
          body.errors.map(({ code, path }) => [code, path]),
          [["INVALID_RECORD", "/0/orderItems/0/imeiSerialNumber"]],
          imeiSerialNumber.join()
        )
      }
    })

    it("confirm must name all that is left; an unknown status is S400; a repeat of a status changes nothing", async () => {
      const id = await newShipment({ is_self_ship: true })
      const acme = seller(host.acme)
      const { orderItems } = await seen(host.acme, id)
      const orderItemId = orderItems[0]?.orderItemId ?? ""
      strictEqual(await acme.confirm(id, [{ orderItemId, quantity: 1 }]), "O409")
      assertMatch(await acme.status(id, "ON_THE_MOON"), /^S400/)
      deepStrictEqual([await acme.confirm(id), await acme.invoice(id), await acme.pack(id)], ["ok", "ok", "ok"])
      const events = async () =>
        (await host.acme.call<Tracked>("POST", `${shipment}/track`, { shipment_id: id })).body.data.events
      strictEqual(await acme.status(id, "bag_picked"), "ok")
      const before = await events()
      strictEqual(await acme.status(id, "bag_picked"), "ok")
      deepStrictEqual(await events(), before)
      strictEqual(await acme.pack(id), "CR400")
    })

    it("a move that is not allowed has reason INVALID_TRANSITION, and names both statuses and what is allowed", async () => {
      const id = await newShipment()
      const { body } = await host.acme.call<{ data: { errors: ReadonlyArray<Json> } }>("PUT", `${shipment}/status`, [
        { orderId: id, orderStatus: "delivery_done" }
      ])
      const [entry] = body.data.errors
      deepStrictEqual([entry?.code, entry?.reason, entry?.orderId], ["S400", "INVALID_TRANSITION", id])
      assertMatch(
        String(entry?.message),
        /from placed to delivery_done\. You can confirm it, cancel part of it or cancel it\./
      )
    })

    it("only a marketplace sends cancelled_customer and return_initiated", async () => {
      const id = await newShipment()
      assertMatch(await seller(host.acme).status(id, "cancelled_customer"), /^S400/)
      strictEqual(await marketplace(host.bazaar).status(id, "cancelled_customer"), "ok")
      strictEqual((await seen(host.acme, id)).orderStatus, "CANCELLED")
      const delivered = await newShipment({ is_self_ship: true })
      const acme = seller(host.acme)
      const moves = [await acme.confirm(delivered), await acme.invoice(delivered), await acme.pack(delivered)]
      for (const status of ["bag_picked", "delivery_done"]) moves.push(await acme.status(delivered, status))
      deepStrictEqual(moves, ["ok", "ok", "ok", "ok", "ok"])
      assertMatch(await acme.status(delivered, "return_initiated"), /^S400/)
      strictEqual(await marketplace(host.bazaar).status(delivered, "return_initiated"), "ok")
    })

    it("courierDetails has an entry with C404 in the place of an unknown shipment", async () => {
      const id = await newShipment()
      const { body } = await host.acme.call<ReadonlyArray<Json>>("POST", `${shipment}/courierDetails`, [
        { orderId: "1" },
        { orderId: id }
      ])
      deepStrictEqual([body[0]?.code, body[0]?.orderId, body[1]?.orderId], ["C404", "1", id])
    })

    it("track without keys is 400, of an unknown shipment 404, and else SUCCESS with its events", async () => {
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/track`, {}), [400, "VALIDATION_FAILED"])
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/track`, { shipment_id: "1" }), [404, "NOT_FOUND"])
      const shipment_id = await newShipment()
      strictEqual(await seller(host.acme).confirm(shipment_id), "ok")
      const keys = { shipment_id, awb_number: "NOT-ITS" }
      const { body, status } = await host.acme.call<Tracked>("POST", `${shipment}/track`, keys)
      strictEqual(status, 200, JSON.stringify(body))
      const { current_status, events, operational_status } = body.data
      deepStrictEqual(
        [body.status, body.data.shipment_id, current_status, operational_status],
        ["SUCCESS", shipment_id, "CONFIRMED", "bag_confirmed"]
      )
      deepStrictEqual(
        events.map(({ status }) => status),
        ["placed", "bag_confirmed"]
      )
    })

    it("POSTs that only read ignore an Idempotency-Key: the same one goes with other bodies, and nothing is repeated", async () => {
      const key = { "idempotency-key": "read-1" }
      const ids = [await newShipment(), await newShipment()]
      for (const shipment_id of [...ids, ...ids]) {
        const tracked = await host.acme.call<Tracked>("POST", `${shipment}/track`, { shipment_id }, key)
        const couriers = await host.acme.call<ReadonlyArray<Json>>(
          "POST",
          `${shipment}/courierDetails`,
          [{ orderId: shipment_id }],
          key
        )
        deepStrictEqual([tracked.body.data.shipment_id, couriers.body[0]?.orderId], [shipment_id, shipment_id])
        for (const { headers } of [tracked, couriers]) strictEqual(headers["idempotent-replayed"], undefined)
      }
      for (const printed of ["labels", "invoice"])
        for (const orderId of ids) {
          const { body } = await host.acme.call<Problem>("POST", `${shipment}/${printed}`, [{ orderId }], key)
          assertTrue(body.message.includes(orderId), body.message)
        }
    })

    it("a label before packing is 400 L403, of an unknown shipment L400, an invoice IN403 and IN400, and printSize a5 is 400", async () => {
      const id = await newShipment()
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/labels`, [{ orderId: id }]), [400, "L403"])
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/labels`, [{ orderId: "1" }]), [400, "L400"])
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/labels?printSize=a5`, [{ orderId: id }]), [
        400,
        "VALIDATION_FAILED"
      ])
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/invoice`, [{ orderId: id }]), [400, "IN403"])
      deepStrictEqual(await problem(host.acme, "POST", `${shipment}/invoice`, [{ orderId: "1" }]), [400, "IN400"])
    })

    it("a shipment id has 20 digits, and later ones are greater", async () => {
      const [first, second] = [await newShipment(), await newShipment()]
      assertMatch(first, /^\d{20}$/)
      assertTrue(first < second)
    })
  })

  describe("orders of a marketplace", () => {
    it("the same order again gives the same ids; other content is 409 ORDER_EXISTS", async () => {
      const body = order([shipmentOf([line("85123A")])])
      const first = await place(host.bazaar, body)
      deepStrictEqual(await place(host.bazaar, body), first)
      const { external_shipment_id: _, ...rest } = first.shipments[0] ?? { external_shipment_id: "" }
      deepStrictEqual(Object.keys(rest), ["shipment_id"])
      const other = { ...body, shipments: [shipmentOf([line("85123A", 2)])] }
      deepStrictEqual(await problem(host.bazaar, "POST", create, other), [409, "ORDER_EXISTS"])
    })

    it("a wrong total, a line id twice, an unknown SKU and an unknown location each have their code", async () => {
      const codeOf = async (lines: ReadonlyArray<object>, more: object = {}, shipmentMore: object = {}) =>
        problem(host.bazaar, "POST", create, order([shipmentOf(lines, shipmentMore)], more))
      const twice = [line("85123A", 1, { external_line_id: "1" }), line("85123A", 1, { external_line_id: "1" })]
      deepStrictEqual(await codeOf([line("85123A")], { total_amount: 99 }), [400, "TOTAL_MISMATCH"])
      deepStrictEqual(await codeOf(twice), [400, "DUPLICATE_LINE"])
      deepStrictEqual(await codeOf([line("NO-SUCH")]), [400, "UNKNOWN_SKU"])
      deepStrictEqual(await codeOf([line("85123A")], {}, { location_id: "NOWHERE" }), [400, "UNKNOWN_LOCATION"])
      const both = order([
        shipmentOf([line("NO-SUCH")]),
        shipmentOf([line("85123A")], { external_shipment_id: "S2", location_id: "NOWHERE" })
      ])
      deepStrictEqual(await problem(host.bazaar, "POST", create, both), [400, "VALIDATION_FAILED"])
    })

    it("short stock is 409 INSUFFICIENT_STOCK with the lines at fault, and reserves nothing", async () => {
      await setStock(host.acme, 3, ["22423", "21730"])
      const body = order([shipmentOf([line("22423"), line("21730", 4)])])
      const answer = await host.bazaar.call<Problem>("POST", create, body)
      deepStrictEqual([answer.status, answer.body.code], [409, "INSUFFICIENT_STOCK"])
      deepStrictEqual(
        answer.body.errors?.map(({ path }) => path),
        ["/shipments/0/lines/1/quantity"]
      )
      deepStrictEqual(await Promise.all(["22423", "21730"].map((sku) => levelOf(host.acme, sku))), [
        [3, 0, 0],
        [3, 0, 0]
      ])
    })

    it("souk's own location code is S-BOM; its seller's name for it is unknown there", async () => {
      await setStock(host.acme, 5, ["85123A"], "BOM1")
      const ordered = (location_id: string) =>
        host.souk.call<Placed>(
          "POST",
          "/order/api/v1/souk/create",
          order([shipmentOf([line("85123A")], { location_id })])
        )
      deepStrictEqual([(await ordered("S-BOM")).status, (await ordered("BOM1")).body.code], [200, "UNKNOWN_LOCATION"])
    })

    it("awb needs autoDispatch false and isSelfShip true, status isSelfShip true: else VALIDATION_FAILED for that item", async () => {
      const id = await newShipment()
      const errors = async (operation: string, items: ReadonlyArray<object>) => {
        const path = `/order/api/v1/bazaar/${operation}`
        const { body } = await host.bazaar.call<{ data: { errors: ReadonlyArray<Json> } }>("PUT", path, items)
        return body.data.errors.map((entry) => [entry.code, entry.orderId ?? entry.order_id, entry.path])
      }
      const awb = { orderId: id, awbNumber: "A", courierName: "C", autoDispatch: false, isSelfShip: true }
      const { autoDispatch: _, ...unsaid } = awb
      deepStrictEqual(await errors("awb", [{ ...awb, autoDispatch: true }, unsaid, { ...awb, isSelfShip: false }]), [
        ["VALIDATION_FAILED", id, "/0/autoDispatch"],
        ["VALIDATION_FAILED", id, "/1/autoDispatch"],
        ["VALIDATION_FAILED", id, "/2/isSelfShip"]
      ])
      const status = { order_id: id, status: "cancelled_customer" }
      deepStrictEqual(await errors("status", [{ ...status, isSelfShip: false }, status]), [
        ["VALIDATION_FAILED", id, "/0/isSelfShip"],
        ["VALIDATION_FAILED", id, "/1/isSelfShip"]
      ])
      strictEqual((await seen(host.acme, id)).orderStatus, "CREATED")
    })

    it("another marketplace's order is the same 404 as an unknown one", async () => {
      const { platform_order_id } = await place(host.bazaar, order([shipmentOf([line("85123A")])]))
      const read = (id: string) => host.souk.call<Problem>("GET", `/order/api/v1/souk/order?platform_order_id=${id}`)
      const unknownId = "0".repeat(24)
      const [unknown, foreign] = [await read(unknownId), await read(platform_order_id)]
      deepStrictEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"])
      deepStrictEqual([foreign.status, foreign.body.code], [404, "NOT_FOUND"])
      strictEqual(foreign.body.message.replace(platform_order_id, unknownId), unknown.body.message)
    })

    it("an address needs name, phone, address1, city, state, pincode and country", async () => {
      for (const name of ["name", "phone", "address1", "city", "state", "pincode", "country"]) {
        const { [name]: _, ...rest } = address as Json
        const body = order([shipmentOf([line("85123A")])], { shipping_address: rest })
        const { body: answer } = await host.bazaar.call<Problem>("POST", create, body)
        deepStrictEqual(
          answer.errors?.map(({ code, path }) => [path, code]),
          [[`/shipping_address/${name}`, "REQUIRED"]]
        )
      }
    })
  })

  describe("billing and audit", () => {
    const charge = (line_items: ReadonlyArray<object>) => ({
      name: "Pro",
      return_url: "https://extension.example.com/return",
      line_items
    })
    const item = (more: object) => ({
      name: "Pro",
      term: "monthly",
      price: { amount: 10, currency_code: "INR" },
      ...more
    })
    const recurring = item({ pricing_type: "recurring", recurring: { interval: "month" } })
    const subscriptions = `${billing}/extension/ext1/subscription`

    it("messages of the interface stay byte for byte: charges, coupons, subscriptions and customers", async () => {
      const id = "0".repeat(24)
      const said = async (method: string, path: string, body?: unknown) => {
        const { body: answer, status } = await own.ops.call<Problem>(method, path, body)
        return [status, answer.message]
      }
      deepStrictEqual(await said("GET", `${billing}/subscription/customer-detail`), [404, "Customer not found"])
      deepStrictEqual(await said("GET", `${subscriptions}/${id}`), [404, "Subscription not found"])
      deepStrictEqual(await said("POST", `${subscriptions}/${id}/cancel`), [404, "Subscription not found"])
      deepStrictEqual(await said("GET", `${billing}/extension/ext1/charge/${id}`), [404, "Charge not found"])
      deepStrictEqual(await said("GET", `${billing}/coupon/check-validity?plan=basic&coupon_code=EXPIRED`), [
        400,
        "Invalid coupon"
      ])
      deepStrictEqual(await said("POST", subscriptions, charge([item({ pricing_type: "recurring" })])), [
        400,
        "Missing `recurring` field"
      ])
      deepStrictEqual(await said("POST", subscriptions, charge([recurring, recurring])), [
        400,
        "Multiple `recurring charges` not allowed"
      ])
      const once = { ...charge([]), charge: item({ pricing_type: "recurring", term: "once" }) }
      deepStrictEqual(await said("POST", `${billing}/extension/ext1/one_time_charge`, once), [
        400,
        "Missing `one_time` field"
      ])
      deepStrictEqual(await said("POST", `${billing}/subscription/activate`, { plan_id: "basic" }), [
        404,
        "Customer not found"
      ])
      deepStrictEqual(await said("GET", `${logs}/${id}`), [400, "Payload or query is not valid"])
      deepStrictEqual(await said("GET", logs), [400, "Payload or query is not valid"])
      deepStrictEqual(await said("POST", logs, {}), [400, "Payload is not valid"])
    })

    it("WELCOME10 takes 99.9 off basic, in money", async () => {
      const { body } = await own.ops.call<Json>(
        "GET",
        `${billing}/coupon/check-validity?plan=basic&coupon_code=WELCOME10`
      )
      deepStrictEqual(body, { is_valid: true, discount_amount: 99.9 })
    })

    it("without a plan, current has is_enabled false and a message; the invoice list has its page", async () => {
      const current = await own.ops.call<Json>("GET", `${billing}/subscription/current`)
      deepStrictEqual(current.body, { is_enabled: false, message: "Subscription not enabled" })
      const { body } = await own.ops.call<Json>("GET", `${billing}/invoice/list?page=2&limit=7`)
      const { total, ...page } = body
      deepStrictEqual(page, { data: [], start: 7, end: 14, limit: 7, page: 2 })
      strictEqual(typeof total, "number")
    })

    it("a confirm page decides once: 303 to return_url with the id and status, also for a later decision", async () => {
      const { body } = await own.ops.call<{ confirm_url: string; subscription: Json }>("POST", subscriptions, {
        ...charge([recurring]),
        return_url: "https://extension.example.com/return?shop=7"
      })
      strictEqual(body.subscription.status, "pending")
      const path = new URL(body.confirm_url).pathname
      const decide = (decision: string) => send(host.url, "POST", path, form, `decision=${decision}`)
      const [first, later] = [await decide("decline"), await decide("accept")]
      const returned = `https://extension.example.com/return?shop=7&subscription_id=${body.subscription._id}&status=declined`
      for (const { headers, status } of [first, later]) deepStrictEqual([status, headers.location], [303, returned])
      const wrong = await send(host.url, "POST", path, { "content-type": "text/plain" }, "decision=accept")
      deepStrictEqual([wrong.status, wrong.body?.code], [415, "UNSUPPORTED_MEDIA_TYPE"])
    })

    it("an accepted one-time charge is success, with charge_id, and its page then says so and has no form", async () => {
      const once = item({ pricing_type: "one_time", term: "once" })
      const asked = { name: "Import", return_url: "https://extension.example.com/return", charge: once }
      const { body } = await own.ops.call<{ confirm_url: string; charge: Json }>(
        "POST",
        `${billing}/extension/ext1/one_time_charge`,
        asked
      )
      const path = new URL(body.confirm_url).pathname
      assertTrue((await send(host.url, "GET", path)).text.includes('<form method="post">'))
      const { headers } = await send(host.url, "POST", path, form, "decision=accept")
      strictEqual(headers.location, `https://extension.example.com/return?charge_id=${body.charge._id}&status=success`)
      const { text } = await send(host.url, "GET", path)
      assertTrue(text.includes("This charge was accepted") && !text.includes("<form"))
    })

    it("the trail answers a create with message and internal_message, and finds the record at once", async () => {
      const log_meta = { entity: { type: "sentence", id: "s-1", action: "create" } }
      const created = await own.ops.call<Json>("POST", logs, { log_meta, log_payload: { a: 1 } })
      deepStrictEqual(created.body, {
        message: "Audit log recorded successfully !",
        internal_message: "Audit log queued"
      })
      const found = await own.ops.call<{ docs: ReadonlyArray<Json>; page: Json }>(
        "GET",
        `${logs}?qs=${encodeURIComponent("entity.type:sentence")}&sort=${encodeURIComponent("[object Object]")}`
      )
      strictEqual(found.status, 200, JSON.stringify(found.body))
      deepStrictEqual([found.body.docs.length, found.body.page.has_next], [1, false])
      deepStrictEqual(found.body.docs[0]?.logs, { a: 1 })
    })

    it("a limit of the trail is 1 to 100, and an unknown key of a search is an error", async () => {
      for (const query of ["qs=a&limit=0", "qs=a&limit=101", "qs=colour:red"]) {
        const { body, status } = await own.ops.call<Problem>("GET", `${logs}?${query}`)
        deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"], query)
      }
      for (const limit of [1, 100]) strictEqual((await own.ops.call("GET", `${logs}?qs=a&limit=${limit}`)).status, 200)
    })
  })
})
