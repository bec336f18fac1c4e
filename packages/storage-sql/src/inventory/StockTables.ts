/**
 * The schema of movements.
 */
import type * as SqlClient from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"

/** What the JSON of a change has for each of its movements, in this order. */
export const movementColumns = {
  location_id: "integer",
  size_id: "integer",
  on_hand: "integer",
  reserved: "integer",
  unsellable: "integer",
  reason: "text",
  reference: "text"
} as const

/**
 * Old movements of a level are folded into one, its checkpoint, so changes have their time. That of a change that is stored
 * already is in its audit record; one whose record was dropped is older than any, in the order of their numbers.
 */
export const checkpoints = (sql: SqlClient.SqlClient): ReadonlyArray<string> => {
  const { clustered, elementColumns, elements } = Dialect.schemaWords(sql)
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
