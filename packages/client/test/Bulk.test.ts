import { CatalogImport } from "@crossdock/catalog"
import { SellerClient } from "@crossdock/client"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { beforeAll } from "vitest"
import { useHost } from "../../http/test/TestHost.ts"
import { product, size } from "../../http/test/TestProducts.ts"
import * as Wire from "./Wire.ts"

const host = useHost()

const skus = Array.from({ length: 1_200 }, (_, i) => `BULK-${i}`)

/** 12 products of 100 sizes each. */
const products = Array.from({ length: 12 }, (_, i) =>
  product(`BULK-${i}`, { sizes: skus.slice(i * 100, i * 100 + 100).map((sku) => size(sku)) })
)

beforeAll(async () => {
  const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
  await host.run(
    Effect.flatMap(CatalogImport.CatalogImport, (catalog) =>
      catalog.products(caller, CompanyId.make(1), [{ template: "apparel", products }])
    )
  )
})

/** 2,345 different records. */
const records = ["BLR1", "BOM1"]
  .flatMap((location_id) => skus.map((sku, i) => ({ location_id, sku, quantity: 1 + (i % 7) })))
  .slice(0, 2_345)

const isBulk = ({ method }: Wire.Sent) => method === "PUT"

const client = (
  disturb: (sent: Wire.Sent, before: number) => Wire.Disturbance = () => undefined,
  options: Partial<Parameters<typeof SellerClient.make>[0]> = {}
) =>
  Effect.gen(function* () {
    const wire: Wire.Wire = Wire.to(host, (sent) =>
      isBulk(sent) ? disturb(sent, wire.sent.filter(isBulk).length - 1) : undefined
    )
    const made = yield* Wire.over(wire)(SellerClient.make({ ...Wire.account, ...options }))
    return { wire, client: made, run: Wire.over(wire) }
  })

const sizes = (wire: Wire.Wire) => wire.sent.filter(isBulk).map(({ body }) => JSON.parse(body).length)

describe("any number of records", () => {
  it.live("is sent in requests of the most that the operation takes, with its errors at their original indexes", () =>
    Effect.gen(function* () {
      const { client: seller, run, wire } = yield* client()
      const wrong = new Map([
        [3, { quantity: -1 }],
        [777, { sku: "NO-SUCH" }],
        [2_344, { quantity: 1.5 }]
      ])
      const progress: Array<number> = []
      const result = yield* run(
        seller.bulk.stock.update(
          records.map((record, i) => ({ ...record, ...wrong.get(i) })),
          { onProgress: ({ sent }) => progress.push(sent) }
        )
      )
      deepStrictEqual(
        sizes(wire).toSorted((a, b) => b - a),
        [500, 500, 500, 500, 345]
      )
      deepStrictEqual(
        { ...result, errors: result.errors.map(({ code, index, path }) => `${index} ${code} ${path}`) },
        {
          status: "PARTIAL_SUCCESS",
          total: 2_345,
          succeeded: 2_342,
          failed: 3,
          errors: ["3 INVALID_RECORD /3/quantity", "777 UNKNOWN_SKU /777/sku", "2344 INVALID_RECORD /2344/quantity"],
          traces: []
        }
      )
      strictEqual(result.errors[1]?.sku, "NO-SUCH")
      strictEqual(progress.length, 5)
      strictEqual(progress.at(-1), 2_345)
    })
  )

  it.live("has at most as many requests under way as are allowed", () =>
    Effect.gen(function* () {
      let most = 0
      const {
        client: seller,
        run,
        wire
      } = yield* client(() => {
        most = Math.max(most, wire.running() + 1)
        return undefined
      })
      yield* run(seller.bulk.stock.update(records, { concurrency: 2 }))
      strictEqual(most, 2)
    })
  )

  it.live("is sent whole when the token expires in the middle, with one more sign-in", () =>
    Effect.gen(function* () {
      const {
        client: seller,
        run,
        wire
      } = yield* client((_, before) => {
        if (before === 2) wire.expireTokens()
        return undefined
      })
      const result = yield* run(seller.bulk.stock.update(records, { concurrency: 2 }))
      strictEqual(result.status, "SUCCESS")
      strictEqual(wire.sent.filter(({ path }) => path.includes("token")).length, 2)
    })
  )

  it.live("may come from a source that is read as it is sent", () =>
    Effect.gen(function* () {
      const { client: seller, run } = yield* client()
      async function* source() {
        yield* records
      }
      const result = yield* run(seller.bulk.stock.update(source()))
      strictEqual(result.succeeded, 2_345)
    })
  )

  it.live("can be none, which is no request", () =>
    Effect.gen(function* () {
      const { client: seller, run, wire } = yield* client()
      deepStrictEqual(yield* run(seller.bulk.stock.update([])), {
        status: "SUCCESS",
        total: 0,
        succeeded: 0,
        failed: 0,
        errors: [],
        traces: []
      })
      strictEqual(wire.sent.length, 0)
    })
  )
})

