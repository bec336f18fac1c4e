import type { Transaction } from "@crossdock/kernel"
import { PriceStore, type PriceUpdate } from "@crossdock/pricing"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { about, allKnown, type Laws } from "./Laws.ts"
import { type Seed, seller } from "./Seed.ts"
import { key, type Port, stockRowLaws } from "./StockRowLaws.ts"

const prices: Port<PriceUpdate.Price, PriceUpdate.PriceChange, PriceStore> = {
  noun: "price",
  amount: ({ esp }) => esp,
  read: (company, keys) => Effect.flatMap(PriceStore, (store) => store.load(company, keys)),
  add: (before, by) => ({ before, after: { ...before, mrp: before.mrp + 2 * by, esp: before.esp + by } }),
  save: (company, changes) =>
    Effect.flatMap(PriceStore, (store) =>
      store.save(company, Math.max(0, ...changes.map(({ after }) => after.version)) + 1, changes)
    ),
  timeOf: (version) => version,
  list: (...wanted) => Effect.flatMap(PriceStore, (store) => store.list(...wanted)),
  remove: (company, skus) => Effect.flatMap(PriceStore, (store) => store.remove(company, skus))
}

export const priceStoreLaws = (laws: Laws<PriceStore | Seed | Transaction.Transaction>): void => {
  const { law } = about(PriceStore, laws)

  law("a price that is not stored yet has version 0 and the location's currency", function* (store) {
    const company = yield* seller(["L1"], ["s1"])
    const [{ locationId, sizeId, ...price }] = (yield* allKnown(yield* store.load(company, [key("s1")]))) as [
      PriceUpdate.Price
    ]
    deepStrictEqual(price, { sku: "s1", location: "L1", currency: "INR", mrp: 0, esp: 0, version: 0 })
  })

  law("what was saved is read back, one version later, to the last of 15 digits", function* (store) {
    const company = yield* seller(["L1"], ["s1"])
    const load = Effect.flatMap(store.load(company, [key("s1")]), allKnown)
    const [before] = (yield* load) as [PriceUpdate.Price]
    const after = { ...before, mrp: 999_999_999_999_999, esp: 999_999_999_999_998 }
    yield* store.save(company, 1, [{ before, after }])
    const stored = { ...after, version: 1 }
    deepStrictEqual(yield* load, [stored])
    yield* store.save(company, 1, [prices.add(stored, -1)])
    strictEqual((yield* load)[0]?.version, 2)
  })

  stockRowLaws(prices, laws)
}
