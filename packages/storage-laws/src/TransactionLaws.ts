import { Directory } from "@crossdock/access"
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { assertFalse, assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { concurrently, linger } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { badEnds, endsBadly, inTransaction, inUnit, type Laws } from "./Laws.ts"

const write = (id: CompanyId) => Effect.flatMap(Directory, (directory) => directory.putCompanies([Fresh.company(id)]))

const isThere = (id: CompanyId) =>
  Effect.flatMap(Directory, (directory) => directory.company(id)).pipe(Effect.map((found) => found !== undefined))

export const transactionLaws = ({ concurrent, law }: Laws<Transaction.Transaction | Directory>): void => {
  law("answers what the effect answers, which sees what it wrote before, and what it wrote stays", function* () {
    const id = yield* Fresh.companyId
    assertTrue(yield* inTransaction(Effect.andThen(write(id), isThere(id))))
    assertTrue(yield* isThere(id))
  })

  law("fails with the effect's own error", function* () {
    deepStrictEqual(yield* Effect.exit(inTransaction(Effect.fail("rejected"))), Exit.fail("rejected"))
    deepStrictEqual(yield* Effect.exit(inTransaction(Effect.die("a bug"))), Exit.die("a bug"))
  })

  for (const [how, badEnd] of badEnds) {
    law(`nothing remains when it ${how}, and the next one works`, function* () {
      const [lost, kept] = [yield* Fresh.companyId, yield* Fresh.companyId]
      yield* endsBadly(inTransaction(Effect.andThen(write(lost), badEnd)))
      assertFalse(yield* isThere(lost))
      yield* inTransaction(write(kept))
      assertTrue(yield* isThere(kept))
    })

    law(`an inner one that ${how} takes back its own part only`, function* () {
      const [before, inner, after] = [yield* Fresh.companyId, yield* Fresh.companyId, yield* Fresh.companyId]
      yield* inUnit(function* () {
        yield* write(before)
        yield* endsBadly(inTransaction(Effect.andThen(write(inner), badEnd)))
        assertFalse(yield* isThere(inner))
        yield* write(after)
      })
      deepStrictEqual(yield* Effect.forEach([before, inner, after], isThere), [true, false, true])
    })

    law(`an inner one that succeeded is rolled back when the outer ${how}`, function* () {
      const [outer, inner] = [yield* Fresh.companyId, yield* Fresh.companyId]
      yield* endsBadly(
        inUnit(function* () {
          yield* write(outer)
          yield* inTransaction(Effect.andThen(write(inner), isThere(outer))).pipe(Effect.map(assertTrue))
          assertTrue(yield* isThere(inner))
          return yield* badEnd
        })
      )
      deepStrictEqual(yield* Effect.forEach([outer, inner], isThere), [false, false])
    })
  }

  law("an inner one inside an inner one fails alone, too", function* () {
    const [outer, inner, innermost] = [yield* Fresh.companyId, yield* Fresh.companyId, yield* Fresh.companyId]
    const alone = endsBadly(inTransaction(Effect.andThen(write(innermost), Effect.fail("rejected"))))
    yield* inTransaction(Effect.andThen(write(outer), inTransaction(Effect.andThen(write(inner), alone))))
    deepStrictEqual(yield* Effect.forEach([outer, inner, innermost], isThere), [true, true, false])
  })

  law(
    "is written wholly or not at all if it is interrupted at any moment, even while its commit is sent",
    function* () {
      const units = yield* Effect.replicateEffect(Effect.replicateEffect(Fresh.companyId, 300), 64)
      for (const [nth, ids] of units.entries()) {
        const writes = Effect.forEach(ids, (id) => Transaction.write(write(id)), { discard: true })
        const fiber = yield* Effect.forkDetach(inTransaction(Transaction.writes(writes)))
        for (let turn = 0; turn < nth % 8; turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      const companies = yield* Effect.flatMap(Directory, (directory) => directory.companies)
      const found = new Set(companies.map(({ id }) => id))
      for (const ids of units) assertTrue([0, ids.length].includes(ids.filter((id) => found.has(id)).length))
    }
  )

  law("nothing remains when another fiber interrupts it", function* () {
    const [lost, kept] = [yield* Fresh.companyId, yield* Fresh.companyId]
    const written = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      inTransaction(Effect.andThen(write(lost), Effect.andThen(Deferred.succeed(written, undefined), Effect.never)))
    )
    yield* Deferred.await(written)
    yield* Fiber.interrupt(fiber)
    assertFalse(yield* isThere(lost))
    yield* inTransaction(write(kept))
    assertTrue(yield* isThere(kept))
  })

  concurrent("what it wrote becomes visible together", function* () {
    const [first, second] = [yield* Fresh.companyId, yield* Fresh.companyId]
    const written = yield* Deferred.make<void>()
    const writer = yield* Effect.forkChild(
      inUnit(function* () {
        yield* write(first)
        yield* Deferred.succeed(written, undefined)
        yield* linger(isThere(first))
        yield* write(second)
      })
    )
    yield* Deferred.await(written)
    const look = Effect.gen(function* () {
      const seen = yield* isThere(first)
      if (seen) assertTrue(yield* isThere(second))
      return seen
    })
    const lookAgain = Effect.tap(look, () => Effect.yieldNow)
    yield* Effect.repeat(lookAgain, { until: (seen) => seen })
    yield* Fiber.join(writer)
  })

  concurrent("a concurrent write outside of it is not lost", function* () {
    const [inside, outside] = [yield* Fresh.companyId, yield* Fresh.companyId]
    const written = yield* Deferred.make<void>()
    const writer = yield* Effect.forkChild(
      inUnit(function* () {
        yield* write(inside)
        yield* Deferred.succeed(written, undefined)
        yield* linger(isThere(inside))
      })
    )
    yield* Deferred.await(written)
    yield* write(outside)
    yield* Fiber.join(writer)
    deepStrictEqual(yield* Effect.forEach([inside, outside], isThere), [true, true])
  })

  concurrent("many at once do not mix", function* () {
    const pairs = yield* Effect.replicateEffect(Effect.all([Fresh.companyId, Fresh.companyId]), 40)
    yield* concurrently(
      pairs.map(([first, second], i) =>
        inUnit(function* () {
          yield* write(first)
          yield* Effect.yieldNow
          yield* write(second)
          if (i % 3 === 0) return yield* Effect.fail("rejected")
        }).pipe(Effect.result)
      )
    )
    const found = yield* Effect.forEach(pairs, ([first, second]) => Effect.all([isThere(first), isThere(second)]))
    const expected = pairs.map((_, i) => (i % 3 === 0 ? [false, false] : [true, true]))
    deepStrictEqual(found, expected)
  })

  concurrent("many that are interrupted, waiting or working, leave nothing and take no turn with them", function* () {
    const [started, lost] = [yield* Deferred.make<void>(), yield* Fresh.companyId]
    const stuck = inTransaction(
      Effect.andThen(write(lost), Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
    )
    const others = yield* Effect.replicateEffect(Effect.forkChild(inTransaction(Effect.never)), 40)
    const first = yield* Effect.forkChild(stuck)
    yield* Fiber.interruptAll(others)
    yield* Deferred.await(started)
    const waiting = yield* Effect.replicateEffect(Effect.forkChild(inTransaction(Effect.never)), 40)
    yield* Effect.yieldNow
    yield* Fiber.interruptAll([...waiting, first])
    assertFalse(yield* isThere(lost))
    const kept = yield* Effect.replicateEffect(Fresh.companyId, 20)
    yield* concurrently(kept.map((id) => inTransaction(write(id)))).pipe(Effect.timeout("10 seconds"))
    for (const id of kept) assertTrue(yield* isThere(id))
  })
}
