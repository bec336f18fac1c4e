/** Why a database can't be used, or not written once a later release migrated it, whose rows the host doesn't know. */
import { StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/** A later release wrote the database, or it was changed by hand. The message has the difference and the remedy. */
export class UnusableSchema extends Data.TaggedError("UnusableSchema")<{ readonly message: string }> {}

/** An unusable address. The message is a clause with the fault and the remedy, without secrets. */
export class UnusableUrl extends Data.TaggedError("UnusableUrl")<{ readonly message: string }> {}

/** How often to check for a later migration. */
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

/** Runs before each write and fails once the database has a migration after number `known`. */
export const unlessMigrated = (sql: SqlClient.SqlClient, known: number): Effect.Effect<void, StorageError> => {
  let lookedAt = 0n
  let failure: StorageError | undefined
  const look = sql<{ last: number | null }>`SELECT MAX(migration_id) AS last FROM crossdock_migrations`.pipe(
    Effect.flatMap(([row]) => {
      if (Number(row?.last) <= known) return Effect.void
      failure = later(Number(row?.last))
      return Effect.andThen(Effect.logError("This host no longer writes", failure), Effect.fail(failure))
    }),
    // The following write fails for the same reason and reports it.
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
