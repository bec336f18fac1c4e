import type { Brand, CatalogWrite, KeptProduct, Product, ProductFilter, ReferenceData } from "@crossdock/catalog"
import {
  CatalogWriteStore,
  filterText,
  isReturnless,
  ProductStore,
  ReferenceStore,
  referenceKeys
} from "@crossdock/catalog"
import { type CompanyId, type StockKey, type StockRows, StorageError, stockKeyOrder, Text } from "@crossdock/kernel"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { locations } from "./DirectoryMemory.ts"
import { adapter, type MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const brands = Table.ofCompanies<Brand>("brands", ({ uid }) => uid)

const products = Table.ofCompanies<Product>("products", ({ itemCode }) => itemCode)

/** The uid, creation time and modification time of each product, keyed by item code. */
const stamps = Table.make<Omit<KeptProduct, "product">>("productStamps")

/** Sizes, keyed by SKU. `id` is the short key that levels and prices use, and `itemCode` names the product. */
export const sizes = Table.make<{ readonly id: number; readonly itemCode: string }>("sizes")

/** The key of a level or price: the short keys of its SKU and location. */
export interface RowKey extends StockKey {
  readonly sizeId: number
  readonly locationId: number
}

export const rowKeyOf = ({ locationId, sizeId }: Pick<RowKey, "sizeId" | "locationId">): string =>
  `${locationId}:${sizeId}`

export const findRow = (tables: Table.Tables, company: CompanyId, { location, sku }: StockKey) => {
  const known = locations.get(tables, location, company)
  if (known === undefined) return "UNKNOWN_LOCATION"
  const size = sizes.get(tables, sku, company)
  return size === undefined ? "UNKNOWN_SKU" : { sku, location, sizeId: size.id, locationId: known.id }
}

/** Whether the SKU is still the one that was read. Meanwhile it may have been deleted, or deleted and created again. */
export const isPresent = (tables: Table.Tables, company: CompanyId, { sizeId, sku }: RowKey): boolean =>
  sizes.get(tables, sku, company)?.id === sizeId

export const listed =
  <Row extends { readonly modifiedAt: number }, Values>(
    { read }: typeof MemoryDatabase.Service,
    table: Table.Table<Row>,
    valuesOf: (row: Row) => Values
  ): StockRows<Values> =>
  (company, filter, after, limit) =>
    read((tables) => {
      const all = (of: Pick<Table.Table<unknown>, "entries">) => of.entries(tables, company).map(([key]) => String(key))
      const codes = [...new Set(filter.locations ?? all(locations))]
      const rows = [...new Set(filter.skus.length === 0 ? all(sizes) : filter.skus)].flatMap((sku) =>
        codes.flatMap((location) => {
          const place = findRow(tables, company, { location, sku })
          const row = typeof place === "string" ? undefined : table.get(tables, rowKeyOf(place), company)
          return row === undefined ? [] : [{ sku, location, modifiedAt: row.modifiedAt, ...valuesOf(row) }]
        })
      )
      return rows
        .filter((row) => after === null || stockKeyOrder(row, after) > 0)
        .sort(stockKeyOrder)
        .slice(0, limit)
    })

export const placesOf = (tables: Table.Tables, company: CompanyId, skus: ReadonlyArray<string>) =>
  skus.flatMap((sku) =>
    locations.rows(tables, company).flatMap(({ id }) => {
      const size = sizes.get(tables, sku, company)
      return size === undefined ? [] : [rowKeyOf({ sizeId: size.id, locationId: id })]
    })
  )

const slugKey = ({ brand, slug }: Pick<Product, "brand" | "slug">): string => JSON.stringify([brand, slug])

const slugs = Table.ofCompanies<Pick<Product, "companyId" | "itemCode" | "brand" | "slug">>("productSlugs", slugKey)

const branded = (tables: Table.Tables, company: CompanyId, product: Product): Product => ({
  ...product,
  brand: brands.get(tables, product.brandUid, company)?.name ?? product.brand
})

/** Writes the current names of brands into their products. Two brands may swap names. */
const renameBrands = (tables: Table.Tables, many: ReadonlyArray<Brand>): Table.Tables =>
  [...new Set(many.map(({ companyId }) => companyId))].reduce((_, company) => {
    const all = products.rows(_, company)
    const own = all.filter((product) => product.brand !== branded(_, company, product).brand)
    const renamed = own.map((product) => branded(_, company, product))
    return products.save(slugs.save(slugs.discard(_, own), renamed), renamed)
  }, tables)

/** Removes a SKU from its former product. A SKU belongs only to the last product that named it. */
const leave = (tables: Table.Tables, company: CompanyId, sku: string, itemCode: string): Table.Tables => {
  const former = products.get(tables, itemCode, company)
  if (former === undefined) return tables
  return products.save(tables, [{ ...former, sizes: former.sizes.filter((size) => size.sku !== sku) }])
}

const putSize = (tables: Table.Tables, company: CompanyId, sku: string, itemCode: string): Table.Tables => {
  const known = sizes.get(tables, sku, company)
  const left = known === undefined || known.itemCode === itemCode ? tables : leave(tables, company, sku, known.itemCode)
  const [id, next] = known === undefined ? Table.nextSerial(left) : [known.id, left]
  return sizes.put(next, [[sku, { id, itemCode }]], company)
}

const stamp = (tables: Table.Tables, company: CompanyId, itemCode: string, at: number): Table.Tables => {
  const known = stamps.get(tables, itemCode, company)
  const [uid, next] = known === undefined ? Table.nextSerial(tables) : [known.uid, tables]
  return stamps.put(next, [[itemCode, { uid, createdAt: known?.createdAt ?? at, modifiedAt: at }]], company)
}

const putProduct =
  (company: CompanyId, at: number) =>
  (tables: Table.Tables, product: Product): Table.Tables => {
    const placed = product.sizes.reduce((_, size) => putSize(_, company, size.sku, product.itemCode), tables)
    return products.save(stamp(slugs.save(placed, [product]), company, product.itemCode, at), [product])
  }

const skusOf = (many: ReadonlyArray<Product>) => many.flatMap((product) => product.sizes.map((size) => size.sku))

/** Stores products, which may swap SKUs and slugs. Dropped SKUs and old slugs are removed first. Fails if a slug is taken. */
const putAll = (tables: Table.Tables, company: CompanyId, sent: ReadonlyArray<Product>, at: number) => {
  const many = sent.map((product) => branded(tables, company, product))
  const before = many.flatMap(({ itemCode }) => products.get(tables, itemCode, company) ?? [])
  const kept = new Set(skusOf(many))
  const deleted = skusOf(before).filter((sku) => !kept.has(sku))
  const free = slugs.discard(sizes.remove(tables, deleted, company), before)
  const wanted = new Set(many.map(slugKey))
  const isTaken = wanted.size < many.length || many.some((product) => slugs.find(free, product) !== undefined)
  return isTaken
    ? Result.fail(new StorageError({ operation: "ProductStore.put", cause: new Error("A slug is taken") }))
    : Result.succeed(many.reduce(putProduct(company, at), free))
}

const removeProducts = (tables: Table.Tables, company: CompanyId, itemCodes: ReadonlyArray<string>): Table.Tables => {
  const found = itemCodes.flatMap((code) => products.get(tables, code, company) ?? [])
  const left = slugs.discard(sizes.remove(tables, skusOf(found), company), found)
  return products.discard(stamps.remove(left, itemCodes, company), found)
}

const kept = (tables: Table.Tables, company: CompanyId): ReadonlyArray<KeptProduct> =>
  products.rows(tables, company).flatMap((product) => {
    const found = stamps.get(tables, product.itemCode, company)
    return found === undefined ? [] : [{ ...found, product }]
  })

const matches =
  ({ fields = [], itemCodes, name, slug }: ProductFilter) =>
  ({ product }: KeptProduct): boolean =>
    (name === undefined || Text.folded(product.name).includes(Text.folded(name))) &&
    (slug === undefined || product.slug === slug) &&
    (itemCodes.length === 0 || itemCodes.includes(product.itemCode)) &&
    fields.every((one) => product.filters?.includes(filterText(one)))

const newestFirst = (sort: ProductFilter["sort"]) =>
  Order.flip(
    Order.combine(
      Order.mapInput(Order.Number, (one: KeptProduct) => (sort === "created" ? one.createdAt : one.modifiedAt)),
      Order.mapInput(Order.Number, (one: KeptProduct) => one.uid)
    )
  )

const productOf = (tables: Table.Tables, company: CompanyId, sku: string): Product | undefined =>
  products.get(tables, sizes.get(tables, sku, company)?.itemCode ?? "", company)

const productStore = adapter(ProductStore, (database) => ({
  put: (company, many, at) =>
    database.decide((tables) => Result.map(putAll(tables, company, many, at), (written) => [undefined, written])),
  remove: (company, itemCodes) => database.write((tables) => removeProducts(tables, company, itemCodes)),
  find: (company, keys) =>
    database.read((tables) => {
      const codes = [
        ...keys.itemCodes,
        ...keys.skus.flatMap((sku) => sizes.get(tables, sku, company)?.itemCode ?? []),
        ...keys.slugs.flatMap((one) => slugs.get(tables, slugKey(one), company)?.itemCode ?? [])
      ]
      return [...new Set(codes)].flatMap((code) => products.get(tables, code, company) ?? [])
    }),
  page: (company, filter, page) =>
    database.read((tables) =>
      Table.pageOf(kept(tables, company).filter(matches(filter)).sort(newestFirst(filter.sort)), page)
    ),
  skusOfAny: (companies, skus) =>
    database.read(
      (tables) => new Set(skus.filter((sku) => companies.some((id) => sizes.get(tables, sku, id) !== undefined)))
    ),
  returnless: (company, skus) =>
    database.read((tables) => {
      const cannotReturn = (sku: string): boolean => {
        const product = productOf(tables, company, sku)
        return product !== undefined && isReturnless(product)
      }
      return new Set(skus.filter(cannotReturn))
    }),
  sold: (company, skus) =>
    database.read((tables) =>
      [...new Set(skus)].flatMap((sku) => {
        const product = productOf(tables, company, sku)
        const size = product?.sizes.find((one) => one.sku === sku)
        return product === undefined || size === undefined
          ? []
          : [{ sku, name: product.name, hsCode: product.hsCode, weight: size.weight }]
      })
    )
}))

const writes = Table.ofCompanies<CatalogWrite>("catalogWrites", ({ traceId }) => traceId)

const writeOutcomes = adapter(CatalogWriteStore, (database) => ({
  insert: (write) => database.write((tables) => writes.save(tables, [write])),
  find: (company, traceId) => database.read((tables) => writes.get(tables, traceId, company)),
  deleteBefore: (before, limit) => database.update(Table.deleteOld(writes, ({ at }) => at, before, limit))
}))

interface Placed<Item> {
  readonly position: number
  readonly item: Item
}

const version = "version of reference data"

const tableOf = <K extends keyof ReferenceData>(kind: K) => Table.make<Placed<ReferenceData[K][number]>>(kind)

const putKind = <K extends keyof ReferenceData>(tables: Table.Tables, data: ReferenceData, kind: K): Table.Tables => {
  const rows = data[kind].map((item, position) => [referenceKeys[kind](item), { position, item }] as const)
  return tableOf(kind).put(tables, rows)
}

const itemsOf = <K extends keyof ReferenceData>(tables: Table.Tables, kind: K) =>
  tableOf(kind)
    .rows(tables)
    .sort((one, other) => one.position - other.position)
    .map(({ item }) => item)

const referenceStore = adapter(ReferenceStore, (database) => ({
  put: (data) =>
    database.write((tables) => {
      const written = Struct.keys(referenceKeys).reduce((_, kind) => putKind(_, data, kind), tables)
      return Table.count(written, version)[1]
    }),
  putBrands: (many) => database.write((tables) => renameBrands(brands.save(tables, many), many)),
  version: database.read((tables) => Table.counted(tables, version)),
  brands: (company) => database.read((tables) => brands.rows(tables, company).sort((a, b) => a.uid - b.uid)),
  read: database.read((tables) => Record.map(referenceKeys, (_, kind) => itemsOf(tables, kind)) as ReferenceData)
}))

export const layer = Layer.mergeAll(referenceStore, productStore, writeOutcomes)
