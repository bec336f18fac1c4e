/** Stock levels and movements, and functions for rows that prices use too. */
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyLocation, type Discrepancy, type Level, StockLevels } from "@crossdock/inventory"
import type { CompanyId, StockKey } from "@crossdock/kernel"
import { StaleWrite, StoredBody, Transaction } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { TupleOf } from "effect/Types"
import * as Dialect from "../Dialect.ts"
import { each, expectRows, gathered, rows, rowsOf } from "../Dialect.ts"
import * as SchemaDialect from "../SchemaDialect.ts"
import { allOrNothing, named, unbounded } from "../TransactionSql.ts"
import * as DeletedLevels from "./DeletedLevels.ts"
import * as StockRows from "./StockRows.ts"

/** A found row: the index of the name, the short keys of location and size (null if unknown), and the requested columns. */
type FoundRow<Columns extends ReadonlyArray<unknown>> = readonly [number, number | null, number | null, ...Columns]

export interface RowKey extends StockKey {
  readonly sizeId: number
  readonly locationId: number
}

const nameColumns = Dialect.columns("sku text, location text")

/** What to read from a row `v` at location `l`, and how to make a value of it. A missing row has only nulls. */
export interface Read<Columns extends ReadonlyArray<unknown>, A> {
  readonly columns: ReadonlyArray<string>
  readonly of: (place: RowKey, columns: Columns) => A
}

/** Reads one answer per key in `names`, in order. `joined` joins the rows `v` for location `l`, size `s` and key `r`. */
export const loadJoined = <Columns extends ReadonlyArray<unknown>, A>(
  sql: SqlClient,
  company: CompanyId,
  names: ReadonlyArray<StockKey>,
  from: Read<Columns, A>,
  joined: (wanted: Fragment) => Fragment
): Effect.Effect<ReadonlyArray<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, SqlError> => {
  const wanted = rowsOf(sql, nameColumns, names, ({ location, sku }) => [sku, location])
  return sql<{ gathered: string }>`
    SELECT ${gathered(sql, ["r.i", "l.id", "s.id", ...from.columns])}
    FROM ${wanted} r
    LEFT JOIN crossdock_locations l ON l.company_id = ${company} AND l.code = r.location
    ${Dialect.lookUpSize(sql, "LEFT", company, sql`r.sku`)}
    LEFT JOIN ${joined(wanted)}`.pipe(
    Effect.map((answers) => {
      const found: Array<FoundRow<Columns>> = []
      for (const answer of answers) for (const row of JSON.parse(answer.gathered)) found[row[0]] = row
      return names.map(({ location, sku }, i) => {
        const [, locationId = null, sizeId = null, ...columns] = found[i] ?? []
        if (locationId === null) return "UNKNOWN_LOCATION"
        return sizeId === null ? "UNKNOWN_SKU" : from.of({ sku, location, sizeId, locationId }, columns as Columns)
      })
    })
  )
}

/** Like `loadJoined`, for one of our own tables. Inside a transaction, it locks the rows in key order. */
export const loadRows = <Columns extends ReadonlyArray<unknown>, A>(
  sql: SqlClient,
  company: CompanyId,
  names: ReadonlyArray<StockKey>,
  from: Read<Columns, A> & { readonly table: string }
): Effect.Effect<ReadonlyArray<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, SqlError> =>
  loadJoined(
    sql,
    company,
    names,
    from,
    (wanted) => sql`${Dialect.lockedByKey(sql, from.table, company, wanted)} v
      ON v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id`
  )

/** Compares two changes by key. Writing in key order prevents deadlocks between two writers. */
export const byKey = (
  a: { readonly after: Pick<RowKey, "locationId" | "sizeId"> },
  b: { readonly after: Pick<RowKey, "locationId" | "sizeId"> }
): number => a.after.locationId - b.after.locationId || a.after.sizeId - b.after.sizeId

