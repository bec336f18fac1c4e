import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "./Dialect.ts"
import * as Distribution from "./Distribution.ts"
import { named } from "./TransactionSql.ts"

/** Makes a function that deletes up to `limit` unlocked rows older than `before`, oldest first, and returns their number. */
export const deleteOld = (sql: SqlClient, operation: string, table: string, key: string, time: string) =>
  Effect.map(
    Distribution.locking(sql, Dialect.lockedSkippingLocked(sql, "o")),
    (lock) => (before: number, limit: number) =>
      sql`
        DELETE FROM ${sql.literal(table)} WHERE (${sql.literal(key)}) IN (
          SELECT ${sql.literal(key)} FROM ${sql.literal(table)} o
          WHERE o.${sql.literal(time)} < ${before} ORDER BY o.${sql.literal(time)} LIMIT ${limit}
          ${lock})`.raw.pipe(Effect.map(Dialect.affected), named(operation))
  )
