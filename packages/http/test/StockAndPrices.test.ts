import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { type Client, useHost } from "./TestHost.ts"
import { create, line, order, shipmentOf } from "./TestOrders.ts"

interface Entry {
  readonly index: number
  readonly code: string
  readonly message: string
  readonly path?: string
  readonly sku?: unknown
  readonly location_id?: unknown
  readonly current_quantity?: number
}

interface Result {
  readonly code?: string
  readonly data: {
    readonly payload_count: number
    readonly success_count: number
    readonly failed_count: number
    readonly errors: ReadonlyArray<Entry>
  }
  readonly meta: {
    readonly ack_id: string
    readonly integrationId: string
    readonly time: string
    readonly status: string
  }
}

interface Row {
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly reserved: number
  readonly sellable: number
  readonly mrp: number | null
  readonly esp: number | null
}

const inventory = "/ims/v3/inventory"
const price = "/ims/v3/price"

// Each test has its own SKUs, so that none depends on another.
const skus = [
  "85123A",
  "71053",
  "84406B",
  "84029G",
  "84029E",
  "22752",
  "21730",
  "22633",
  "22632",
  "84879",
  "22745",
  "22748"
]
const [A, B, C, D, E, F, G, H, I, J, K, L] = skus as ReadonlyArray<string> as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string
]