/** The number of a change, as SQL. On PostgreSQL, a change without a number gets the locked company's next number. */
export const numberOf = (sql: SqlClient, company: CompanyId, changeNumber: CompanyWrite.ChangeNumber) =>
  sql.onDialectOrElse({
    orElse: () => Effect.map(CompanyWrite.knownNumber(changeNumber), (known) => sql`${known}`),
    pg: () =>
      Effect.succeed(
        typeof changeNumber === "number"
          ? sql`${changeNumber}::bigint`
          : sql`(SELECT n.audit_sequence + 1 FROM crossdock_companies n WHERE n.id = ${company})`
      )
  })

/** The changes that one statement writes. `condition` decides which rows `r` may be stored. */
interface Part<Change> {
  readonly some: ReadonlyArray<Change>
  readonly condition: Fragment
  readonly onConflict: Fragment
}

/** Separates inserts from updates. Waiting for a row that another writer is inserting could deadlock. */
export const insertsAndUpdates = <Change extends { readonly before: { readonly version: number } }>(
  sql: SqlClient,
  company: CompanyId,
  changes: ReadonlyArray<Change>,
  update: Fragment
): ReadonlyArray<Part<Change>> => {
  const sizeExists = sql`EXISTS (SELECT 1 FROM crossdock_sizes s
    WHERE s.company_id = ${company} AND s.id = r.size_id ${Dialect.alone(sql)})`
  const first = changes.filter(({ before }) => before.version === 0)
  const later = changes.filter(({ before }) => before.version > 0)
  return [
    { some: first, condition: sizeExists, onConflict: sql`DO NOTHING` },
    { some: later, condition: sql`true`, onConflict: update }
  ].filter(({ some }) => some.length > 0)
}

export const staleIfDeleted =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StaleWrite, R> =>
    Effect.mapError(effect, (error) => (SchemaDialect.isNeverStored(error) ? new StaleWrite({ operation }) : error))

/** The columns of each movement in the JSON of a change, in this order. */
export const movementColumns = Dialect.columns(`
  location_id integer, size_id integer, on_hand integer, reserved integer, unsellable integer, reason text,
  reference text`)

/** Adds checkpoints and the time of each change. Without an audit record, a change counts as old: its time is its number. */
export const checkpoints = (sql: SqlClient): ReadonlyArray<string> => {
  const { clustered, elementColumns, elements } = SchemaDialect.schemaWords(sql)
  return [
    `ALTER TABLE crossdock_movements ADD COLUMN at BIGINT NOT NULL DEFAULT 0`,
    `UPDATE crossdock_movements SET at = COALESCE((SELECT a.at FROM crossdock_audit_records a
      WHERE a.company_id = crossdock_movements.company_id AND a.sequence = crossdock_movements.number), number)`,
    `CREATE INDEX crossdock_movements_at ON crossdock_movements (company_id, at)`,
    `CREATE TABLE crossdock_checkpoints (
      company_id BIGINT NOT NULL, location_id BIGINT NOT NULL, size_id BIGINT NOT NULL, number BIGINT NOT NULL,
      on_hand BIGINT NOT NULL, reserved BIGINT NOT NULL, unsellable BIGINT NOT NULL,
      PRIMARY KEY (company_id, location_id, size_id)
    ) ${clustered}`,
    `DROP VIEW crossdock_movement_lines`,
    `CREATE VIEW crossdock_movement_lines AS
      SELECT m.company_id, m.number, ${elementColumns(movementColumns)}
      FROM crossdock_movements m, ${elements("m.lines")}
      UNION ALL
      SELECT c.company_id, c.number, c.location_id, c.size_id, c.on_hand, c.reserved, c.unsellable, 'checkpoint', NULL
      FROM crossdock_checkpoints c`
  ]
}

const levelColumns = Dialect.columns(`
  location_id integer, size_id integer, on_hand integer, reserved integer, unsellable integer, version integer,
  sequence integer, changed_at integer`)

export interface DiscrepancyRow {
  readonly sku: string | null
  readonly code: string
  readonly on_hand: number
  readonly reserved: number
  readonly unsellable: number
  readonly moved_on_hand: number
  readonly moved_reserved: number
  readonly moved_unsellable: number
}

/** The movements of one change. `lines` is a JSON array of arrays, in the order of `movementColumns`. */
interface ChangeRow {
  readonly number: number
  readonly lines: string
}

