/**
 * Whether PostgreSQL can still write.
 */
import type { StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { named } from "./Database.ts"

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: disk_full. */
const diskFull = "53100"

const isDiskFull = ({ reason: { cause } }: SqlError): boolean =>
  Predicate.hasProperty(cause, "code") && cause.code === diskFull

/**
 * Fails on a full disk, where reads still succeed. It writes 80 kB to a temporary file, which is beside the tables: unlike rows
 * that are rolled back, that leaves nothing to clean up. `length(small)` makes the server lower its memory before it makes the
 * series, which then needs a file. Where temporary files are limited, it finds nothing out.
 */
export const probe = (sql: SqlClient.SqlClient): Effect.Effect<void, StorageError> =>
  sql`SELECT count(*) FROM (SELECT set_config('work_mem', '64kB', true) AS small) memory,
    LATERAL generate_series(1, 5000 + length(small))`.pipe(
    Effect.asVoid,
    Effect.catchIf(
      (error) => !isDiskFull(error),
      () => Effect.void
    ),
    named("probe")
  )