describe("bulk writes of stock and prices", () => {
  const host = useHost()

  const put = async (api: Client, path: string, body: unknown): Promise<Result> => {
    const answer = await api.call<Result>("PUT", path, body)
    strictEqual(answer.status, 200, JSON.stringify(answer.body))
    const { data, meta } = answer.body
    strictEqual(data.success_count + data.failed_count, data.payload_count)
    strictEqual(data.errors.length, data.failed_count)
    const status = data.failed_count === 0 ? "SUCCESS" : data.success_count === 0 ? "FAILED" : "PARTIAL_SUCCESS"
    strictEqual(meta.status, status)
    return answer.body
  }

  const rejections = ({ data }: Result) => data.errors.map(({ code, index, path }) => `${index} ${code} ${path}`)

  const rows = async (api: Client, ...wanted: ReadonlyArray<string>): Promise<ReadonlyArray<Row>> =>
    (await api.call<{ data: ReadonlyArray<Row> }>("GET", `/ims/v3/listings?skus=${wanted.join(",")}`)).body.data

  const onHand = async (sku: string, location = "BLR1", api = host.acme) =>
    (await rows(api, sku)).find(({ location_id }) => location_id === location)?.quantity

  const stock = (sku: string, quantity: unknown, more: object = {}) => ({ location_id: "BLR1", sku, quantity, ...more })

  const priced = (sku: string, mrp: unknown, esp: unknown, more: object = {}) => ({
    location_id: "BLR1",
    sku,
    mrp,
    esp,
    currency: "INR",
    ...more
  })

  for (const path of [inventory, price]) {
    const sound = (sku: string) => (path === inventory ? stock(sku, 1) : priced(sku, 2, 1))

    describe(`the envelope of ${path}`, () => {
      it("a body that is not an array is 400 and changes nothing", async () => {
        for (const body of [{}, sound(A), { records: [sound(A)] }, "text", 1, null, true]) {
          const answer = await host.acme.call<Result>("PUT", path, body)
          deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"], JSON.stringify(body))
        }
      })

      it("a missing body and an empty list are EMPTY_REQUEST", async () => {
        for (const body of [undefined, []]) {
          const answer = await host.acme.call<Result>("PUT", path, body)
          deepStrictEqual([answer.status, answer.body.code], [400, "EMPTY_REQUEST"])
        }
      })

      it("500 records are accepted; 501 are TOO_MANY_RECORDS and none is applied", async () => {
        const many = (count: number) => Array.from({ length: count }, (_, at) => sound(at === 0 ? A : `NO-${at}`))
        const taken = await put(host.acme, path, many(500))
        deepStrictEqual([taken.data.success_count, taken.data.failed_count], [1, 499])
        const before = await rows(host.acme, A, B)
        const rejected = await host.acme.call<Result>("PUT", path, [...many(500), sound(B)])
        deepStrictEqual([rejected.status, rejected.body.code], [400, "TOO_MANY_RECORDS"])
        deepStrictEqual(await rows(host.acme, A, B), before)
      })

      it("each record is checked separately: valid ones are applied, the others are listed with their keys", async () => {
        const result = await put(host.acme, path, [
          sound(C),
          null,
          [],
          "text",
          {},
          { ...sound(C), sku: 5 },
          { ...sound(C), location_id: "" },
          { ...sound("NO-SUCH") },
          { ...sound(C), location_id: "NOWHERE" },
          { ...sound(C), location_id: "BOM1" }
        ])
        deepStrictEqual(rejections(result), [
          "1 INVALID_RECORD /1",
          "2 INVALID_RECORD /2",
          "3 INVALID_RECORD /3",
          "4 INVALID_RECORD /4/location_id",
          "5 INVALID_RECORD /5/sku",
          "6 INVALID_RECORD /6/location_id",
          "7 UNKNOWN_SKU /7/sku",
          "8 UNKNOWN_LOCATION /8/location_id"
        ])
        const [, , , , number, empty, unknown] = result.data.errors
        deepStrictEqual(
          [number?.sku, number?.location_id, empty?.location_id, unknown?.sku],
          [5, "BLR1", "", "NO-SUCH"],
          "keys as they were sent"
        )
        deepStrictEqual(
          (await rows(host.acme, C)).map(({ location_id }) => location_id),
          ["BLR1", "BOM1"]
        )
      })

      it("a bulk is FAILED if every record fails, and SUCCESS if none does", async () => {
        strictEqual((await put(host.acme, path, [sound("NO")])).meta.status, "FAILED")
        strictEqual((await put(host.acme, path, [sound(C)])).meta.status, "SUCCESS")
        strictEqual((await put(host.acme, path, [sound("NO"), sound(C)])).meta.status, "PARTIAL_SUCCESS")
      })

      it("meta has an id of 24 hex digits, the integration's id and the time", async () => {
        const [one, other] = [await put(host.acme, path, [sound(A)]), await put(host.blr1, path, [sound(A)])]
        for (const { meta } of [one, other]) {
          deepStrictEqual(Object.keys(meta).sort(), ["ack_id", "integrationId", "status", "time"])
          assertMatch(meta.ack_id, /^[0-9a-f]{24}$/)
          assertTrue(Math.abs(Date.parse(meta.time) - Date.now()) < 10_000)
        }
        assertTrue(one.meta.ack_id !== other.meta.ack_id)
        assertTrue(one.meta.integrationId !== other.meta.integrationId)
      })

      it("a second valid record for a SKU and location is DUPLICATE_RECORD", async () => {
        const result = await put(host.acme, path, [
          sound(B),
          sound(B),
          { ...sound(B), location_id: "BOM1" },
          sound(D),
          sound(B)
        ])
        deepStrictEqual(rejections(result), ["1 DUPLICATE_RECORD /1", "4 DUPLICATE_RECORD /4"])
      })

      it("a location-level token changes its own locations only", async () => {
        const result = await put(host.blr1, path, [sound(E), { ...sound(E), location_id: "BOM1" }])
        deepStrictEqual(rejections(result), ["1 UNKNOWN_LOCATION /1/location_id"])
        deepStrictEqual(
          (await rows(host.acme, E)).map(({ location_id }) => location_id),
          ["BLR1"]
        )
      })

      it("SKUs and locations of another company are unknown, in both directions", async () => {
        deepStrictEqual(
          rejections(await put(host.acme, path, [sound("GX-TEE-S"), { ...sound(A), location_id: "DEL1" }])),
          ["0 UNKNOWN_SKU /0/sku", "1 UNKNOWN_LOCATION /1/location_id"]
        )
        deepStrictEqual(
          rejections(await put(host.globex, path, [{ ...sound(A), location_id: "DEL1" }, sound("GX-TEE-S")])),
          ["0 UNKNOWN_SKU /0/sku", "1 UNKNOWN_LOCATION /1/location_id"]
        )
      })
    })
  }

  describe("stock", () => {
    it("is set: the quantity is the stock on hand", async () => {
      for (const quantity of [5, 0, 1_000_000_000, 7]) {
        await put(host.acme, inventory, [stock(F, quantity)])
        strictEqual(await onHand(F), quantity)
      }
    })

    it("must be a whole number from 0 to 1,000,000,000, and each field is required", async () => {
      const wrong = [-1, 1_000_000_001, 1.5, "1", null, undefined, true, [], {}]
      const result = await put(
        host.acme,
        inventory,
        wrong.map((quantity) => stock(G, quantity))
      )
      deepStrictEqual(
        rejections(result),
        wrong.map((_, at) => `${at} INVALID_RECORD /${at}/quantity`)
      )
      const missing = await put(host.acme, inventory, [
        { sku: G, quantity: 1 },
        { location_id: "BLR1", quantity: 1 }
      ])
      deepStrictEqual(rejections(missing), ["0 INVALID_RECORD /0/location_id", "1 INVALID_RECORD /1/sku"])
      strictEqual(await onHand(G), undefined)
    })

    it("after a rejected record, a later one for the same SKU is not a duplicate", async () => {
      const result = await put(host.acme, inventory, [
        stock(G, -5),
        stock(G, 3, { expected_quantity: 99 }),
        stock(G, 4)
      ])
      deepStrictEqual(rejections(result), ["0 INVALID_RECORD /0/quantity", "1 STALE_QUANTITY /1/expected_quantity"])
      strictEqual(await onHand(G), 4)
    })

    it("changes by the quantity under the adjust policy; a result below 0 is NEGATIVE_STOCK and changes nothing", async () => {
      await put(host.acme, inventory, [stock(H, 10)])
      strictEqual((await put(host.adjust, inventory, [stock(H, 5)])).meta.status, "SUCCESS")
      strictEqual(await onHand(H), 15)
      await put(host.adjust, inventory, [stock(H, -15)])
      strictEqual(await onHand(H), 0)
      deepStrictEqual(rejections(await put(host.adjust, inventory, [stock(H, -1)])), ["0 NEGATIVE_STOCK /0/quantity"])
      await put(host.adjust, inventory, [stock(H, 0)])
      strictEqual(await onHand(H), 0)
    })

    it("starts from 0 under the adjust policy, and never exceeds the maximum", async () => {
      strictEqual((await put(host.adjust, inventory, [stock(I, 2)])).meta.status, "SUCCESS")
      strictEqual(await onHand(I), 2)
      deepStrictEqual(rejections(await put(host.adjust, inventory, [stock(I, 1_000_000_000)])), [
        "0 INVALID_RECORD /0/quantity"
      ])
      strictEqual(await onHand(I), 2)
    })

    it("is compared first if expected_quantity is sent; a mismatch returns the current quantity", async () => {
      await put(host.acme, inventory, [stock(J, 10)])
      const stale = await put(host.acme, inventory, [stock(J, 20, { expected_quantity: 9 })])
      deepStrictEqual(rejections(stale), ["0 STALE_QUANTITY /0/expected_quantity"])
      strictEqual(stale.data.errors[0]?.current_quantity, 10)
      strictEqual(await onHand(J), 10)
      strictEqual((await put(host.acme, inventory, [stock(J, 20, { expected_quantity: 10 })])).meta.status, "SUCCESS")
      strictEqual(await onHand(J), 20)
      strictEqual((await put(host.acme, inventory, [stock(J, 21, { expected_quantity: null })])).meta.status, "SUCCESS")
      const none = await put(host.acme, inventory, [{ ...stock(J, 1, { expected_quantity: 1 }), location_id: "BOM1" }])
      strictEqual(none.data.errors[0]?.current_quantity, 0, "where there is no stock yet it is 0")
      const adjusted = await put(host.adjust, inventory, [stock(J, -1, { expected_quantity: 20 })])
      strictEqual(adjusted.data.errors[0]?.current_quantity, 21, "the adjust policy compares too")
    })

    it("takes exactly one of many concurrent compare-and-sets on one quantity", async () => {
      await put(host.acme, inventory, [stock(J, 50)])
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, nth) =>
          put(host.acme, inventory, [stock(J, 100 + nth, { expected_quantity: 50 })])
        )
      )
      strictEqual(results.filter(({ meta }) => meta.status === "SUCCESS").length, 1)
      const [loser] = results.filter(({ meta }) => meta.status === "FAILED")
      strictEqual(loser?.data.errors[0]?.current_quantity, await onHand(J))
    })

    it("loses none of many concurrent adjustments", async () => {
      await put(host.acme, inventory, [stock(K, 0)])
      await Promise.all(Array.from({ length: 40 }, () => put(host.adjust, inventory, [stock(K, 1)])))
      strictEqual(await onHand(K), 40)
    })

    it("compares expected_quantity with the stock on hand, not with the sellable stock, which is never negative", async () => {
      await put(host.acme, inventory, [stock(L, 10)])
      const placed = order([shipmentOf([line(L, 4)])])
      strictEqual((await host.bazaar.call("POST", create, placed)).status, 200)
      const level = async () => {
        const [row] = await rows(host.blr1, L)
        return [row?.quantity, row?.reserved, row?.sellable]
      }
      deepStrictEqual(await level(), [10, 4, 6])
      const stale = await put(host.acme, inventory, [stock(L, 3, { expected_quantity: 6 })])
      strictEqual(stale.data.errors[0]?.current_quantity, 10)
      strictEqual((await put(host.acme, inventory, [stock(L, 3, { expected_quantity: 10 })])).meta.status, "SUCCESS")
      deepStrictEqual(await level(), [3, 4, 0])
      await put(host.acme, inventory, [stock(L, 9)])
      deepStrictEqual(await level(), [9, 4, 5])
    })

    it("becomes visible for all accepted records of a request together", async () => {
      const both = [G, H]
      await put(
        host.acme,
        inventory,
        both.map((sku) => stock(sku, 0))
      )
      let writing = true
      const writer = (async () => {
        for (let nth = 1; nth <= 30; nth++)
          await put(
            host.acme,
            inventory,
            both.map((sku) => stock(sku, nth))
          )
        writing = false
      })()
      let reads = 0
      while (writing) {
        const quantities = (await rows(host.blr1, ...both)).map(({ quantity }) => quantity)
        strictEqual(new Set(quantities).size, 1, String(quantities))
        reads++
      }
      await writer
      assertTrue(reads > 0)
    })
  })

  describe("prices", () => {
    const prices = async (sku: string) => {
      const [row] = await rows(host.blr1, sku)
      return [row?.mrp, row?.esp]
    }

    it("read back exactly as written", async () => {
      for (const [mrp, esp] of [
        [19.99, 0.01],
        [0.29, 0.07],
        [1234567890123.45, 1.1],
        [1000, 1000],
        [0.3, 0.1]
      ]) {
        strictEqual((await put(host.acme, price, [priced(F, mrp, esp)])).meta.status, "SUCCESS", `${mrp} ${esp}`)
        deepStrictEqual(await prices(F), [mrp, esp])
      }
    })

    it("must be numbers above 0 with at most the currency's decimals", async () => {
      await put(host.acme, price, [priced(G, 10, 9)])
      const result = await put(host.acme, price, [
        priced(G, 0, 0),
        priced(G, -1, -1),
        priced(G, 1, 0),
        priced(G, 10.001, 1),
        priced(G, 10, 1.005),
        priced(G, "10", 1),
        priced(G, 10, null),
        priced(G, undefined, 1)
      ])
      deepStrictEqual(rejections(result), [
        "0 INVALID_RECORD /0/mrp",
        "1 INVALID_RECORD /1/mrp",
        "2 INVALID_RECORD /2/esp",
        "3 TOO_MANY_DECIMALS /3/mrp",
        "4 TOO_MANY_DECIMALS /4/esp",
        "5 INVALID_RECORD /5/mrp",
        "6 INVALID_RECORD /6/esp",
        "7 INVALID_RECORD /7/mrp"
      ])
      deepStrictEqual(await prices(G), [10, 9])
    })

    it("are ESP_ABOVE_MRP if esp is above mrp, and accepted if equal", async () => {
      deepStrictEqual(rejections(await put(host.acme, price, [priced(H, 10, 10.01)])), ["0 ESP_ABOVE_MRP /0/esp"])
      strictEqual((await put(host.acme, price, [priced(H, 10.01, 10.01)])).meta.status, "SUCCESS")
    })

    it("must be in the location's currency, an ISO 4217 code", async () => {
      const result = await put(
        host.acme,
        price,
        ["inr", "RUPEE", "XYZ", "", "USD", "JPY", "__proto__", "constructor", 5, null].map((currency) =>
          priced(I, 10, 9, { currency })
        )
      )
      deepStrictEqual(rejections(result), [
        "0 INVALID_CURRENCY /0/currency",
        "1 INVALID_CURRENCY /1/currency",
        "2 INVALID_CURRENCY /2/currency",
        "3 INVALID_RECORD /3/currency",
        "4 CURRENCY_MISMATCH /4/currency",
        "5 CURRENCY_MISMATCH /5/currency",
        "6 INVALID_CURRENCY /6/currency",
        "7 INVALID_CURRENCY /7/currency",
        "8 INVALID_RECORD /8/currency",
        "9 INVALID_RECORD /9/currency"
      ])
    })

    it("have the decimals of the record's currency", async () => {
      deepStrictEqual(
        rejections(
          await put(host.acme, price, [
            priced(I, 10.5, 9, { currency: "JPY" }),
            priced(I, 10.005, 9, { currency: "KWD" })
          ])
        ),
        ["0 TOO_MANY_DECIMALS /0/mrp", "1 CURRENCY_MISMATCH /1/currency"]
      )
    })

    it("are not duplicates after a rejected record for the same SKU", async () => {
      const result = await put(host.acme, price, [priced(K, 1, 2), priced(K, 3, 2)])
      deepStrictEqual(rejections(result), ["0 ESP_ABOVE_MRP /0/esp"])
      deepStrictEqual(await prices(K), [3, 2])
    })
  })
})
