/** Whether PostgreSQL can still write. */
import type { StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
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
 * Fails on a full disk, where reads still succeed. It writes 80 kB to a temporary file, which is beside the tables:
 * unlike rows that are rolled back, that leaves nothing to clean up. `length(small)` makes the server lower its memory
 * before it makes the series, which then needs a file. If temporary files are limited, the disk counts as not full.
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

/** The shortest time between two probes. Callers without an account can ask at any rate. */
const every = Duration.toNanosUnsafe(Duration.seconds(1))

/** `probe` with its outcome cached for a second, measured without the clock, which may be set back. */
export const shared = (sql: SqlClient.SqlClient): Effect.Effect<Effect.Effect<void, StorageError>> =>
  Effect.map(Effect.cachedInvalidateWithTTL(probe(sql), Duration.infinity), ([known, forget]) => {
    let triedAt: bigint | undefined
    return Effect.withFiber((fiber) => {
      const now = fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()
      if (triedAt !== undefined && now - triedAt < every) return known
      triedAt = now
      return Effect.andThen(forget, known)
    })
  })
