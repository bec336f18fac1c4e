import { Directory } from "@crossdock/access"
import { CompanyWrite, Events } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { CompanyId, Ids } from "@crossdock/kernel"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { strictEqual } from "@effect/vitest/utils"
import { Context, Duration, Effect, Layer, Queue, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres } from "./Databases.ts"

const company = CompanyId.make(1)
const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const

const unpolled = Layer.succeed(Events.Poll, Duration.hours(1))

const host = Layer.mergeAll(Events.layer, CompanyWrite.layer).pipe(
  Layer.provideMerge(StorageSql.layer),
  Layer.provide([DigestNode.layer, Ids.layer, unpolled])
)

const change = Effect.flatMap(CompanyWrite.CompanyWrite, ({ run }) =>
  run(caller, {
    load: Effect.void,
    decide: () =>
      Effect.succeed({
        answer: undefined,
        changes: [
          {
            companyId: company,
            entity: { type: "test", id: "1", action: "set" },
            save: () => Effect.succeed({ logs: null, events: [{ type: "test.happened", version: 1, data: {} }] })
          }
        ]
      })
  })
)

describe("Readers of events on PostgreSQL", () => {
  it.live("are woken by the commits of other hosts, without waiting for a poll", () =>
    Effect.gen(function* () {
      const database = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
      const start = Layer.build(Layer.fresh(Layer.provide(host, database)))
      const [reading, writing] = [yield* start, yield* start]
      yield* Effect.flatMap(Directory, ({ putCompanies }) => putCompanies([Fresh.company(company)])).pipe(
        Effect.provideContext(writing)
      )
      const seen = yield* Queue.unbounded<number>()
      const { after } = Context.get(reading, Events.Events)
      yield* Effect.forkScoped(Stream.runForEach(after(company, 0), ({ number }) => Queue.offer(seen, number)))
      // The reader may find the first event by its own first look, and the second when it begins to listen.
      for (const number of [1, 2, 3]) {
        yield* Effect.provideContext(change, writing)
        strictEqual(yield* Effect.timeout(Queue.take(seen), "1 minute"), number)
      }
    }).pipe(Effect.scoped, Effect.provide(postgres()))
  )
})