type Line = readonly [locationId: number, sizeId: number, onHand: number, reserved: number, unsellable: number]

const checkpointColumns = Dialect.columns(`
  location_id integer, size_id integer, number integer, on_hand integer, reserved integer, unsellable integer`)

const movementLines = StoredBody.makeList<Line>({ name: "movements of change" })

/** Sums up the movements of each level, in key order, with the greatest change number. */
const checkpointsOf = (changes: ReadonlyArray<ChangeRow>): ReadonlyArray<ReadonlyArray<number>> => {
  const sums = new Map<string, TupleOf<6, number>>()
  for (const { lines, number } of changes) {
    for (const [locationId, sizeId, onHand, reserved, unsellable] of movementLines.read(lines, number)) {
      const key = `${locationId} ${sizeId}`
      const [, , last, hand, kept, unfit] = sums.get(key) ?? [0, 0, 0, 0, 0, 0]
      const sum = [hand + onHand, kept + reserved, unfit + unsellable] as const
      sums.set(key, [locationId, sizeId, Math.max(last, number), ...sum])
    }
  }
  return [...sums.values()].sort(([a, b], [c, d]) => a - c || b - d)
}

export const discrepancyOf = (row: DiscrepancyRow): Discrepancy => ({
  sku: row.sku,
  location: row.code,
  level: { onHand: row.on_hand, reserved: row.reserved, unsellable: row.unsellable },
  movements: { onHand: row.moved_on_hand, reserved: row.moved_reserved, unsellable: row.moved_unsellable }
})

/** Reads levels from columns of `v`. A missing level has 0 in all of them. */
export const levelRead = (
  companyId: CompanyId,
  columns: ReadonlyArray<string>
): Read<TupleOf<6, number>, Level.Level> => ({
  columns: columns.map((column) => `COALESCE(v.${column}, 0)`),
  of: (place, [onHand, reserved, unsellable, version, changeNumber, changedAt]) => ({
    companyId,
    ...place,
    onHand,
    reserved,
    unsellable,
    version,
    changeNumber,
    changedAt
  })
})

const loadedColumns = ["on_hand", "reserved", "unsellable", "version", "sequence", "changed_at"]

