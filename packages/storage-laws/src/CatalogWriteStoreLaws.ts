/**
 * The laws of `CatalogWriteStore`.
 */
import { CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import { type Laws, outcome, together } from "./Laws.ts"

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
  accepted: [{ index: 0, input: { name: "कुर्ता \\u0000", nested: [1, null, { "a/b": "\ud800" }] } }],
  stage: "RUNNING",
  createdAt: 1,
  modifiedAt: 1
})

const freshWrite = Effect.gen(function* () {
  return writeOf(yield* Fresh.companyId, yield* Fresh.text("trace"))
})

const dueOf = (company: CompanyId, now: number) =>
  Effect.flatMap(CatalogWriteStore, (store) => store.due(now)).pipe(
    Effect.map((all) => all.filter(({ companyId }) => companyId === company).map(({ traceId }) => traceId))
  )

export const catalogWriteStoreLaws = ({ concurrent, law }: Laws<CatalogWriteStore | Transaction.Transaction>): void => {
  law("a write is read back equal, within its company only", () =>
    Effect.gen(function* () {
      const store = yield* CatalogWriteStore
      const write = yield* freshWrite
      yield* store.insert(write)
      deepStrictEqual(yield* store.find(write.companyId, write.traceId), write)
      strictEqual(yield* store.find(yield* Fresh.companyId, write.traceId), undefined)
      strictEqual(yield* store.find(write.companyId, "nowhere"), undefined)
    })
  )

  law("the writes of a company are due one after the other; completed ones never are", () =>
    Effect.gen(function* () {
      const store = yield* CatalogWriteStore
      const company = yield* Fresh.companyId
      const traces = ["t2", "t1", "t3"]
      yield* store.insert({ ...writeOf(company, "t0"), stage: "COMPLETED" })
      for (const trace of traces) yield* store.insert(writeOf(company, trace))
      for (const trace of traces) {
        deepStrictEqual(yield* dueOf(company, 10), [trace])
        const claimed = yield* store.claim({ companyId: company, traceId: trace }, "me", 10, 20)
        deepStrictEqual(yield* dueOf(company, 10), [])
        if (claimed !== undefined) yield* store.finish(CatalogWrite.completed(claimed, [], 11), "me")
      }
      deepStrictEqual(yield* dueOf(company, 10), [])
    })
  )

  law("a claim holds until its time, and then another may take the write; who lost it can't finish", () =>
    Effect.gen(function* () {
      const store = yield* CatalogWriteStore
      const write = yield* freshWrite
      yield* store.insert(write)
      deepStrictEqual(yield* store.claim(write, "dead", 100, 200), write)
      strictEqual(yield* store.claim(write, "other", 199, 300), undefined)
      deepStrictEqual(yield* dueOf(write.companyId, 199), [])
      deepStrictEqual(yield* dueOf(write.companyId, 200), [write.traceId])
      deepStrictEqual(yield* store.claim(write, "other", 200, 300), write)
      const done = CatalogWrite.completed(write, [], 250)
      strictEqual(yield* outcome(store.finish(done, "dead")), "StaleWrite")
      deepStrictEqual(yield* store.find(write.companyId, write.traceId), write)
      strictEqual(yield* outcome(store.finish(done, "other")), "done")
      deepStrictEqual(yield* store.find(write.companyId, write.traceId), done)
      strictEqual(yield* outcome(store.finish(done, "other")), "StaleWrite")
      strictEqual(yield* store.claim(write, "third", 1000, 2000), undefined)
    })
  )

  law("a claim that is given back is free at once, by its owner only", () =>
    Effect.gen(function* () {
      const store = yield* CatalogWriteStore
      const write = yield* freshWrite
      yield* store.insert(write)
      yield* store.claim(write, "me", 100, 200)
      yield* store.release(write, "other")
      deepStrictEqual(yield* dueOf(write.companyId, 101), [])
      yield* store.release(write, "me")
      deepStrictEqual(yield* dueOf(write.companyId, 101), [write.traceId])
      strictEqual(yield* outcome(store.finish(CatalogWrite.completed(write, [], 1), "me")), "StaleWrite")
    })
  )

  law("nothing remains of a write whose transaction failed", () =>
    Effect.gen(function* () {
      const [store, transaction] = [yield* CatalogWriteStore, yield* Transaction.Transaction]
      const write = yield* freshWrite
      yield* Effect.flip(transaction.run(Effect.zipRight(store.insert(write), Effect.fail("refused"))))
      strictEqual(yield* store.find(write.companyId, write.traceId), undefined)
      deepStrictEqual(yield* dueOf(write.companyId, 1), [])
    })
  )

  concurrent("of many who claim a write at once exactly one gets it", () =>
    Effect.gen(function* () {
      const store = yield* CatalogWriteStore
      const write = yield* freshWrite
      yield* store.insert(write)
      const claims = yield* together(Array.from({ length: 10 }, (_, i) => store.claim(write, `host ${i}`, 10, 20)))
      strictEqual(claims.filter((claim) => claim !== undefined).length, 1)
    })
  )
}
