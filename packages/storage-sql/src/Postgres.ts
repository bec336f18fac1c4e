/**
 * A PostgreSQL client whose whole numbers are numbers.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/**
 * What we keep in bigint columns stays within what a double represents exactly; the client would give a BigInt.
 */
const int8: PgTypes.Codec<number> = {
  encode: (value) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => Result.succeed(Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0)))
}

/** The wire's only format. */
const binary = 1

/**
 * Sums of bigint columns are numeric; the client would give text.
 */
const numeric: PgTypes.Codec<number> = {
  encode: (value) => PgTypes.encode(String(value), PgTypes.OID.numeric),
  decode: (bytes) => Result.map(PgTypes.decode(bytes, PgTypes.OID.numeric, binary), Number)
}

const types = PgTypes.makeRegistry()
types.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
types.register(PgTypes.OID.numeric, numeric, { arrayOid: PgTypes.OID.numericArray })

/**
 * What a host that died had locked is free again when the server sees its connection end, and after 8 s when it can't.
 */
const startupParameters = { idle_in_transaction_session_timeout: "8s" }

/**
 * PostgreSQL's own bound for one value. The client's would be 16 MiB: a longer row could be written and never read again.
 */
const maxMessageSize = 2 ** 30

/**
 * At most `maxConnections` connections, 10 unless given. Columns of the host's own are read the same way: a numeric or a
 * bigint beyond 2^53 loses digits.
 */
export const layer = (
  url: Redacted.Redacted,
  options: { readonly maxConnections?: number } = {}
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  PgClient.layer({ url, types, startupParameters, maxMessageSize, maxConnections: options.maxConnections ?? 10 })
