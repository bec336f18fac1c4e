/** Adapter: prices. */
import { type CompanyId, required, StaleWrite } from "@crossdock/kernel"
import { PriceStore, type PriceUpdate } from "@crossdock/pricing"
import * as Result from "effect/Result"
import { findRow, isPresent, listed, placesOf, rowKeyOf } from "./CatalogStoreMemory.ts"
import { locations } from "./DirectoryMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/** Prices by place, each with the time of its last write. */
const prices = Table.make<Pick<PriceUpdate.Price, "mrp" | "esp" | "version"> & { readonly modifiedAt: number }>(
  "prices"
)

const isCurrent =
  (tables: Table.Tables, company: CompanyId) =>
  ({ before }: PriceUpdate.PriceChange): boolean =>
    (prices.get(tables, company, rowKeyOf(before))?.version ?? 0) === before.version &&
    (before.version > 0 || isPresent(tables, company, before))

const rowOf = ({ after, before }: PriceUpdate.PriceChange, at: number) =>
  [rowKeyOf(after), { mrp: after.mrp, esp: after.esp, version: before.version + 1, modifiedAt: at }] as const

export const layer = adapter(PriceStore, (database) => ({
  load: (company, keys) =>
    database.read((tables) =>
      keys.map((key) => {
        const place = findRow(tables, company, key)
        if (typeof place === "string") return place
        const known = prices.get(tables, company, rowKeyOf(place))
        const { currency } = required(locations.get(tables, company, key.location), `the location ${key.location}`)
        return { ...place, currency, mrp: known?.mrp ?? 0, esp: known?.esp ?? 0, version: known?.version ?? 0 }
      })
    ),
  save: (company, at, changes) =>
    database.decide((tables) =>
      changes.every(isCurrent(tables, company))
        ? Result.succeed([undefined, prices.putEach(tables, company, changes, (change) => rowOf(change, at))])
        : Result.fail(new StaleWrite({ operation: "PriceStore.save" }))
    ),
  list: listed(database, prices, ({ esp, mrp }) => ({ mrp, esp })),
  remove: (company, skus) => database.write((tables) => prices.remove(tables, company, placesOf(tables, company, skus)))
}))
