/**
 * A PostgreSQL client whose whole numbers are numbers.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as Redacted from "effect/Redacted"
import * as DirectStatements from "./DirectStatements.ts"

/**
 * int8, int2, int4, float8 and numeric: the driver gives int8 and numeric as text, and all of ours stay within what a
 * double holds exactly. Everything else that we keep is text.
 */
const numeric = new Set([20, 21, 23, 701, 1700])

const types = { getTypeParser: (oid: number) => (numeric.has(oid) ? Number : (value: unknown) => value) }

export const layer = (url: Redacted.Redacted, options: { readonly maxConnections?: number } = {}) =>
  DirectStatements.layer(PgClient.layer({ url, types, maxConnections: options.maxConnections ?? 10 }))
