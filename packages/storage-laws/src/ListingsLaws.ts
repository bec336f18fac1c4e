import { Level, type Listing, type ListingFilter, Listings, StockLevels } from "@crossdock/inventory"
import type { CompanyId, StockKey } from "@crossdock/kernel"
import { PriceStore } from "@crossdock/pricing"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import { about, allKnown, column, type Laws } from "./Laws.ts"
import { Seed, seller } from "./Seed.ts"
import { key } from "./StockRowLaws.ts"

const everything: ListingFilter = { locations: null, skus: [] }
const firstPage = { number: 1, size: 1000 }

const stock = (company: CompanyId, at: number, keys: ReadonlyArray<StockKey>) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    const found = yield* allKnown(yield* levels.load(company, keys))
    const moves = [
      Level.movementOf.restock(9, "r"),
      Level.movementOf.reserve(4, "r"),
      Level.movementOf.unsellable(1, "r")
    ]
    const changes = found.map((level) => ({ ...moves.reduce(Level.move, Level.unchanged(level)), marked: true }))
    yield* levels.save(company, at, at, changes)
  })

const price = Effect.fnUntraced(function* (company: CompanyId, at: number, sku: string, location: string) {
  const store = yield* PriceStore
  const found = yield* allKnown(yield* store.load(company, [{ sku, location }]))
  const changes = found.map((before) => ({ before, after: { ...before, mrp: 49_950, esp: 44_900 } }))
  yield* store.save(company, at, changes)
})

const listing = (sku: string, location: string): Listing => ({
  sku,
  location,
  itemCode: "item",
  name: "कुर्ता item 😀",
  brand: "Anvika",
  size: `Size of ${sku}`,
  mrp: null,
  esp: null,
  currency: "INR",
  onHand: 0,
  reserved: 0,
  unsellable: 0,
  batch: false,
  modifiedAt: 0
})

const withStock = { onHand: 9, reserved: 4, unsellable: 1 }
const withPrice = { mrp: 49_950, esp: 44_900 }

const pairsOf = (listings: ReadonlyArray<Listing>) => listings.map(({ location, sku }) => `${sku}@${location}`)

