import { CompanyWrite } from "@crossdock/audit"
import { type CompanyLocation, type Discrepancy, Level, type MarkedChange, StockLevels } from "@crossdock/inventory"
import { type CompanyId, required, stockKeyText, Text } from "@crossdock/kernel"
import { PriceStore, type PriceUpdate } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Record from "effect/Record"
import { findRow, isPresent, listed, placesOf, type RowKey, rowKeyOf } from "./CatalogStoreMemory.ts"
import { locations } from "./DirectoryMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const levels = Table.make<{ readonly level: Level.Level; readonly modifiedAt: number }>("levels")

/** A movement at a SKU and location. `at` is null for the sum of folded movements. */
interface Moved {
  readonly at: number | null
  readonly sum: Discrepancy["movements"]
}

const movements = Table.make<ReadonlyArray<Moved>>("movements")

/** Levels that marketplaces see as 0 stock. `marketplace` is the slug of the only one that does, or "" for all. */
const deletedLevels = Table.keyed<{ readonly level: Level.Level; readonly marketplace: string }>(
  "deletedLevels",
  ({ level, marketplace }) => JSON.stringify([stockKeyText(level), marketplace]),
  ({ level }) => level.companyId
)

const everybody = ""

const deletedFor = (tables: Table.Tables, company: CompanyId, marketplace: string): ReadonlyArray<Level.Level> =>
  deletedLevels
    .rows(tables, company)
    .flatMap((one) => (one.marketplace === everybody || one.marketplace === marketplace ? [one.level] : []))

const none = { onHand: 0, reserved: 0, unsellable: 0, version: 0, changeNumber: 0, changedAt: 0 }

const all = (tables: Table.Tables, company: CompanyId): ReadonlyArray<Level.Level> =>
  levels.rows(tables, company).map(({ level }) => level)

const present = (tables: Table.Tables, company: CompanyId): ReadonlyArray<Level.Level> =>
  all(tables, company).filter((level) => isPresent(tables, company, level))

/** Whether the stored row still has the version that was read. If there was no row, the SKU must still be the same. */
const isCurrent = (
  tables: Table.Tables,
  company: CompanyId,
  before: RowKey & { readonly version: number },
  stored: { readonly version: number } | undefined
): boolean => (stored?.version ?? 0) === before.version && (before.version > 0 || isPresent(tables, company, before))

const saved = (
  tables: Table.Tables,
  company: CompanyId,
  changeNumber: number,
  at: number,
  changes: ReadonlyArray<MarkedChange>
) => {
  const rows = changes.map(({ after, before, marked }) => {
    const mark = marked
      ? { changeNumber, changedAt: at }
      : { changeNumber: before.changeNumber, changedAt: before.changedAt }
    const level = { ...after, version: before.version + 1, ...mark }
    return [rowKeyOf(after), { level, modifiedAt: at }] as const
  })
  const moved = changes.map((change) => {
    const key = rowKeyOf(change.after)
    return [key, [...(movements.get(tables, key, company) ?? []), { at, sum: sumOf(change.movements) }]] as const
  })
  return movements.put(levels.put(tables, rows, company), moved, company)
}

const sumOf = (moves: ReadonlyArray<Discrepancy["movements"]>) =>
  Record.map({ onHand: 0, reserved: 0, unsellable: 0 }, (_, unit) => moves.reduce((sum, move) => sum + move[unit], 0))

const isOld =
  (before: number) =>
  ({ at }: Moved): boolean =>
    at !== null && at < before

/** Folds a company's movements from before a time into one sum per SKU and location. Returns how many it folded. */
const folded = (tables: Table.Tables, company: number, before: number): readonly [saves: number, Table.Tables] => {
  const old = movements.entries(tables, company).filter(([, moved]) => moved.some(isOld(before)))
  const rows = old.map(([key, moved]) => {
    const recent = moved.filter(({ at }) => at !== null && at >= before)
    const rest = moved.filter((one) => !recent.includes(one))
    return [key, [{ at: null, sum: sumOf(rest.map(({ sum }) => sum)) }, ...recent]] as const
  })
  const saves = old.reduce((count, [, moved]) => count + moved.filter(isOld(before)).length, 0)
  return [saves, movements.put(tables, rows, company)]
}

const discrepancyOf = (tables: Table.Tables, company: CompanyId, level: Level.Level): ReadonlyArray<Discrepancy> => {
  const { location, onHand, reserved, unsellable } = level
  const sku = isPresent(tables, company, level) ? level.sku : null
  const sum = sumOf((movements.get(tables, rowKeyOf(level), company) ?? []).map((moved) => moved.sum))
  const agrees = onHand === sum.onHand && reserved === sum.reserved && unsellable === sum.unsellable
  return agrees && sku !== null ? [] : [{ sku, location, level: { onHand, reserved, unsellable }, movements: sum }]
}

const byChangeNumber = Order.combineAll([
  Order.mapInput(Order.Number, (level: Level.Level) => level.changeNumber),
  Order.mapInput(Text.order, (level: Level.Level) => level.sku),
  Order.mapInput(Text.order, (level: Level.Level) => level.location)
])

