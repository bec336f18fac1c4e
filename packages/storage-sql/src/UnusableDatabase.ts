/** Errors for databases that can't be used, and a check that blocks writes once a later release has migrated the database. */
import { StorageError, type Stored } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** The database was migrated by a later release or changed by hand. The message has the difference and the remedy. */
export class UnusableSchema extends Data.TaggedError("UnusableSchema")<{ readonly message: string }> {}

/** The address can't be used. The message is a clause with the fault and the remedy, without secrets. */
export class UnusableUrl extends Data.TaggedError("UnusableUrl")<{ readonly message: string }> {}

/** How often to check for a migration of a later release. */
export const MigrationCheck = Context.Reference<Duration.Duration>("@crossdock/storage-sql/MigrationCheck", {
  defaultValue: () => Duration.seconds(1)
})

const later = (migration: number) =>
  new StorageError({
    operation: "write",
    cause: new Error(
      `A later release has migrated the database (to migration ${migration}), so this host no longer writes to it: stop it, and start the later release`
    )
  })

/** Runs before each write. It fails once the database has a migration whose number is above `known`. */
export const unlessMigrated = (sql: SqlClient, known: number): Stored<void> => {
  let lookedAt = 0n
  let failure: StorageError | undefined
  const look = sql<{ last: number | null }>`SELECT MAX(migration_id) AS last FROM crossdock_migrations`.pipe(
    Effect.flatMap(([row]) => {
      if (Number(row?.last) <= known) return Effect.void
      failure = later(Number(row?.last))
      return Effect.andThen(Effect.logError("This host no longer writes", failure), Effect.fail(failure))
    }),
    Effect.catchTag("SqlError", () => Effect.void)
  )
  return Effect.withFiber((fiber) => {
    if (failure !== undefined) return Effect.fail(failure)
    const now = fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()
    const every = fiber.getRef(MigrationCheck)
    if (!Duration.isFinite(every) || now - lookedAt < Duration.toNanosUnsafe(every)) return Effect.void
    lookedAt = now
    return look
  })
}
