import { createHash } from "node:crypto"
import { Directory } from "@crossdock/access"
import { Audit, AuditLog } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { CompanyId, Ids, Transaction } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"

const services = Audit.layer.pipe(Layer.provideMerge(StorageMemory.layer), Layer.provide([DigestNode.layer, Ids.layer]))

const one = CompanyId.make(1)
const caller = { principal: { kind: "system", id: "test" }, requestId: "r1" } as const

const entry = (id: string) => ({
  companyId: one,
  entity: { type: "price", id, action: "set" },
  logs: { request: [id], response: "ok" }
})

const change = (id: string) =>
  Effect.gen(function* () {
    const audit = yield* Audit.Audit
    const transaction = yield* Transaction.Transaction
    yield* Transaction.decide(transaction)(
      Effect.flatMap(audit.hold([one]), (held) => audit.append(held, caller, [entry(id)]))
    )
  })

describe("The audit trail", () => {
  it.effect("numbers a company's records from 1 and chains each to the one before by the bytes it holds", () =>
    Effect.gen(function* () {
      const directory = yield* Directory
      yield* directory.putCompanies([{ id: one, name: "One", legalName: "One" }])
      yield* change("a")
      yield* change("b")
      const log = yield* AuditLog
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
      yield* Effect.flip(transaction.run(Effect.andThen(change("a"), Effect.fail("refused"))))
      const log = yield* AuditLog
      deepStrictEqual(yield* log.read(one, 0, 10), [])
    }).pipe(Effect.provide(services))
  )
})
