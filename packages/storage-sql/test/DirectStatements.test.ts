import { Transaction } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Ref, Tracer } from "effect"
import { postgres, sqliteFile } from "./Databases.ts"

/**
 * The names of the spans that `effect` opens.
 */
const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    const span = (
      name: string,
      parent: Tracer.Span["parent"],
      context: Tracer.Span["context"],
      links: Tracer.Span["links"],
      startTime: bigint,
      kind: Tracer.SpanKind
    ): Tracer.Span => {
      names.push(name)
      return {
        _tag: "Span",
        name,
        spanId: String(names.length),
        traceId: "trace",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        links,
        sampled: true,
        kind,
        end: () => {},
        attribute: () => {},
        event: () => {},
        addLinks: () => {}
      }
    }
    yield* Effect.withTracer(effect, Tracer.make({ span, context: (f) => f() }))
    return names
  })

const suite = (name: string, database: typeof sqliteFile) =>
  layer(Layer.provideMerge(StorageSql.layer, database), { timeout: "2 minutes", excludeTestServices: true })(
    name,
    (it) => {
      const work = Effect.gen(function* () {
        const [sql, transaction] = [yield* SqlClient.SqlClient, yield* Transaction.Transaction]
        const rows = sql<{ n: number }>`SELECT COUNT(*) AS n FROM test_rows WHERE a = ${1}`
        yield* sql`CREATE TABLE IF NOT EXISTS test_rows (a BIGINT)`
        yield* sql`DELETE FROM test_rows`
        const within = yield* transaction.run(
          Effect.gen(function* () {
            yield* sql`INSERT INTO test_rows ${sql.insert([{ a: 1 }, { a: 1 }])}`
            const answer = yield* sql`UPDATE test_rows SET a = 1`.raw
            return { rows: yield* rows, answer }
          })
        )
        return { within: within.rows, after: yield* rows }
      })
      const both = { within: [{ n: 2 }], after: [{ n: 2 }] }

      it.effect("where nobody traces, statements of a transaction open no span, and see what it wrote", () =>
        Effect.gen(function* () {
          deepStrictEqual(yield* Effect.withTracerEnabled(work, false), both)
          deepStrictEqual(yield* spansOf(Effect.withTracerEnabled(work, false)), [])
        })
      )

      it.effect("where somebody traces, each statement has its span", () =>
        Effect.gen(function* () {
          deepStrictEqual(yield* work, both)
          strictEqual((yield* spansOf(work)).filter((one) => one === "sql.execute").length, 6)
        })
      )

      it.effect("a transformer sees every statement, traced or not", () =>
        Effect.gen(function* () {
          const seen = yield* Ref.make(0)
          const counted = Statement.withTransformer(work, (statement) =>
            Effect.as(
              Ref.update(seen, (count) => count + 1),
              statement
            )
          )
          deepStrictEqual(yield* Effect.withTracerEnabled(counted, false), both)
          strictEqual(yield* Ref.get(seen), 6)
        })
      )
    }
  )

suite("Statements that go straight to SQLite", sqliteFile)
suite("Statements that go straight to PostgreSQL", postgres())
