/** Stock levels and movements in the application's own tables. */
import { type CompanyLocation, type Level, type MarkedChange, StockLevels } from "@crossdock/inventory"
import { type CompanyId, StaleWrite, Transaction } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as ApplicationStock from "../ApplicationStock.ts"
import * as Dialect from "../Dialect.ts"
import { each, rows } from "../Dialect.ts"
import { allOrNothing, named } from "../TransactionSql.ts"
import * as DeletedLevels from "./DeletedLevels.ts"
import * as StockLevelsSql from "./StockLevelsSql.ts"

const loadedColumns = ["onHand", "reserved", "unsellable", "version", "changeNumber", "changedAt"] as const

const loaded = (companyId: CompanyId, { columns }: ApplicationStock.Names) => {
  const read = StockLevelsSql.levelRead(
    companyId,
    loadedColumns.map((column) => columns[column])
  )
  const of: typeof read.of = (place, values) => ({ ...read.of(place, values), sizeId: 0, locationId: 0 })
  return { ...read, of }
}

const lineColumns = Dialect.columns(`
  location text, sku text, on_hand integer, reserved integer, unsellable integer, reason text, reference text`)

/** A row's first movement: the stock from before Crossdock used the table. Marketplaces are notified of that stock too. */
const opening = ({ onHand, reserved, unsellable, version }: Level.Level): ReadonlyArray<Level.Movement> =>
  version > 0 || (onHand === 0 && reserved === 0 && unsellable === 0)
    ? []
    : [{ onHand, reserved, unsellable, reason: "set", reference: null }]

const linesOf = ({ before, movements }: MarkedChange) =>
  [...opening(before), ...movements].map((_) => {
    const { location, sku } = before
    return [location, sku, _.onHand, _.reserved, _.unsellable, _.reason, _.reference]
  })

