/**
 * A client whose statements go straight to the connection of the transaction they stand in. The client's own way opens a
 * span and a scope and looks for the connection each time, which costs more than most of our statements do by themselves.
 */

import * as SqlClient from "@effect/sql/SqlClient"
import type * as Connection from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/**
 * Outside of a transaction, and where somebody traces statements or changes them on their way, the client's own way is
 * taken.
 */
const preferring = <A>(
  own: () => Effect.Effect<A, SqlError>,
  direct: (connection: Connection.Connection) => Effect.Effect<A, SqlError>
): Effect.Effect<A, SqlError> =>
  Effect.withFiberRuntime((fiber) => {
    const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
    const watched =
      fiber.getFiberRef(FiberRef.currentTracerEnabled) || Option.isSome(fiber.getFiberRef(Statement.currentTransformer))
    return Option.isNone(transaction) || watched ? own() : direct(transaction.value[0])
  })

class DirectStatement<A> extends Effectable.Class<ReadonlyArray<A>, SqlError> implements Statement.Statement<A> {
  readonly #own: Statement.Statement<A>
  readonly segments: ReadonlyArray<Statement.Segment>

  constructor(own: Statement.Statement<A>) {
    super()
    this.#own = own
    this.segments = own.segments
  }

  get [Statement.FragmentId]() {
    return this.#own[Statement.FragmentId]
  }
  get raw() {
    return preferring(
      () => this.#own.raw,
      (connection) => connection.executeRaw(...this.compile())
    )
  }
  get withoutTransform() {
    return this.#own.withoutTransform
  }
  get stream() {
    return this.#own.stream
  }
  get values() {
    return this.#own.values
  }
  get unprepared() {
    return this.#own.unprepared
  }
  compile() {
    return this.#own.compile()
  }
  commit(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return preferring(
      () => this.#own,
      (connection) => connection.execute(...this.compile(), undefined)
    )
  }
}

const direct = (client: SqlClient.SqlClient): SqlClient.SqlClient => {
  const statement = (text: TemplateStringsArray | string, ...values: Array<unknown>) =>
    typeof text === "string" ? client(text) : new DirectStatement(client(text, ...values))
  const self: SqlClient.SqlClient = Object.assign(statement as SqlClient.SqlClient, client, {
    withoutTransforms: () => self
  })
  return self
}

/**
 * For a client that renames neither columns nor results.
 */
export const layer = <Client, E, R>(
  client: Layer.Layer<Client | SqlClient.SqlClient, E, R>
): Layer.Layer<Client | SqlClient.SqlClient, E, R> =>
  Layer.provideMerge(Layer.effect(SqlClient.SqlClient, Effect.map(SqlClient.SqlClient, direct)), client)