const loaded = (companyId: CompanyId) => ({ table: "crossdock_levels", ...levelRead(companyId, loadedColumns) })

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)

  const update = sql`DO UPDATE SET on_hand = excluded.on_hand,
    reserved = excluded.reserved, unsellable = excluded.unsellable, version = excluded.version,
    sequence = excluded.sequence, changed_at = excluded.changed_at, modified_at = excluded.modified_at
    WHERE crossdock_levels.version = excluded.version - 1`

  const current = (company: CompanyId, locations: ReadonlyArray<string>, after: number): DeletedLevels.Marks => ({
    sku: sql`s.sku`,
    columns: `v.size_id AS "sizeId", v.location_id AS "locationId", v.on_hand AS "onHand", v.reserved, v.unsellable, v.version`,
    from: sql`
      FROM crossdock_levels v
      JOIN crossdock_locations l ON l.company_id = ${company} AND l.id = v.location_id
      JOIN crossdock_sizes s ON s.company_id = ${company} AND s.id = v.size_id
      WHERE v.company_id = ${company} AND v.sequence > ${after} AND ${Dialect.isOneOf(sql, "l.code", locations)}`
  })

  const markedAgain = (company: CompanyId) => sql`
    SELECT 1 FROM crossdock_sizes k
    JOIN crossdock_levels b ON b.company_id = ${company} AND b.location_id = v.location_id AND b.size_id = k.id
    WHERE k.company_id = ${company} AND ${Dialect.isText(sql, "k.sku", sql`v.sku`)} AND b.sequence > v.sequence`

  const markedSkus = ({ companyId, location }: CompanyLocation) => sql`
    SELECT s.sku FROM crossdock_locations l
    CROSS JOIN crossdock_levels v
    CROSS JOIN crossdock_sizes s
    WHERE l.company_id = ${companyId} AND l.code = ${location} AND v.company_id = ${companyId}
      AND v.location_id = l.id AND v.sequence > 0 AND s.company_id = ${companyId} AND s.id = v.size_id`

  const isMarked = ({ companyId }: CompanyLocation) => sql`
    SELECT 1 FROM crossdock_sizes k
    JOIN crossdock_levels b ON b.company_id = ${companyId} AND b.location_id = t.id AND b.size_id = k.id
    WHERE k.company_id = ${companyId} AND ${Dialect.isText(sql, "k.sku", sql`f.sku`)} AND b.sequence > 0`

  return StockLevels.of({
    load: (company, keys) => loadRows(sql, company, keys, loaded(company)).pipe(named("StockLevels.load")),
    save: (company, changeNumber, at, changes) =>
      Effect.flatMap(numberOf(sql, company, changeNumber), (number) => {
        const levelsOf = (some: typeof changes) =>
          some
            .toSorted(byKey)
            .map(({ after, before, marked }) => [
              after.locationId,
              after.sizeId,
              after.onHand,
              after.reserved,
              after.unsellable,
              before.version + 1,
              marked ? null : before.changeNumber,
              marked ? at : before.changedAt
            ])
        const lines: Array<ReadonlyArray<number | string | null>> = []
        for (const { after, movements } of changes) {
          for (const _ of movements)
            lines.push([after.locationId, after.sizeId, _.onHand, _.reserved, _.unsellable, _.reason, _.reference])
        }
        // VALUES can't be used, because it accepts no subquery on Citus.
        const moved = sql`
          INSERT INTO crossdock_movements (company_id, number, at, lines)
          SELECT ${company}, ${number}, ${at}, ${JSON.stringify(lines)}`
        const stored = insertsAndUpdates(sql, company, changes, update).map(({ condition, onConflict, some }, nth) =>
          expectRows(
            sql,
            "StockLevels.save",
            some.length,
            sql`
              INSERT INTO crossdock_levels (company_id, location_id, size_id, on_hand, reserved, unsellable, version,
                sequence, changed_at, modified_at)
              SELECT ${company}, r.location_id, r.size_id, r.on_hand, r.reserved, r.unsellable, r.version,
                COALESCE(r.sequence, ${number}), r.changed_at, ${at}
              FROM ${rows(sql, levelColumns, levelsOf(some))} r WHERE ${condition}
              ON CONFLICT (company_id, location_id, size_id) ${onConflict}`,
            { besides: nth === 0 && lines.length > 0 ? [moved] : [] }
          )
        )
        return Transaction.together(...stored)
      }).pipe(Effect.asVoid, staleIfDeleted("StockLevels.save"), named("StockLevels.save"), whole, Transaction.write),
    marked: (company, locations, after, limit, marketplace) =>
      DeletedLevels.marked(sql, company, limit, [
        current(company, locations, after),
        DeletedLevels.marks(sql, company, locations, after, marketplace, markedAgain(company))
      ]),
    deleted: (company, keys, marketplace) => DeletedLevels.find(sql, company, keys, marketplace),
    markMissing: (marketplace, from, to, changeNumber, at) =>
      DeletedLevels.markMissing(sql, marketplace, to, { changeNumber, at }, [from, markedSkus(from), isMarked(to)]),
    list: StockRows.listed(
      sql,
      "StockLevels.list",
      "crossdock_levels",
      `v.on_hand AS "onHand", v.reserved AS "reserved", v.unsellable AS "unsellable"`
    ),
    remove: (company, skus, mark) =>
      StockRows.removed(sql, "StockLevels.remove", "crossdock_levels", company, skus, (places) => {
        const marked = sql`SELECT v.location_id, s.sku
          FROM (SELECT location_id, size_id FROM crossdock_levels WHERE ${places} AND sequence > 0) v
          JOIN crossdock_sizes s ON s.company_id = ${company} AND s.id = v.size_id`
        return DeletedLevels.markDeleted(sql, company, [...new Set(skus)], mark, marked)
      }),
    foldMovements: (before, limit) =>
      Effect.gen(function* () {
        if (!(yield* Dialect.tryLock(sql, "crossdock_movements fold"))) return 0
        const [next] = yield* sql<{ id: number }>`
          SELECT c.id FROM crossdock_companies c WHERE EXISTS (
            SELECT 1 FROM crossdock_movements m WHERE m.company_id = c.id AND m.at < ${before} ${Dialect.alone(sql)})
          LIMIT 1`
        if (next === undefined) return 0
        const changes = yield* sql<ChangeRow>`
          DELETE FROM crossdock_movements WHERE company_id = ${next.id} AND at <= (
            SELECT MAX(o.at) FROM (SELECT m.at FROM crossdock_movements m
              WHERE m.company_id = ${next.id} AND m.at < ${before} ORDER BY m.at LIMIT ${limit}) o)
          RETURNING number, lines`
        yield* sql`
          INSERT INTO crossdock_checkpoints (company_id, location_id, size_id, number, on_hand, reserved, unsellable)
          SELECT ${next.id}, r.location_id, r.size_id, r.number, r.on_hand, r.reserved, r.unsellable
          FROM ${rows(sql, checkpointColumns, checkpointsOf(changes))} r WHERE true
          ON CONFLICT (company_id, location_id, size_id) DO UPDATE SET
            number = CASE WHEN excluded.number > crossdock_checkpoints.number THEN excluded.number
              ELSE crossdock_checkpoints.number END,
            on_hand = crossdock_checkpoints.on_hand + excluded.on_hand,
            reserved = crossdock_checkpoints.reserved + excluded.reserved,
            unsellable = crossdock_checkpoints.unsellable + excluded.unsellable`
        return changes.length
      }).pipe(named("StockLevels.foldMovements"), whole),
    discrepancies: (company) =>
      sql<DiscrepancyRow>`
        SELECT s.sku, l.code, v.on_hand, v.reserved, v.unsellable, COALESCE(m.on_hand, 0) AS moved_on_hand,
          COALESCE(m.reserved, 0) AS moved_reserved, COALESCE(m.unsellable, 0) AS moved_unsellable
        FROM crossdock_levels v
        JOIN crossdock_locations l ON l.company_id = ${company} AND l.id = v.location_id
        LEFT JOIN crossdock_sizes s ON s.company_id = ${company} AND s.id = v.size_id
        LEFT JOIN (
          SELECT location_id, size_id, SUM(on_hand) AS on_hand, SUM(reserved) AS reserved, SUM(unsellable) AS unsellable
          FROM crossdock_movement_lines WHERE company_id = ${company} GROUP BY location_id, size_id
        ) m ON m.location_id = v.location_id AND m.size_id = v.size_id
        WHERE v.company_id = ${company} AND (s.id IS NULL OR v.on_hand <> COALESCE(m.on_hand, 0)
          OR v.reserved <> COALESCE(m.reserved, 0) OR v.unsellable <> COALESCE(m.unsellable, 0))`.pipe(
        each(discrepancyOf),
        named("StockLevels.discrepancies")
      )
  })
})