export const make = (tables: ApplicationStock.Names): Effect.Effect<typeof StockLevels.Service, never, SqlClient> =>
  Effect.map(SqlClient, (sql) => {
    const levels = ApplicationStock.levels(sql, tables)
    const whole = allOrNothing(sql)
    const writes = ApplicationStock.writes(sql, tables, {
      operation: "StockLevels.save",
      version: "version",
      columns: ["onHand", "reserved", "unsellable", "changeNumber", "changedAt"]
    })
    const [sku, location] = [Dialect.byCodePoint(sql, "v.sku"), Dialect.byCodePoint(sql, "v.location")]
    const isSold = (company: CompanyId) => ApplicationStock.isSold(sql, company, "v.sku")

    const current = (company: CompanyId, locations: ReadonlyArray<string>, after: number): DeletedLevels.Marks => ({
      sku,
      columns: `0 AS "sizeId", 0 AS "locationId", v.on_hand AS "onHand", v.reserved, v.unsellable, v.version`,
      from: sql`
        FROM (SELECT v.*, v.change_number AS sequence FROM ${levels} v) v
        JOIN crossdock_locations l ON l.company_id = ${company} AND l.code = ${location}
        WHERE v.company_id = ${company} AND v.change_number > ${after} AND ${Dialect.isOneOf(sql, "l.code", locations)} AND ${isSold(company)}`
    })

    /** Selects a level that was marked again later. With `after`, fewer levels are read. */
    const markedAgain = (company: CompanyId, after: number) => sql`
      SELECT 1 FROM ${levels} b
      WHERE b.company_id = ${company} AND b.location = l.code AND b.sku = v.sku
        AND b.change_number > v.sequence AND b.change_number > ${after}`

    const markedAt = ({ companyId, location }: CompanyLocation) =>
      sql`${levels} v WHERE v.company_id = ${companyId} AND v.location = ${location} AND v.change_number > 0`

    return StockLevels.of({
      load: (company, keys) =>
        StockLevelsSql.loadJoined(
          sql,
          company,
          keys,
          loaded(company, tables),
          ApplicationStock.joined(sql, tables, company)
        ).pipe(named("StockLevels.load")),
      save: (company, changeNumber, at, changes) => {
        // This is checked before the write. A failure after the statement is sent would count as a failure of the storage.
        if (changes.some(({ after }) => after.companyId !== company))
          return new StaleWrite({ operation: "StockLevels.save" })
        return Effect.gen(function* () {
          const number = yield* StockLevelsSql.numberOf(sql, company, changeNumber)
          const lines = changes.flatMap(linesOf)
          const move = sql`
            INSERT INTO ${sql.literal(tables.movements)} (${sql.literal(ApplicationStock.listed(tables, ApplicationStock.movementColumns))})
            SELECT ${company}, r.location, r.sku, r.on_hand, r.reserved, r.unsellable, ${number}, ${at}, r.reason, r.reference
            FROM ${rows(sql, lineColumns, lines)} r`
          const written = changes.map(({ after, before, marked }) => {
            const { location, onHand, reserved, sku, unsellable } = after
            const mark = marked || opening(before).length > 0 ? [null, at] : [before.changeNumber, before.changedAt]
            return { location, sku, version: before.version, values: [onHand, reserved, unsellable, ...mark] }
          })
          yield* Transaction.together(...writes(company, at, written, number), lines.length === 0 ? Effect.void : move)
        }).pipe(named("StockLevels.save"), whole, Transaction.write)
      },
      marked: (company, locations, after, limit, marketplace) =>
        DeletedLevels.marked(sql, company, limit, [
          current(company, locations, after),
          DeletedLevels.marks(sql, company, locations, after, marketplace, markedAgain(company, after))
        ]),
      deleted: (company, keys, marketplace) => DeletedLevels.find(sql, company, keys, marketplace),
      markMissing: (marketplace, from, to, changeNumber, at) =>
        DeletedLevels.markMissing(sql, marketplace, to, { changeNumber, at }, [
          from,
          sql`SELECT ${sku} AS sku FROM ${markedAt(from)} AND ${isSold(from.companyId)}`,
          sql`SELECT 1 FROM ${markedAt(to)} AND v.sku = f.sku AND ${isSold(to.companyId)}`
        ]),
      list: ApplicationStock.rowsAfter(
        sql,
        tables,
        "StockLevels.list",
        `v.on_hand AS "onHand", v.reserved AS "reserved", v.unsellable AS "unsellable"`,
        "1 = 1"
      ),
      remove: ApplicationStock.removeLevels(sql, tables),
      // The application folds or deletes its movements itself. `verify` then reports levels that differ from their movements.
      foldMovements: () => Effect.succeed(0),
      discrepancies: (company) =>
        sql<StockLevelsSql.DiscrepancyRow>`
          SELECT CASE WHEN ${isSold(company)} THEN v.sku END AS sku, v.location AS code, v.on_hand, v.reserved, v.unsellable,
            COALESCE(m.on_hand, 0) AS moved_on_hand, COALESCE(m.reserved, 0) AS moved_reserved,
            COALESCE(m.unsellable, 0) AS moved_unsellable
          FROM ${levels} v
          LEFT JOIN (
            SELECT location, sku, SUM(on_hand) AS on_hand, SUM(reserved) AS reserved, SUM(unsellable) AS unsellable
            FROM ${ApplicationStock.movements(sql, tables)} v WHERE v.company_id = ${company} GROUP BY location, sku
          ) m ON m.location = v.location AND m.sku = v.sku
          WHERE v.company_id = ${company} AND v.version > 0 AND (NOT ${isSold(company)} OR v.on_hand <> COALESCE(m.on_hand, 0)
            OR v.reserved <> COALESCE(m.reserved, 0) OR v.unsellable <> COALESCE(m.unsellable, 0))`.pipe(
          each(StockLevelsSql.discrepancyOf),
          named("StockLevels.discrepancies")
        )
    })
  })
