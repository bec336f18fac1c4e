/**
 * Adapter: products and their sizes.
 */
import { type KeptProduct, type Product, type ProductFilter, ProductStore } from "@crossdock/catalog"
import { type CompanyId, Page } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/**
 * By item code.
 */
export const products = Table.make<Product>("products")

/**
 * By item code.
 */
const stamps = Table.make<Omit<KeptProduct, "product">>("productStamps")

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

const stamp = (tables: Table.Tables, company: CompanyId, itemCode: string, at: number): Table.Tables => {
  const known = stamps.get(tables, company, itemCode)
  if (known !== undefined) return stamps.put(tables, company, [[itemCode, { ...known, modifiedAt: at }]])
  const [uid, next] = Table.nextSerial(tables)
  return stamps.put(next, company, [[itemCode, { uid, createdAt: at, modifiedAt: at }]])
}

const putProduct =
  (company: CompanyId, at: number) =>
  (tables: Table.Tables, product: Product): Table.Tables => {
    const kept = new Set(product.sizes.map((size) => size.sku))
    const before = products.get(tables, company, product.itemCode)?.sizes ?? []
    const gone = before.map((size) => size.sku).filter((sku) => !kept.has(sku))
    const removed = sizes.remove(tables, company, gone)
    const placed = product.sizes.reduce((_, size) => putSize(_, company, size.sku, product.itemCode), removed)
    return products.put(stamp(placed, company, product.itemCode, at), company, [[product.itemCode, product]])
  }

const removeProducts = (tables: Table.Tables, company: CompanyId, itemCodes: ReadonlyArray<string>): Table.Tables => {
  const skus = itemCodes.flatMap((code) => products.get(tables, company, code)?.sizes.map((size) => size.sku) ?? [])
  return [stamps, products].reduce(
    (left, table) => table.remove(left, company, itemCodes),
    sizes.remove(tables, company, skus)
  )
}

const kept = (tables: Table.Tables, company: CompanyId): ReadonlyArray<KeptProduct> =>
  products.entries(tables, company).flatMap(([itemCode, product]) => {
    const found = stamps.get(tables, company, itemCode)
    return found === undefined ? [] : [{ ...found, product }]
  })

const matches =
  ({ itemCodes, name, slug }: ProductFilter) =>
  ({ product }: KeptProduct): boolean =>
    (name === undefined || product.name.toLowerCase().includes(name.toLowerCase())) &&
    (slug === undefined || product.slug === slug) &&
    (itemCodes.length === 0 || itemCodes.includes(product.itemCode))

const newestFirst = (sort: ProductFilter["sort"]) =>
  Order.flip(
    Order.combine(
      Order.mapInput(Order.Number, (one: KeptProduct) => (sort === "created" ? one.createdAt : one.modifiedAt)),
      Order.mapInput(Order.Number, (one: KeptProduct) => one.uid)
    )
  )

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return ProductStore.of({
    put: (company, many, at) => database.write((tables) => many.reduce(putProduct(company, at), tables)),
    remove: (company, itemCodes) => database.write((tables) => removeProducts(tables, company, itemCodes)),
    find: (company, keys) =>
      database.read((tables) => {
        const slugs = new Set(keys.slugs.map(({ brand, slug }) => JSON.stringify([brand, slug])))
        const bySlug =
          slugs.size === 0
            ? []
            : products
                .entries(tables, company)
                .filter(([, product]) => slugs.has(JSON.stringify([product.brand, product.slug])))
        const codes = [
          ...keys.itemCodes,
          ...keys.skus.flatMap((sku) => sizes.get(tables, company, sku)?.itemCode ?? []),
          ...bySlug.map(([code]) => code)
        ]
        return [...new Set(codes)].flatMap((code) => products.get(tables, company, code) ?? [])
      }),
    page: (company, filter, page) =>
      database.read((tables) => {
        const found = kept(tables, company).filter(matches(filter)).sort(newestFirst(filter.sort))
        return { items: found.slice(Page.offset(page), Page.offset(page) + page.size), total: found.length }
      }),
    sold: (company, skus) =>
      database.read((tables) =>
        [...new Set(skus)].flatMap((sku) => {
          const product = products.get(tables, company, sizes.get(tables, company, sku)?.itemCode ?? "")
          const size = product?.sizes.find((one) => one.sku === sku)
          return product === undefined || size === undefined
            ? []
            : [{ sku, name: product.name, hsCode: product.hsCode, weight: size.weight }]
        })
      )
  })
})

export const layer: Layer.Layer<ProductStore, never, MemoryDatabase> = Layer.effect(ProductStore, make)
