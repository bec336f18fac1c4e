import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { type Client, useHost } from "./TestHost.ts"

interface Row {
  readonly sku: string
  readonly location_id: string
  readonly [field: string]: unknown
}

interface Page {
  readonly code?: string
  readonly errors?: ReadonlyArray<{ readonly path: string }>
  readonly data: ReadonlyArray<Row>
  readonly meta: { readonly ack_id: string; readonly integrationId: string; readonly status: string }
}

const listings = "/ims/v3/listings"

describe("listings", () => {
  const host = useHost()

  const read = async (api: Client, query = ""): Promise<ReadonlyArray<Row>> => {
    const answer = await api.call<Page>("GET", `${listings}${query}`)
    strictEqual(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.data
  }

  const count = async (api: Client, headers: Record<string, string> = {}) => {
    const answer = await api.call<{ code?: string; data?: { listing_count: number } }>(
      "GET",
      `${listings}/count`,
      undefined,
      headers
    )
    return answer.body.data?.listing_count ?? `${answer.status} ${answer.body.code}`
  }

  const keys = (rows: ReadonlyArray<Row>) => rows.map(({ location_id, sku }) => `${sku} ${location_id}`)

  beforeAll(async () => {
    deepStrictEqual(await read(host.acme), [], "there is no row without a price or stock")
    strictEqual(await count(host.acme), 0)
    await host.acme.call("PUT", "/ims/v3/inventory", [
      { location_id: "BOM1", sku: "85123A", quantity: 1 },
      { location_id: "BLR1", sku: "85123A", quantity: 2 },
      { location_id: "BLR1", sku: "22633", quantity: 0 },
      { location_id: "BLR1", sku: "84406B", quantity: 3 }
    ])
    await host.acme.call("PUT", "/ims/v3/price", [
      { location_id: "BLR1", sku: "85123A", mrp: 20.5, esp: 19.99, currency: "INR" },
      { location_id: "BOM1", sku: "71053", mrp: 10, esp: 9, currency: "INR" }
    ])
    await host.globex.call("PUT", "/ims/v3/inventory", [{ location_id: "DEL1", sku: "GX-TEE-S", quantity: 9 }])
  })

  it("listings have one row per SKU and location with a price or stock, sorted by SKU and then location", async () => {
    deepStrictEqual(keys(await read(host.acme)), [
      "22633 BLR1",
      "71053 BOM1",
      "84406B BLR1",
      "85123A BLR1",
      "85123A BOM1"
    ])
    strictEqual(await count(host.acme), 5)
  })

  it("a row has the documented fields, and null for a missing price", async () => {
    const [, priced, , both] = await read(host.acme)
    deepStrictEqual(Object.keys(both ?? {}), [
      "sku",
      "location_id",
      "item_code",
      "name",
      "brand",
      "size",
      "mrp",
      "esp",
      "currency",
      "quantity",
      "reserved",
      "sellable",
      "unsellable",
      "batch",
      "modified_on"
    ])
    const { brand, item_code, modified_on, name, size, ...facts } = both ?? { sku: "", location_id: "" }
    deepStrictEqual(facts, {
      sku: "85123A",
      location_id: "BLR1",
      mrp: 20.5,
      esp: 19.99,
      currency: "INR",
      quantity: 2,
      reserved: 0,
      sellable: 2,
      unsellable: 0,
      batch: false
    })
    for (const text of [brand, item_code, name, size]) assertTrue(typeof text === "string" && text !== "")
    assertMatch(String(modified_on), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    deepStrictEqual([priced?.quantity, priced?.mrp, priced?.esp], [0, 10, 9])
    const [unpriced] = await read(host.acme)
    deepStrictEqual([unpriced?.mrp, unpriced?.esp, unpriced?.currency], [null, null, "INR"])
  })

  it("pages start at 1, and a page beyond the end is empty", async () => {
    const all = keys(await read(host.acme))
    const pages = [1, 2, 3, 4].map((page) => read(host.acme, `?page_no=${page}&page_size=2`))
    deepStrictEqual((await Promise.all(pages)).map(keys), [all.slice(0, 2), all.slice(2, 4), all.slice(4), []])
    deepStrictEqual(keys(await read(host.acme, "?page_size=500")), all)
    deepStrictEqual(keys(await read(host.acme, "?page_no=1000000000&page_size=500")), [])
  })

  it("page numbers and sizes out of range are 400", async () => {
    for (const query of [
      "page_no=0",
      "page_no=-1",
      "page_size=0",
      "page_size=501",
      "page_no=x",
      "page_no=",
      "page_no=1.5"
    ]) {
      const { body, status } = await host.acme.call<Page>("GET", `${listings}?${query}`)
      deepStrictEqual(
        [status, body.code, body.errors?.map(({ path }) => path)],
        [400, "VALIDATION_FAILED", [`/${query.split("=")[0]}`]],
        query
      )
    }
  })

  it("skus filters by at most 10 values", async () => {
    deepStrictEqual(keys(await read(host.acme, "?skus=85123A")), ["85123A BLR1", "85123A BOM1"])
    deepStrictEqual(keys(await read(host.acme, "?skus=71053,NO-SUCH,22633")), ["22633 BLR1", "71053 BOM1"])
    deepStrictEqual(keys(await read(host.acme, "?skus=85123a")), [], "with case")
    deepStrictEqual(keys(await read(host.acme, "?skus=8512")), [], "whole")
    const ten = Array.from({ length: 10 }, (_, nth) => (nth === 9 ? "71053" : `NO-${nth}`)).join(",")
    deepStrictEqual(keys(await read(host.acme, `?skus=${ten}`)), ["71053 BOM1"])
    const answer = await host.acme.call<Page>("GET", `${listings}?skus=${ten},85123A`)
    deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"])
  })

  it("a location-level token sees its own locations only", async () => {
    deepStrictEqual(keys(await read(host.blr1)), ["22633 BLR1", "84406B BLR1", "85123A BLR1"])
    deepStrictEqual(keys(await read(host.blr1, "?skus=71053")), [])
    strictEqual(await count(host.blr1), 3)
  })

  it("another company's rows are never shown", async () => {
    deepStrictEqual(keys(await read(host.globex)), ["GX-TEE-S DEL1"])
    deepStrictEqual(keys(await read(host.globex, "?skus=85123A")), [])
    deepStrictEqual(keys(await read(host.acme, "?skus=GX-TEE-S")), [])
    strictEqual(await count(host.globex), 1)
  })

  it("meta has the same fields as in writes", async () => {
    for (const path of [listings, `${listings}/count`]) {
      const { body } = await host.acme.call<Page>("GET", path)
      assertMatch(body.meta.ack_id, /^[0-9a-f]{24}$/)
      deepStrictEqual([body.meta.status, body.meta.integrationId], ["SUCCESS", "test-acme"])
    }
  })

  it("x-batch-product must be TRUE or FALSE", async () => {
    strictEqual(await count(host.acme, { "x-batch-product": "FALSE" }), 5)
    strictEqual(await count(host.acme, { "x-batch-product": "TRUE" }), 5)
    for (const value of ["true", "1", "", "YES"]) {
      strictEqual(await count(host.acme, { "x-batch-product": value }), "400 VALIDATION_FAILED", value)
    }
  })

  it("a change of stock or price updates modified_on", async () => {
    const modified = async () => String((await read(host.acme, "?skus=84406B"))[0]?.modified_on)
    const first = await modified()
    await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "84406B", quantity: 4 }])
    const second = await modified()
    assertTrue(Date.parse(second) > Date.parse(first), `${first} ${second}`)
    await host.acme.call("PUT", "/ims/v3/price", [
      { location_id: "BLR1", sku: "84406B", mrp: 2, esp: 1, currency: "INR" }
    ])
    assertTrue(Date.parse(await modified()) > Date.parse(second))
  })
})
