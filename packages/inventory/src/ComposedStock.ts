/** `Listings` and `SkuStock` for any `StockLevels` and `PriceStore`. A storage with joins can list faster. */
import { Directory } from "@crossdock/access"
import { isBatchTracked, ProductStore, SkuStock } from "@crossdock/catalog"
import type { CompanyId, StockKey, StockRows } from "@crossdock/kernel"
import { firstRows, Page, stockKeyOrder, stockKeyText } from "@crossdock/kernel"
import { PriceStore } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import { type Listing, type ListingFilter, Listings } from "./Listings.ts"
import { StockLevels } from "./StockLevels.ts"

type Row = Pick<Listing, "sku" | "location" | "mrp" | "esp" | "onHand" | "reserved" | "unsellable" | "modifiedAt">

const nothing = { mrp: null, esp: null, onHand: 0, reserved: 0, unsellable: 0, modifiedAt: 0 }

/** Lists stock and prices, read at different moments. A page reads all rows up to its end, and a count reads every row. */
export const listings = Effect.gen(function* () {
  const [levels, prices, products, directory] = [
    yield* StockLevels,
    yield* PriceStore,
    yield* ProductStore,
    yield* Directory
  ]

  const rowsOf = (company: CompanyId, filter: ListingFilter, count?: number) =>
    firstRows(
      Effect.fnUntraced(function* (after, limit) {
        const stock = yield* levels.list(company, filter, after, limit)
        const rows = new Map<string, Row>(stock.map((level) => [stockKeyText(level), { ...nothing, ...level }]))
        for (const price of yield* prices.list(company, filter, after, limit)) {
          const level = rows.get(stockKeyText(price)) ?? nothing
          const modifiedAt = Math.max(level.modifiedAt, price.modifiedAt)
          rows.set(stockKeyText(price), { ...level, ...price, modifiedAt })
        }
        return [...rows.values()].sort(stockKeyOrder).slice(0, limit)
      }),
      count
    )

  const sizesOf = (company: CompanyId, rows: ReadonlyArray<StockKey>) => {
    const skus = [...new Set(rows.map(({ sku }) => sku))]
    return Effect.map(
      products.find(company, { itemCodes: [], slugs: [], skus }),
      (found) =>
        new Map(found.flatMap((product) => product.sizes.map((size) => [size.sku, { product, size }] as const)))
    )
  }

  return Listings.of({
    page: Effect.fnUntraced(function* (company, filter, page) {
      const rows = (yield* rowsOf(company, filter, Page.offset(page) + page.size)).slice(Page.offset(page))
      const sizes = yield* sizesOf(company, rows)
      const currencies = new Map((yield* directory.locations([company])).map(({ code, currency }) => [code, currency]))
      return rows.flatMap(({ esp, location, modifiedAt, mrp, onHand, reserved, sku, unsellable }) => {
        const [found, currency] = [sizes.get(sku), currencies.get(location)]
        if (found === undefined || currency === undefined) return []
        const { brand, itemCode, name } = found.product
        const stock = { onHand, reserved, unsellable, batch: isBatchTracked(found.product), modifiedAt }
        return [{ sku, location, itemCode, name, brand, size: found.size.name, mrp, esp, currency, ...stock }]
      })
    }),
    count: Effect.fnUntraced(function* (company, filter) {
      const rows = yield* rowsOf(company, filter)
      if (filter.withBatches) return rows.length
      const sizes = yield* sizesOf(company, rows)
      const isBatch = (sku: string) => isBatchTracked(sizes.get(sku)?.product ?? { attributes: {} })
      return rows.filter(({ sku }) => !isBatch(sku)).length
    })
  })
})

export const skuStock = Effect.gen(function* () {
  const [levels, prices] = [yield* StockLevels, yield* PriceStore]

  const rowsOf = <Values>(list: StockRows<Values>, company: CompanyId, skus: ReadonlyArray<string>) =>
    firstRows(
      (after, limit) => list(company, { locations: null, skus }, after, limit),
      // An empty filter would select every SKU.
      skus.length === 0 ? 0 : undefined
    )

  return SkuStock.of({
    lock: Effect.fnUntraced(function* (company, skus) {
      yield* levels.load(company, yield* rowsOf(levels.list, company, skus))
      yield* prices.load(company, yield* rowsOf(prices.list, company, skus))
    }),
    reserved: Effect.fnUntraced(function* (company, skus) {
      const rows = yield* rowsOf(levels.list, company, skus)
      return new Set(rows.flatMap(({ reserved, sku }) => (reserved > 0 ? [sku] : [])))
    }),
    remove: (company, skus, mark) => Effect.andThen(levels.remove(company, skus, mark), prices.remove(company, skus))
  })
})
