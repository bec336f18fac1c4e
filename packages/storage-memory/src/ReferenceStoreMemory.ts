/** Adapter: reference data. */
import { type Brand, type ReferenceData, ReferenceStore } from "@crossdock/catalog"
import * as Order from "effect/Order"
import { adapter } from "./MemoryDatabase.ts"
import { brands, renameBrands } from "./ProductStoreMemory.ts"
import * as Table from "./Table.ts"

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

export const layer = adapter(ReferenceStore, (database) => ({
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
