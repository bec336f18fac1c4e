/** The movements that led to a level, so that an operator can explain it. */
import type { CompanyId, StockKey, StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { named, unbounded } from "../TransactionSql.ts"

/** A movement of a level's parts. `reference` is a shipment or null; `at` is null for a checkpoint, a folded sum. */
export interface PastMovement {
  readonly changeNumber: number
  readonly at: number | null
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly reason: string
  readonly reference: string | null
}

/** All movements of a level, oldest first: the checkpoint, if movements were folded, and the later ones. */
export const movements = (
  company: CompanyId,
  { location, sku }: StockKey
): Effect.Effect<ReadonlyArray<PastMovement>, StorageError, SqlClient.SqlClient> =>
  Effect.flatMap(
    SqlClient.SqlClient,
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
  ).pipe(named("MovementHistory.movements"), unbounded)
