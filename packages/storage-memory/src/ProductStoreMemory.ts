/**
 * Adapter: products and their sizes.
 */
import { type Product, ProductStore } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/**
 * By item code.
 */
export const products = Table.make<Product>("products")

/**
 * By SKU: the narrow key that levels and prices refer to, and whose size it is.
 */
export const sizes = Table.make<{ readonly id: number; readonly itemCode: string }>("sizes")

/**
 * A SKU belongs to the product that named it last.
 */
const leave = (tables: Table.Tables, company: CompanyId, sku: string, itemCode: string): Table.Tables => {
  const former = products.get(tables, company, itemCode)
  if (former === undefined) return tables
  const rest = { ...former, sizes: former.sizes.filter((size) => size.sku !== sku) }
  return products.put(tables, company, [[itemCode, rest]])
}

const putSize = (tables: Table.Tables, company: CompanyId, sku: string, itemCode: string): Table.Tables => {
  const known = sizes.get(tables, company, sku)
  const left = known === undefined || known.itemCode === itemCode ? tables : leave(tables, company, sku, known.itemCode)
  const [id, next] = known === undefined ? Table.nextSerial(left) : [known.id, left]
  return sizes.put(next, company, [[sku, { id, itemCode }]])
}

const putProduct =
  (company: CompanyId) =>
  (tables: Table.Tables, product: Product): Table.Tables => {
    const kept = new Set(product.sizes.map((size) => size.sku))
    const before = products.get(tables, company, product.itemCode)?.sizes ?? []
    const gone = before.map((size) => size.sku).filter((sku) => !kept.has(sku))
    const removed = sizes.remove(tables, company, gone)
    const placed = product.sizes.reduce((_, size) => putSize(_, company, size.sku, product.itemCode), removed)
    return products.put(placed, company, [[product.itemCode, product]])
  }

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return ProductStore.of({
    put: (company, many) => database.write((tables) => many.reduce(putProduct(company), tables)),
    bySku: (company, skus) =>
      database.read((tables) => {
        const codes = skus.flatMap((sku) => sizes.get(tables, company, sku)?.itemCode ?? [])
        return [...new Set(codes)].flatMap((code) => products.get(tables, company, code) ?? [])
      })
  })
})

export const layer: Layer.Layer<ProductStore, never, MemoryDatabase> = Layer.effect(ProductStore, make)
