/**
 * A client on connections that the program has too, so that a unit of work can be part of a transaction of the program's own.
 */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as SqlClient from "effect/sql/SqlClient"

/**
 * `within` runs units of `effect` in the transaction that the program has open on `connection`, each as a savepoint. It dies
 * with a sentence when that can't be.
 */
export interface JoinableClient extends SqlClient.SqlClient {
  readonly within: (connection: unknown) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const isJoinable = (sql: SqlClient.SqlClient): sql is JoinableClient => Predicate.hasProperty(sql, "within")

/** The statements by which a unit is a part of a transaction instead of one of its own. */
export const savepoint = {
  begin: "SAVEPOINT crossdock",
  commit: "RELEASE SAVEPOINT crossdock",
  rollback: "ROLLBACK TO SAVEPOINT crossdock"
} as const
