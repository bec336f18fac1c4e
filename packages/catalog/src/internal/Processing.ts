/**
 * Use case: process an accepted write. Source: docs/reference/catalog.md#processing.
 */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Transaction } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as CatalogWrite from "../CatalogWrite.ts"
import { CatalogWriteStore } from "../CatalogWriteStore.ts"
import * as ProductFeed from "../ProductFeed.ts"
import * as ProductOutcomes from "./ProductOutcomes.ts"
import * as ProductWriting from "./ProductWriting.ts"
import type { RecentProducts } from "./RecentProducts.ts"
import { defects, rejections } from "./WriteFailures.ts"

/**
 * Makes the use case.
 */
export const make = (recent: RecentProducts) =>
  Effect.gen(function* () {
    const writes = yield* CatalogWriteStore
    const { lockDeleted, outcomesOf } = yield* ProductOutcomes.make
    const { apply } = yield* ProductWriting.make
    const { run } = yield* CompanyWrite.CompanyWrite
    const transaction = yield* Transaction.Transaction

    /**
     * Processes a write, unless another host has locked or completed it.
     */
    const work = (caller: Caller, key: CatalogWrite.WriteKey) =>
      run(caller, {
        load: Effect.gen(function* () {
          const write = yield* writes.lock(key)
          if (write === undefined) return undefined
          const open = { ...write, accepted: yield* recent.productsOf(write) }
          return { write, open, locked: yield* lockDeleted(open) }
        }),
        lockFirst: (loaded) => (loaded === undefined ? [] : [key.companyId]),
        decide: (loaded, at) =>
          Effect.gen(function* () {
            if (loaded === undefined) return CompanyWrite.nothing(false)
            const { locked, open, write } = loaded
            const outcomes = yield* outcomesOf(open, locked)
            const changes = ProductWriting.net(Arr.getSuccesses(outcomes))
            const done = CatalogWrite.completed(write, rejections(open.accepted, outcomes), at)
            yield* writes.finish(done)
            if (changes.length === 0) return CompanyWrite.nothing(true)
            const change: CompanyWrite.CompanyChange = {
              companyId: write.companyId,
              entity: { type: "product", id: write.traceId, action: write.operation },
              save: (mark) =>
                Effect.as(apply(write.companyId, changes, mark), {
                  logs: ProductWriting.recordOf(changes, done),
                  events: ProductFeed.eventsOf(changes)
                })
            }
            return { answer: true, changes: [change] }
          })
      })

    /**
     * Fails all products of a write whose processing ended in a defect.
     */
    const giveUp = (key: CatalogWrite.WriteKey) =>
      Transaction.retrying(transaction)(
        Effect.gen(function* () {
          const write = yield* writes.lock(key)
          if (write === undefined) return false
          const at = yield* Clock.currentTimeMillis
          yield* writes.finish(CatalogWrite.completed(write, defects(yield* writes.accepted(write)), at))
          return true
        })
      )

    return Effect.fn("CatalogWrites.process")(function* (key: CatalogWrite.WriteKey) {
      const write = yield* writes.find(key.companyId, key.traceId)
      if (write === undefined) return false
      return yield* Effect.catchDefect(work(write.caller, key), (defect) =>
        Effect.andThen(Effect.logError("A catalog write ended in a defect", defect), giveUp(key))
      )
    })
  })