export const listingsLaws = (laws: Laws<Listings | StockLevels | PriceStore | Seed>): void => {
  const { law } = about(Listings, laws)
  law("a SKU with stock or a price at a location is listed, with the later of their times", function* (listings) {
    const company = yield* seller(["L1", "L2"], ["s1", "s2", "s3"])
    yield* stock(company, 20, [key("s1", "L1"), key("s2", "L1")])
    yield* price(company, 30, "s1", "L1")
    yield* price(company, 10, "s2", "L1")
    yield* price(company, 40, "s1", "L2")
    yield* stock(company, 50, [key("s3", "L2")])
    const expected = [
      { ...listing("s1", "L1"), ...withStock, ...withPrice, modifiedAt: 30 },
      { ...listing("s1", "L2"), ...withPrice, modifiedAt: 40 },
      { ...listing("s2", "L1"), ...withStock, ...withPrice, modifiedAt: 20 },
      { ...listing("s3", "L2"), ...withStock, modifiedAt: 50 }
    ]
    deepStrictEqual(yield* listings.page(company, everything, firstPage), expected)
    for (const [at, one] of expected.entries())
      deepStrictEqual(yield* listings.page(company, everything, { number: at + 1, size: 1 }), [one])
    strictEqual(yield* listings.count(company, { ...everything, withBatches: true }), 4)
  })

  law("listings are ordered by SKU, then location, by code point, and so are their pages", function* (listings) {
    const company = yield* seller(["b", "B", "é"], Fresh.shuffled)
    const pairs = Fresh.shuffled.flatMap((sku) => [key(sku, "é"), key(sku, "b"), key(sku, "B")])
    yield* stock(company, 1, pairs)
    const expected = Fresh.inOrder.flatMap((sku) => [`${sku}@B`, `${sku}@b`, `${sku}@é`])
    deepStrictEqual(pairsOf(yield* listings.page(company, everything, firstPage)), expected)
    const pages = yield* Effect.forEach([1, 2, 3, 4], (number) =>
      listings.page(company, everything, { number, size: 20 })
    )
    deepStrictEqual(column(pages, "length"), [20, 20, 20, 15])
    deepStrictEqual(pairsOf(pages.flat()), expected)
    deepStrictEqual(yield* listings.page(company, everything, { number: 5, size: 20 }), [])
  })

  law("SKUs of 2,000 characters that differ in the last are listed in order and found", function* (listings) {
    const [first, last] = yield* Fresh.longTexts
    const company = yield* seller(["a", "b"], [last, first])
    const pairs = [last, first].flatMap((sku) => [key(sku, "b"), key(sku, "a")])
    yield* stock(company, 1, pairs)
    const expected = [`${first}@a`, `${first}@b`, `${last}@a`, `${last}@b`]
    deepStrictEqual(pairsOf(yield* listings.page(company, everything, firstPage)), expected)
    const pages = yield* Effect.forEach([1, 2, 3, 4], (number) =>
      listings.page(company, everything, { number, size: 1 })
    )
    deepStrictEqual(pairsOf(pages.flat()), expected)
    const one = { locations: null, skus: [last] }
    deepStrictEqual(pairsOf(yield* listings.page(company, one, firstPage)), expected.slice(2))
    strictEqual(yield* listings.count(company, { ...one, withBatches: true }), 2)
  })

  law("only the SKUs and locations asked for are listed and counted", function* (listings) {
    const company = yield* seller(["L1", "L2"], ["s1", "s2"])
    yield* stock(company, 1, [key("s1", "L1"), key("s1", "L2"), key("s2", "L1"), key("s2", "L2")])
    const listed = Effect.fnUntraced(function* (filter: ListingFilter) {
      const found = pairsOf(yield* listings.page(company, filter, firstPage))
      strictEqual(yield* listings.count(company, { ...filter, withBatches: true }), found.length)
      return found
    })
    deepStrictEqual(yield* listed({ locations: ["L2", "none", "L2"], skus: [] }), ["s1@L2", "s2@L2"])
    deepStrictEqual(yield* listed({ locations: null, skus: ["s2", "none", "s2"] }), ["s2@L1", "s2@L2"])
    deepStrictEqual(yield* listed({ locations: ["L1"], skus: ["s1"] }), ["s1@L1"])
    deepStrictEqual(yield* listed({ locations: [], skus: [] }), [])
    deepStrictEqual(yield* listed({ locations: null, skus: ["S1"] }), [])
  })

  law("batch-tracked products are listed, and counted only when asked", function* (listings) {
    const seed = yield* Seed
    const company = yield* seller(["L1"], ["s1"])
    const batch = { ...Fresh.product(company, "batch", ["s2"]), attributes: { batch_tracked: true } }
    yield* seed.products(company, [batch])
    yield* stock(company, 1, [key("s1", "L1"), key("s2", "L1")])
    deepStrictEqual(column(yield* listings.page(company, everything, firstPage), "batch"), [false, true])
    strictEqual(yield* listings.count(company, { ...everything, withBatches: false }), 1)
    strictEqual(yield* listings.count(company, { ...everything, withBatches: true }), 2)
  })

  law("more locations and SKUs than a statement has parameters are listed at once", function* (listings) {
    const levels = yield* StockLevels
    const locations = Fresh.many.map((n) => `L${n}`)
    const skus = Fresh.many.map((n) => `s${n}`)
    const company = yield* seller(locations, skus)
    yield* stock(
      company,
      1,
      Fresh.many.map((n) => key(`s${n}`, `L${n}`))
    )
    const filter = { ...everything, locations, skus }
    strictEqual((yield* listings.page(company, filter, { number: 1, size: 200 })).length, skus.length)
    strictEqual(yield* listings.count(company, { ...filter, withBatches: true }), skus.length)
    strictEqual((yield* levels.marked(company, locations, 0, 200, "bazaar")).length, skus.length)
  })

  law("another company's listings are never seen", function* (listings) {
    const one = yield* seller(["L1", "L2"], ["s1", "s2"])
    const other = yield* seller(["L1"], ["s1"])
    yield* stock(one, 1, [key("s1", "L1"), key("s2", "L2")])
    yield* price(one, 1, "s1", "L1")
    deepStrictEqual(yield* listings.page(other, everything, firstPage), [])
    strictEqual(yield* listings.count(other, { locations: ["L1"], skus: ["s1"], withBatches: true }), 0)
    yield* stock(other, 5, [key("s1", "L1")])
    deepStrictEqual(yield* listings.page(other, everything, firstPage), [
      { ...listing("s1", "L1"), ...withStock, modifiedAt: 5 }
    ])
    strictEqual(yield* listings.count(one, { ...everything, withBatches: true }), 2)
  })
}
