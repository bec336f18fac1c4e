/**
 * Which SQL statements something takes. The words of transactions (BEGIN, SAVEPOINT, COMMIT …) are not among them.
 */
import { Context, Duration, Effect, Layer, Ref } from "effect"
import * as Statement from "effect/sql/Statement"
import { MigrationCheck } from "../src/UnusableDatabase.ts"

export class StatementCount extends Context.Service<
  StatementCount,
  {
    /** What `effect` answers, and the text of each statement that ran meanwhile, in order. */
    readonly of: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<{ readonly answer: A; readonly statements: ReadonlyArray<string> }, E, R>
  }
>()("@crossdock/storage-sql/test/StatementCount") {}

const log = Ref.make<ReadonlyArray<string>>([])

/**
 * Counts all that runs on the runtime which this layer is part of, also in fibers of a server.
 */
export const layer = Layer.unwrap(
  Effect.map(log, (statements) => {
    const noted = Layer.succeed(Statement.CurrentTransformer, (statement) => {
      const [text] = statement.compile()
      return Effect.as(
        Ref.update(statements, (before) => [...before, text.replaceAll(/\s+/g, " ").trim()]),
        statement
      )
    })
    const service = StatementCount.of({
      of: (effect) =>
        Effect.gen(function* () {
          yield* Ref.set(statements, [])
          const answer = yield* effect
          return { answer, statements: yield* Ref.get(statements) }
        })
    })
    // What comes once a second would be counted at random.
    const unasked = Layer.succeed(MigrationCheck, Duration.infinity)
    return Layer.mergeAll(noted, unasked, Layer.succeed(StatementCount, service))
  })
)