describe("a request that fails as a whole", () => {
  it.live("is reported for each of its records; the others are applied", () =>
    Effect.gen(function* () {
      const second = ({ body }: Wire.Sent) => JSON.parse(body)[0].sku === "BULK-500"
      const { client: seller, run } = yield* client((sent) => (second(sent) ? "cut" : undefined), {
        retry: { times: 1, first: 1 }
      })
      const result = yield* run(seller.bulk.stock.update(records))
      deepStrictEqual([result.status, result.succeeded, result.failed], ["PARTIAL_SUCCESS", 1_845, 500])
      deepStrictEqual(
        result.errors.map(({ index }) => index),
        Array.from({ length: 500 }, (_, i) => 500 + i)
      )
      strictEqual(result.errors[0]?.code, "NO_ANSWER")
    })
  )

  it.live("because it is too large is sent in halves", () =>
    Effect.gen(function* () {
      const { client: seller, run, wire } = yield* client()
      const long = Array.from({ length: 500 }, (_, i) => ({
        location_id: "BLR1",
        sku: `${i}`.padEnd(2_000, "x"),
        quantity: 1,
        note: "x".repeat(2_000)
      }))
      const result = yield* run(seller.bulk.stock.update(long))
      deepStrictEqual(sizes(wire), [500, 250, 250])
      deepStrictEqual(
        result.errors.map(({ code, index }) => `${index} ${code}`),
        long.map((_, i) => `${i} UNKNOWN_SKU`)
      )
    })
  )

  it.live("since the account is not allowed ends the bulk", () =>
    Effect.gen(function* () {
      const { client: seller, run, wire } = yield* client(() => undefined, { password: Wire.secretOf("wrong") })
      const result = yield* run(seller.bulk.stock.update(records, { concurrency: 1 }))
      deepStrictEqual(
        [result.status, result.failed, result.errors[2_344]?.code],
        ["FAILED", 2_345, "CREDENTIALS_INVALID"]
      )
      strictEqual(wire.sent.length, 1)
    })
  )
})

it.live("records that are sent again with the same key are not applied again", () =>
  Effect.gen(function* () {
    const account = { username: "acme-adjust", password: Wire.secretOf("acme-adjust") }
    const { client: seller, run } = yield* client(() => undefined, account)
    const some = records.slice(0, 600)
    const quantities = Effect.map(run(seller.listings.page({ query: { skus: ["BULK-0", "BULK-599"] } })), ({ data }) =>
      data.filter(({ location_id }) => location_id === "BLR1").map(({ quantity }) => quantity)
    )
    const [first = 0, last = 0] = yield* quantities
    const adjust = run(seller.bulk.stock.update(some, { idempotencyKey: "import-9" }))
    strictEqual((yield* adjust).succeeded, 600)
    strictEqual((yield* adjust).succeeded, 600)
    deepStrictEqual(yield* quantities, [first + 1, last + 1 + (599 % 7)])
  })
)

describe("products in bulk", () => {
  it.live("are written in requests, with a trace each by which their outcome is read", () =>
    Effect.gen(function* () {
      const { client: seller, run } = yield* client()
      const new150 = Array.from({ length: 150 }, (_, i) => product(`MANY-${i}`)) as never
      const result = yield* run(
        seller.bulk.products.create(new150, { concurrency: 1, payload: { template: "apparel" } })
      )
      deepStrictEqual([result.status, result.total, result.traces.length], ["SUCCESS", 150, 2])
      const finals = yield* run(
        Effect.forEach(result.traces, (trace_id) => seller.products.status({ query: { trace_id } }))
      )
      deepStrictEqual(
        finals.map(({ stage, status, success }) => [stage, status, success]),
        [
          ["COMPLETED", "SUCCESS", 100],
          ["COMPLETED", "SUCCESS", 50]
        ]
      )
    })
  )

  it.live("of which one breaks its shape have its fault at its own index, and the others their request's", () =>
    Effect.gen(function* () {
      const { client: seller, run } = yield* client()
      const some = Array.from({ length: 130 }, (_, i) => product(`SHAPE-${i}`, i === 107 ? { name: 7 } : {})) as never
      const result = yield* run(seller.bulk.products.create(some, { payload: { template: "apparel" } }))
      deepStrictEqual([result.succeeded, result.failed], [100, 30])
      const at = (index: number) => result.errors.find((one) => one.index === index)
      strictEqual(at(107)?.path, "/products/107/name")
      assertTrue(at(108)?.code === "VALIDATION_FAILED" && at(107)?.code === "INVALID_TYPE")
    })
  )

  it.live("of which one doesn't fit the data fails alone, at its original index", () =>
    Effect.gen(function* () {
      const { client: seller, run } = yield* client()
      const some = Array.from({ length: 120 }, (_, i) =>
        product(`DATA-${i}`, i === 110 ? { brand: "Nobody's" } : {})
      ) as never
      const result = yield* run(seller.bulk.products.create(some, { payload: { template: "apparel" } }))
      deepStrictEqual(
        result.errors.map(({ index, item_code, path }) => [index, item_code, path]),
        [[110, "DATA-110", "/products/110/brand"]]
      )
    })
  )
})
