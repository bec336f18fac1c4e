import {
  type Brand,
  type CatalogWrite,
  CatalogWriteStore,
  filterText,
  isReturnless,
  type KeptProduct,
  type Product,
  type ProductFilter,
  ProductStore,
  type ReferenceData,
  ReferenceStore
} from "@crossdock/catalog"
import {
  type CompanyId,
  Page,
  type StockKey,
  type StockRows,
  StorageError,
  stockKeyOrder,
  Text
} from "@crossdock/kernel"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { locations } from "./DirectoryMemory.ts"
import { adapter, type MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/** By uid. */
export const brands = Table.make<Brand>("brands")

/** Both by item code. */
export const products = Table.make<Product>("products")

const stamps = Table.make<Omit<KeptProduct, "product">>("productStamps")

/** Sizes by SKU: the short key for levels and prices, and the product. */
export const sizes = Table.make<{ readonly id: number; readonly itemCode: string }>("sizes")

/** The short keys of a SKU and a location, the key of levels and prices. */
export interface RowKey extends StockKey {
  readonly sizeId: number
  readonly locationId: number
}

export const rowKeyOf = ({ locationId, sizeId }: Pick<RowKey, "sizeId" | "locationId">): string =>
  `${locationId}:${sizeId}`

export const findRow = (
  tables: Table.Tables,
  company: CompanyId,
  { location, sku }: StockKey
): RowKey | "UNKNOWN_SKU" | "UNKNOWN_LOCATION" => {
  const known = locations.get(tables, company, location)
  if (known === undefined) return "UNKNOWN_LOCATION"
  const size = sizes.get(tables, company, sku)
  return size === undefined ? "UNKNOWN_SKU" : { sku, location, sizeId: size.id, locationId: known.id }
}

/** Whether the SKU wasn't deleted or recreated since it was read. */
export const isPresent = (tables: Table.Tables, company: CompanyId, { sizeId, sku }: RowKey): boolean =>
  sizes.get(tables, company, sku)?.id === sizeId

export const listed =
  <Row extends { readonly modifiedAt: number }, Values>(
    { read }: typeof MemoryDatabase.Service,
    table: Table.Table<Row>,
    valuesOf: (row: Row) => Values
  ): StockRows<Values> =>
  (company, filter, after, limit) =>
    read((tables) => {
      const all = (of: Pick<Table.Table<unknown>, "entries">) => of.entries(tables, company).map(([key]) => key)
      const codes = [...new Set(filter.locations ?? all(locations))]
      const rows = [...new Set(filter.skus.length === 0 ? all(sizes) : filter.skus)].flatMap((sku) =>
        codes.flatMap((location) => {
          const place = findRow(tables, company, { location, sku })
          const row = typeof place === "string" ? undefined : table.get(tables, company, rowKeyOf(place))
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
    locations.entries(tables, company).flatMap(([, location]) => {
      const size = sizes.get(tables, company, sku)
      return size === undefined ? [] : [rowKeyOf({ sizeId: size.id, locationId: location.id })]
    })
  )

const slugs = Table.make<string>("productSlugs")

const slugKey = ({ brand, slug }: Pick<Product, "brand" | "slug">): string => JSON.stringify([brand, slug])

const branded = (tables: Table.Tables, company: CompanyId, product: Product): Product => ({
  ...product,
  brand: brands.get(tables, company, String(product.brandUid))?.name ?? product.brand
})

/** Writes the brands' current names into their products. Two brands may swap names. */
export const renameBrands = (tables: Table.Tables, many: ReadonlyArray<Brand>): Table.Tables =>
  [...new Set(many.map(({ companyId }) => companyId))].reduce((_, company) => {
    const all = products.rows(_, company)
    const own = all.filter((product) => product.brand !== branded(_, company, product).brand)
    const renamed = own.map((product) => branded(_, company, product))
    const free = slugs.remove(_, company, own.map(slugKey))
    const named = slugs.putEach(free, company, renamed, (product) => [slugKey(product), product.itemCode])
    return products.putEach(named, company, renamed, (product) => [product.itemCode, product])
  }, tables)

/** A SKU belongs to the last product that named it. */
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
    const placed = product.sizes.reduce((_, size) => putSize(_, company, size.sku, product.itemCode), tables)
    const named = slugs.put(placed, company, [[slugKey(product), product.itemCode]])
    return products.put(stamp(named, company, product.itemCode, at), company, [[product.itemCode, product]])
  }

/** Products may swap SKUs and slugs, so all old ones are released before new ones are stored. */
const putAll = (
  tables: Table.Tables,
  company: CompanyId,
  sent: ReadonlyArray<Product>,
  at: number
): Result.Result<Table.Tables, StorageError> => {
  const many = sent.map((product) => branded(tables, company, product))
  const before = many.flatMap(({ itemCode }) => products.get(tables, company, itemCode) ?? [])
  const kept = new Set(many.flatMap((product) => product.sizes.map((size) => size.sku)))
  const deleted = before.flatMap((product) => product.sizes.map((size) => size.sku)).filter((sku) => !kept.has(sku))
  const free = slugs.remove(sizes.remove(tables, company, deleted), company, before.map(slugKey))
  const wanted = new Set(many.map(slugKey))
  const isTaken = wanted.size < many.length || [...wanted].some((key) => slugs.get(free, company, key) !== undefined)
  return isTaken
    ? Result.fail(new StorageError({ operation: "ProductStore.put", cause: new Error("A slug is taken") }))
    : Result.succeed(many.reduce(putProduct(company, at), free))
}

const removeProducts = (tables: Table.Tables, company: CompanyId, itemCodes: ReadonlyArray<string>): Table.Tables => {
  const found = itemCodes.flatMap((code) => products.get(tables, company, code) ?? [])
  const skus = found.flatMap((product) => product.sizes.map((size) => size.sku))
  return [stamps, products].reduce(
    (left, table) => table.remove(left, company, itemCodes),
    slugs.remove(sizes.remove(tables, company, skus), company, found.map(slugKey))
  )
}

const kept = (tables: Table.Tables, company: CompanyId): ReadonlyArray<KeptProduct> =>
  products.entries(tables, company).flatMap(([itemCode, product]) => {
    const found = stamps.get(tables, company, itemCode)
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

const productStore = adapter(ProductStore, (database) => ({
  put: (company, many, at) =>
    database.decide((tables) => Result.map(putAll(tables, company, many, at), (written) => [undefined, written])),
  remove: (company, itemCodes) => database.write((tables) => removeProducts(tables, company, itemCodes)),
  find: (company, keys) =>
    database.read((tables) => {
      const codes = [
        ...keys.itemCodes,
        ...keys.skus.flatMap((sku) => sizes.get(tables, company, sku)?.itemCode ?? []),
        ...keys.slugs.flatMap((one) => slugs.get(tables, company, slugKey(one)) ?? [])
      ]
      return [...new Set(codes)].flatMap((code) => products.get(tables, company, code) ?? [])
    }),
  page: (company, filter, page) =>
    database.read((tables) => {
      const found = kept(tables, company).filter(matches(filter)).sort(newestFirst(filter.sort))
      return { items: found.slice(Page.offset(page), Page.offset(page) + page.size), total: found.length }
    }),
  skusOfAny: (companies, skus) =>
    database.read(
      (tables) => new Set(skus.filter((sku) => companies.some((id) => sizes.get(tables, id, sku) !== undefined)))
    ),
  returnless: (company, skus) =>
    database.read((tables) => {
      const cannotReturn = (sku: string): boolean => {
        const product = products.get(tables, company, sizes.get(tables, company, sku)?.itemCode ?? "")
        return product !== undefined && isReturnless(product)
      }
      return new Set(skus.filter(cannotReturn))
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
}))

/** By trace id. */
const writes = Table.make<CatalogWrite>("catalogWrites")

const writeOutcomes = adapter(CatalogWriteStore, (database) => ({
  insert: (write) => database.write((tables) => writes.put(tables, write.companyId, [[write.traceId, write]])),
  find: (company, traceId) => database.read((tables) => writes.get(tables, company, traceId)),
  deleteBefore: (before, limit) =>
    database.decide((tables) => {
      const old = writes
        .all(tables)
        .filter(({ at }) => at < before)
        .sort((a, b) => a.at - b.at)
        .slice(0, limit)
      const left = old.reduce((rest, { companyId, traceId }) => writes.remove(rest, companyId, [traceId]), tables)
      return Result.succeed([old.length, left])
    })
}))

interface Placed<Item> {
  readonly position: number
  readonly item: Item
}

type Kinds = { readonly [K in keyof ReferenceData]: Table.Table<Placed<ReferenceData[K][number]>> }

const kinds: Kinds = {
  departments: Table.make("departments"),
  categories: Table.make("categories"),
  templates: Table.make("templates"),
  attributes: Table.make("attributes"),
  hsCodes: Table.make("hsCodes"),
  taxRules: Table.make("taxRules")
}
const versions = Table.make<number>("referenceVersions")

const versionOf = (tables: Table.Tables): number => versions.get(tables, Table.noCompany, "reference") ?? 0

const nextVersion = (tables: Table.Tables): Table.Tables =>
  versions.put(tables, Table.noCompany, [["reference", versionOf(tables) + 1]])

const byUid = Order.mapInput(Order.Number, (brand: Brand) => brand.uid)

const put =
  <Item>(table: Table.Table<Placed<Item>>, items: ReadonlyArray<Item>, keyOf: (item: Item) => string | number) =>
  (tables: Table.Tables): Table.Tables =>
    table.putEach(tables, Table.noCompany, items, (item, position) => [String(keyOf(item)), { position, item }])

const itemsOf = <Item>(tables: Table.Tables, table: Table.Table<Placed<Item>>): ReadonlyArray<Item> =>
  table
    .rows(tables, Table.noCompany)
    .sort(Order.mapInput(Order.Number, (placed) => placed.position))
    .map((placed) => placed.item)

const referenceStore = adapter(ReferenceStore, (database) => ({
  put: (data) =>
    database.write((tables) =>
      [
        put(kinds.departments, data.departments, (item) => item.uid),
        put(kinds.categories, data.categories, (item) => item.uid),
        put(kinds.templates, data.templates, (item) => item.slug),
        put(kinds.attributes, data.attributes, (item) => item.slug),
        put(kinds.hsCodes, data.hsCodes, (item) => item.code),
        put(kinds.taxRules, data.taxRules, (item) => item.id),
        nextVersion
      ].reduce((written, change) => change(written), tables)
    ),
  putBrands: (many) =>
    database.write((tables) =>
      renameBrands(
        many.reduce((_, brand) => brands.put(_, brand.companyId, [[String(brand.uid), brand]]), tables),
        many
      )
    ),
  version: database.read(versionOf),
  brands: (company) => database.read((tables) => brands.rows(tables, company).sort(byUid)),
  read: database.read((tables) => ({
    departments: itemsOf(tables, kinds.departments),
    categories: itemsOf(tables, kinds.categories),
    templates: itemsOf(tables, kinds.templates),
    attributes: itemsOf(tables, kinds.attributes),
    hsCodes: itemsOf(tables, kinds.hsCodes),
    taxRules: itemsOf(tables, kinds.taxRules)
  }))
}))

export const layer = Layer.mergeAll(referenceStore, productStore, writeOutcomes)
