import { createHash } from "node:crypto"
import { Directory } from "@crossdock/access"
import { AuditStore, CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { CompanyId, Ids, StaleWrite, Transaction } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"

const services = CompanyWrite.layer.pipe(
  Layer.provideMerge(StorageMemory.layer),
  Layer.provide([DigestNode.layer, Ids.layer])
)

const [one, other] = [CompanyId.make(1), CompanyId.make(2)]
const caller = { principal: { kind: "system", id: "test" }, requestId: "r1" } as const

const change = (id: string, save: () => Effect.Effect<void, StaleWrite> = () => Effect.void) =>
  Effect.flatMap(CompanyWrite.CompanyWrite, ({ run }) =>
    run(caller, {
      load: Effect.void,
      decide: () =>
        Effect.succeed({
          answer: id,
          changes: [
            {
              companyId: one,
              entity: { type: "price", id, action: "set" },
              save: () => Effect.as(save(), { logs: { request: [id], response: "ok" }, events: [] })
            }
          ]
        })
    })
  )

describe("The audit trail", () => {
  it.effect("numbers a company's records from 1 and chains each to the previous one by its exact bytes", () =>
    Effect.gen(function* () {
      const directory = yield* Directory
      yield* directory.putCompanies([{ id: one, name: "One", legalName: "One" }])
      yield* change("a")
      yield* change("b")
      const log = yield* AuditStore
      const records = yield* log.read(one, 0, 10)
      deepStrictEqual(
        records.map(({ sequence }) => sequence),
        [1, 2]
      )
      let before = ""
      for (const { body, hash } of records) {
        strictEqual(
          hash,
          createHash("sha256")
            .update(before + body)
            .digest("hex")
        )
        before = hash
      }
      const [first] = records
      const body = JSON.parse(first?.body ?? "{}")
      deepStrictEqual(body.recorded_by, { kind: "system", id: "test" })
      strictEqual(body.request_id, "r1")
      deepStrictEqual(body.entity, { type: "price", id: "a", action: "set" })
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves no record of a change that was not made", () =>
    Effect.gen(function* () {
      const directory = yield* Directory
      yield* directory.putCompanies([{ id: one, name: "One", legalName: "One" }])
      const transaction = yield* Transaction.Transaction
      yield* Effect.flip(transaction.run(Effect.andThen(change("a"), Effect.fail("rejected"))))
      const log = yield* AuditStore
      deepStrictEqual(yield* log.read(one, 0, 10), [])
    }).pipe(Effect.provide(services))
  )

  it.live("starts over when another writer was faster, under the number that is next by then", () =>
    Effect.gen(function* () {
      const directory = yield* Directory
      yield* directory.putCompanies([{ id: one, name: "One", legalName: "One" }])
      let tries = 0
      const stale = () => (++tries < 3 ? Effect.fail(new StaleWrite({ operation: "test" })) : Effect.void)
      strictEqual(yield* change("a", stale), "a")
      const log = yield* AuditStore
      deepStrictEqual(
        (yield* log.read(one, 0, 10)).map(({ entityId, sequence }) => [entityId, sequence]),
        [["a", 1]]
      )
      strictEqual(tries, 3)
    }).pipe(Effect.provide(services))
  )

  it.effect("does not record a change of a company that it did not lock with the others, and writes nothing", () =>
    Effect.gen(function* () {
      const directory = yield* Directory
      yield* directory.putCompanies([one, other].map((id) => ({ id, name: "One", legalName: "One" })))
      const { run } = yield* CompanyWrite.CompanyWrite
      const entity = { type: "price", id: "a", action: "set" }
      const write = run(caller, {
        load: Effect.void,
        lockFirst: () => [other],
        decide: () =>
          Effect.succeed({
            answer: 1,
            changes: [{ companyId: one, entity, save: () => Effect.succeed({ logs: null, events: [] }) }]
          })
      })
      strictEqual((yield* Effect.exit(write))._tag, "Failure")
      deepStrictEqual(yield* Effect.flatMap(AuditStore, (log) => log.read(one, 0, 10)), [])
    }).pipe(Effect.provide(services))
  )
})
