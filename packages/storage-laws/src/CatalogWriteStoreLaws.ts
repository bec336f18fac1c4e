import { type CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import type { Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, badEnds, endsBadly, inTransaction, type Laws, oldRowsAreDeleted } from "./Laws.ts"

const freshWrite = Effect.fnUntraced(function* (at: number) {
  const path = "/products/1/slug"
  const message = "“taken” 😀 कुर्ता \\u0000 \ud800"
  const write: CatalogWrite = {
    companyId: yield* Fresh.companyId,
    traceId: yield* Fresh.text("trace"),
    total: 2,
    failures: [{ index: 1, code: "SLUG_TAKEN", message, path, details: { item_code: "b", errors: [{ path }] } }],
    at
  }
  return write
})

export const catalogWriteStoreLaws = (laws: Laws<CatalogWriteStore | Transaction.Transaction>): void => {
  const { concurrent, law } = about(CatalogWriteStore, laws)
  law("a write is read back equal, within its company only", function* (store) {
    const write = yield* freshWrite(9_000_000_000_000)
    yield* store.insert(write)
    deepStrictEqual(yield* store.find(write.companyId, write.traceId), write)
    strictEqual(yield* store.find(yield* Fresh.companyId, write.traceId), undefined)
    strictEqual(yield* store.find(write.companyId, "nowhere"), undefined)
  })

  for (const [how, bad] of badEnds)
    law(`nothing remains of a write whose transaction ${how}`, function* (store) {
      const write = yield* freshWrite(1)
      yield* endsBadly(inTransaction(Effect.andThen(store.insert(write), bad)))
      strictEqual(yield* store.find(write.companyId, write.traceId), undefined)
    })

  law("writes from before a time are deleted, the oldest first; later ones stay", function* (store) {
    const put = Effect.fnUntraced(function* (at: number) {
      const write = yield* freshWrite(at)
      yield* store.insert(write)
      return Effect.map(store.find(write.companyId, write.traceId), (found) => found !== undefined)
    })
    yield* oldRowsAreDeleted(put, store.deleteBefore)
  })

  concurrent("hosts that delete old writes at once delete each of them once", function* (store) {
    const first = -(yield* Fresh.companyId)
    yield* Effect.replicateEffect(Effect.flatMap(freshWrite(first), store.insert), 12)
    const deleted = yield* times(4, () => store.deleteBefore(first + 1, 5))
    const rest = yield* store.deleteBefore(first + 1, 100)
    const all = deleted.reduce((sum, count) => sum + count, rest)
    strictEqual(all, 12)
  })
}