const take = (
  tables: Table.Tables,
  company: CompanyId,
  keys: ReadonlyArray<string>,
  changeNumber: number,
  at: number
): Table.Tables => {
  const marked = keys.flatMap((key) => {
    const level = levels.get(tables, key, company)?.level
    return level === undefined || level.changeNumber === 0 ? [] : [Level.deleted(company, level, changeNumber, at)]
  })
  const names = new Set(marked.map(stockKeyText))
  const missing = deletedLevels.rows(tables, company).filter(({ level }) => names.has(stockKeyText(level)))
  return deletedLevels.save(
    deletedLevels.discard(levels.remove(tables, keys, company), missing),
    marked.map((level) => ({ level, marketplace: everybody }))
  )
}

/** All marked levels at a location that this marketplace may see, including deleted ones. */
const markedAt = (tables: Table.Tables, { companyId, location }: CompanyLocation, marketplace: string) =>
  [...present(tables, companyId), ...deletedFor(tables, companyId, marketplace)].filter(
    (level) => level.location === location && level.changeNumber > 0
  )

const stockLevels = adapter(StockLevels, (database) => ({
  load: (company, keys) =>
    database.read((tables) =>
      keys.map((key) => {
        const place = findRow(tables, company, key)
        if (typeof place === "string") return place
        const known = levels.get(tables, rowKeyOf(place), company)
        return { ...none, ...known?.level, companyId: company, ...place }
      })
    ),
  save: (company, changeNumber, at, changes) =>
    Effect.flatMap(CompanyWrite.knownNumber(changeNumber), (number) =>
      database.decide((tables) =>
        changes.every(({ before }) =>
          isCurrent(tables, company, before, levels.get(tables, rowKeyOf(before), company)?.level)
        )
          ? Table.written(saved(tables, company, number, at, changes))
          : Table.stale("StockLevels.save")
      )
    ),
  marked: (company, locations, after, limit, marketplace) =>
    database.read((tables) => {
      const current = present(tables, company)
      const marks = new Map(current.map((level) => [stockKeyText(level), level.changeNumber]))
      const deleted = deletedFor(tables, company, marketplace).filter(
        (level) => (marks.get(stockKeyText(level)) ?? 0) < level.changeNumber
      )
      const found = [...current, ...deleted]
        .filter((level) => level.changeNumber > after && locations.includes(level.location))
        .sort(byChangeNumber)
      const last = found[limit - 1]?.changeNumber ?? Number.POSITIVE_INFINITY
      return found.filter((level) => level.changeNumber <= last)
    }),
  deleted: (company, keys, marketplace) =>
    database.read((tables) => {
      const wanted = new Set(keys.map(stockKeyText))
      return deletedFor(tables, company, marketplace).filter((level) => wanted.has(stockKeyText(level)))
    }),
  markMissing: (marketplace, from, to, changeNumber, at) =>
    database.write((tables) => {
      const there = new Set(markedAt(tables, to, marketplace).map(({ sku }) => sku))
      const missing = markedAt(tables, from, marketplace)
        .filter(({ sku }) => !there.has(sku))
        .map(({ sku }) => Level.deleted(to.companyId, { sku, location: to.location }, changeNumber, at))
        .map((level) => ({ level, marketplace }))
      return deletedLevels.save(tables, missing)
    }),
  list: listed(database, levels, ({ level: { onHand, reserved, unsellable } }) => ({ onHand, reserved, unsellable })),
  remove: (company, skus, { at, changeNumber }) =>
    database.write((tables) => take(tables, company, placesOf(tables, company, skus), changeNumber, at)),
  foldMovements: (before) =>
    database.update((tables) => {
      const company = movements
        .companies(tables)
        .find((one) => movements.entries(tables, one).some(([, moved]) => moved.some(isOld(before))))
      return company === undefined ? [0, tables] : folded(tables, company, before)
    }),
  discrepancies: (company) =>
    database.read((tables) => all(tables, company).flatMap((level) => discrepancyOf(tables, company, level)))
}))

const prices = Table.make<Pick<PriceUpdate.Price, "mrp" | "esp" | "version"> & { readonly modifiedAt: number }>(
  "prices"
)

const rowOf =
  (at: number) =>
  ({ after, before }: PriceUpdate.PriceChange) =>
    [rowKeyOf(after), { mrp: after.mrp, esp: after.esp, version: before.version + 1, modifiedAt: at }] as const

const priceStore = adapter(PriceStore, (database) => ({
  load: (company, keys) =>
    database.read((tables) =>
      keys.map((key) => {
        const place = findRow(tables, company, key)
        if (typeof place === "string") return place
        const known = prices.get(tables, rowKeyOf(place), company)
        const { currency } = required(locations.get(tables, key.location, company), `the location ${key.location}`)
        return { ...place, currency, mrp: known?.mrp ?? 0, esp: known?.esp ?? 0, version: known?.version ?? 0 }
      })
    ),
  save: (company, at, changes) =>
    database.decide((tables) =>
      changes.every(({ before }) => isCurrent(tables, company, before, prices.get(tables, rowKeyOf(before), company)))
        ? Table.written(prices.put(tables, changes.map(rowOf(at)), company))
        : Table.stale("PriceStore.save")
    ),
  list: listed(database, prices, ({ esp, mrp }) => ({ mrp, esp })),
  remove: (company, skus) => database.write((tables) => prices.remove(tables, placesOf(tables, company, skus), company))
}))

export const layer = Layer.merge(stockLevels, priceStore)