export const layer = Layer.effect(StockLevels, make)

/** A movement of a level. `reference` is the id of a shipment, or null. A null `at` marks the sum of folded movements. */
export interface PastMovement {
  readonly changeNumber: number
  readonly at: number | null
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly reason: string
  readonly reference: string | null
}

/** A level's movements, oldest first, with its checkpoint. */
export const pastMovements = (company: CompanyId, { location, sku }: StockKey) =>
  Effect.flatMap(
    SqlClient,
    (sql) =>
      sql<PastMovement>`
      SELECT v.number AS ${sql("changeNumber")}, m.at, v.on_hand AS ${sql("onHand")}, v.reserved, v.unsellable, v.reason,
        v.reference
      FROM crossdock_movement_lines v
      JOIN crossdock_locations l ON l.company_id = ${company} AND l.id = v.location_id AND l.code = ${location}
      JOIN crossdock_sizes s ON s.company_id = ${company} AND s.id = v.size_id
        AND ${Dialect.isText(sql, "s.sku", sql`${sku}`)}
      LEFT JOIN crossdock_movements m ON m.company_id = ${company} AND m.number = v.number AND v.reason <> 'checkpoint'
      WHERE v.company_id = ${company} ORDER BY v.number`
  ).pipe(named("StockLevelsSql.pastMovements"), unbounded)
