/**
 * The laws of `CatalogWriteStore`.
 */
import { CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import { badEnds, endsBadly, type Laws, linger, outcome, together } from "./Laws.ts"

const writeOf = (companyId: CompanyId, traceId: string): CatalogWrite.CatalogWrite => ({
  companyId,
  traceId,
  operation: "create",
  template: "apparel",
  caller: {
    principal: {
      kind: "integration",
      id: "kaveri",
      integrationId: "k1",
      companyId,
      locations: null,
      stockPolicy: "set"
    },
    requestId: "r1"
  },
  total: 2,
  failures: [
    { index: 1, code: "SLUG_TAKEN", message: "“taken” 😀", path: "/products/1/slug", details: { item_code: "b" } }
  ],
  stage: "RUNNING",
  createdAt: 1,
  modifiedAt: 1
})

const inputs: CatalogWrite.Accepted = [
  { index: 0, input: { name: "कुर्ता \\u0000", nested: [1, null, { "a/b": "\ud800" }] } }
]

const freshWrite = Effect.gen(function* () {
  return writeOf(yield* Fresh.companyId, yield* Fresh.text("trace"))
})

const dueOf = (company: CompanyId) =>
  Effect.flatMap(CatalogWriteStore, (store) => store.due).pipe(
    Effect.map((all) => all.filter(({ companyId }) => companyId === company).map(({ traceId }) => traceId))
  )

export const catalogWriteStoreLaws = ({ concurrent, law }: Laws<CatalogWriteStore | Transaction.Transaction>): void => {
  law("a write is read back equal, within its company only", function* () {
    const store = yield* CatalogWriteStore
    const write = yield* freshWrite
    yield* store.insert(write, inputs)
    deepStrictEqual(yield* store.find(write.companyId, write.traceId), write)
    strictEqual(yield* store.find(yield* Fresh.companyId, write.traceId), undefined)
    strictEqual(yield* store.find(write.companyId, "nowhere"), undefined)
  })

  law("what a write accepted is read back equal until it is finished, within its company only", function* () {
    const store = yield* CatalogWriteStore
    const write = yield* freshWrite
    yield* store.insert(write, inputs)
    deepStrictEqual(yield* store.accepted(write), inputs)
    deepStrictEqual(yield* store.accepted({ ...write, companyId: yield* Fresh.companyId }), [])
    yield* store.finish(CatalogWrite.completed(write, [], 2))
    deepStrictEqual(yield* store.accepted(write), [])
  })

  law("the writes of a company are due one after the other; completed ones never are", function* () {
    const store = yield* CatalogWriteStore
    const company = yield* Fresh.companyId
    const traces = ["t2", "t1", "t3"]
    yield* store.insert({ ...writeOf(company, "t0"), stage: "COMPLETED" }, [])
    for (const trace of traces) yield* store.insert(writeOf(company, trace), inputs)
    for (const trace of traces) {
      deepStrictEqual(yield* dueOf(company), [trace])
      yield* store.finish(CatalogWrite.completed(writeOf(company, trace), [], 11))
    }
    deepStrictEqual(yield* dueOf(company), [])
  })

  law("a write is due and can be locked whatever its times say: the clock may have been set back since", function* () {
    const [store, transaction] = [yield* CatalogWriteStore, yield* Transaction.Transaction]
    const write = { ...(yield* freshWrite), createdAt: 9_000_000_000_000, modifiedAt: 9_000_000_000_000 }
    yield* store.insert(write, inputs)
    deepStrictEqual(yield* dueOf(write.companyId), [write.traceId])
    deepStrictEqual(yield* transaction.run(store.lock(write)), write)
    yield* store.finish(CatalogWrite.completed(write, [], 1))
    deepStrictEqual(yield* dueOf(write.companyId), [])
  })

  law(
    "a running write can be locked, within its company only; a completed one is not finished a second time",
    function* () {
      const [store, transaction] = [yield* CatalogWriteStore, yield* Transaction.Transaction]
      const write = yield* freshWrite
      yield* store.insert(write, inputs)
      const lock = (key: CatalogWrite.WriteKey) => transaction.run(store.lock(key))
      deepStrictEqual(yield* lock(write), write)
      strictEqual(yield* lock({ ...write, companyId: yield* Fresh.companyId }), undefined)
      const done = CatalogWrite.completed(write, [], 250)
      strictEqual(yield* outcome(store.finish(done)), "done")
      deepStrictEqual(yield* store.find(write.companyId, write.traceId), done)
      strictEqual(yield* outcome(store.finish(done)), "StaleWrite")
      strictEqual(yield* lock(write), undefined)
    }
  )

  for (const [how, bad] of badEnds) {
    law(`a write is free again, and as it was, when the transaction that locked it ${how}`, function* () {
      const [store, transaction] = [yield* CatalogWriteStore, yield* Transaction.Transaction]
      const write = yield* freshWrite
      yield* store.insert(write, inputs)
      yield* endsBadly(
        transaction.run(
          Effect.gen(function* () {
            yield* store.lock(write)
            yield* store.finish(CatalogWrite.completed(write, [], 2))
            yield* bad
          })
        )
      )
      deepStrictEqual(yield* dueOf(write.companyId), [write.traceId])
      deepStrictEqual(yield* transaction.run(store.lock(write)), write)
      deepStrictEqual(yield* store.accepted(write), inputs)
    })
  }

  law("nothing remains of a write whose transaction failed", function* () {
    const [store, transaction] = [yield* CatalogWriteStore, yield* Transaction.Transaction]
    const write = yield* freshWrite
    yield* Effect.flip(transaction.run(Effect.andThen(store.insert(write, inputs), Effect.fail("rejected"))))
    strictEqual(yield* store.find(write.companyId, write.traceId), undefined)
    deepStrictEqual(yield* store.accepted(write), [])
    deepStrictEqual(yield* dueOf(write.companyId), [])
  })

  concurrent("of many who lock a write at once to finish it exactly one does", function* () {
    const [store, transaction] = [yield* CatalogWriteStore, yield* Transaction.Transaction]
    const write = yield* freshWrite
    yield* store.insert(write, inputs)
    const finish = transaction.run(
      Effect.gen(function* () {
        const locked = yield* store.lock(write)
        if (locked === undefined) return false
        yield* linger(store.accepted(write))
        yield* store.finish(CatalogWrite.completed(locked, [], 1))
        return true
      })
    )
    const finished = yield* together(Array.from({ length: 10 }, () => finish))
    strictEqual(finished.filter((one) => one).length, 1)
  })

  // Before 1970, where no other law has anything.
  law("completed writes from before a time are deleted, the oldest first; running and later ones stay", function* () {
    const store = yield* CatalogWriteStore
    const first = -(yield* Fresh.companyId)
    const write = (modifiedAt: number) => Effect.map(freshWrite, (one) => ({ ...one, modifiedAt }))
    const done = yield* Effect.forEach([2, 0, 1, 3], (later) => write(first + later))
    const running = yield* write(first)
    yield* Effect.forEach([...done, running], (one) => store.insert(one, inputs))
    yield* Effect.forEach(done, (one) => store.finish({ ...one, stage: "COMPLETED" }))
    const left = Effect.map(
      Effect.forEach([...done, running], ({ companyId, traceId }) => store.find(companyId, traceId)),
      (found) => found.flatMap((one) => (one === undefined ? [] : [one.modifiedAt - first]))
    )
    strictEqual(yield* store.deleteCompleted(first, 10), 0)
    strictEqual(yield* store.deleteCompleted(first + 3, 2), 2)
    deepStrictEqual(yield* left, [2, 3, 0])
    strictEqual(yield* store.deleteCompleted(first + 3, 10), 1)
    strictEqual(yield* store.deleteCompleted(first + 3, 10), 0)
    deepStrictEqual(yield* left, [3, 0])
    deepStrictEqual(yield* store.accepted(running), inputs)
    yield* store.deleteCompleted(0, 10)
  })

  concurrent("hosts that delete old writes at once delete each of them once", function* () {
    const store = yield* CatalogWriteStore
    const first = -(yield* Fresh.companyId)
    const writes = yield* Effect.forEach(Array.from({ length: 12 }), () => freshWrite)
    yield* Effect.forEach(writes, (one) => store.insert({ ...one, stage: "COMPLETED", modifiedAt: first }, []))
    const deleted = yield* together(Array.from({ length: 4 }, () => store.deleteCompleted(first + 1, 5)))
    const rest = yield* store.deleteCompleted(first + 1, 100)
    strictEqual(
      deleted.reduce((sum, count) => sum + count, rest),
      12
    )
  })
}
