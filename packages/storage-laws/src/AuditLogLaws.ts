/**
 * The laws of `AuditLog`.
 */
import { Directory } from "@crossdock/access"
import { AuditLog, type AuditRecord } from "@crossdock/audit"
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fresh from "./Fresh.ts"
import { type Laws, linger, oneWon, outcome, together } from "./Laws.ts"

const record = (companyId: CompanyId, sequence: number): AuditRecord => ({
  companyId,
  sequence,
  id: `id-${sequence}`,
  at: 1_790_000_000_000 + sequence,
  entityType: "inventory",
  entityId: "कुर्ता/1",
  action: "set",
  body: `{"b":${sequence}, "a":"😀"}`,
  hash: `hash ${sequence}`,
  personal: sequence % 2 === 0 ? `{"salt":"${sequence}"}` : null
})

const records = (companyId: CompanyId, count: number) =>
  Array.from({ length: count }, (_, i) => record(companyId, i + 1))

const freshCompany = Effect.gen(function* () {
  const directory = yield* Directory
  const id = yield* Fresh.companyId
  yield* directory.putCompanies([Fresh.company(id)])
  return id
})

const appendAll = (many: ReadonlyArray<AuditRecord>) =>
  Effect.flatMap(AuditLog, (log) => Effect.forEach(many, (one) => log.append([one]), { discard: true }))

/**
 * What every change does at its end: hold the company, write the next number.
 */
const appendNext = (companyId: CompanyId) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const [head] = yield* log.hold([companyId])
    const next = (head?.sequence ?? 0) + 1
    yield* log.append([record(companyId, next)])
    return next
  })

export const auditLogLaws = ({ concurrent, law }: Laws<AuditLog | Directory | Transaction.Transaction>): void => {
  law("the head before the first record is number 0 and no hash; an unknown company has none", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const companyId = yield* freshCompany
      deepStrictEqual(yield* log.hold([companyId, yield* Fresh.companyId]), [{ companyId, sequence: 0, hash: "" }])
      deepStrictEqual(yield* log.hold([]), [])
      deepStrictEqual(yield* log.read(companyId, 0, 10), [])
    })
  )

  law("records are read back equal, ascending by number, after the given one, as many as asked", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const companyId = yield* freshCompany
      const all = records(companyId, 12)
      yield* appendAll(all)
      deepStrictEqual(yield* log.read(companyId, 0, 100), all)
      deepStrictEqual(yield* log.read(companyId, 8, 3), all.slice(8, 11))
      deepStrictEqual(yield* log.read(companyId, 12, 3), [])
      deepStrictEqual(yield* log.hold([companyId]), [{ companyId, sequence: 12, hash: "hash 12" }])
    })
  )

  law("one append writes a record for each of several companies, whose trails are apart", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const [one, other] = [yield* freshCompany, yield* freshCompany]
      yield* log.append([record(one, 1)])
      yield* log.append([record(other, 1), record(one, 2)])
      deepStrictEqual(yield* log.read(one, 0, 10), records(one, 2))
      deepStrictEqual(yield* log.read(other, 0, 10), records(other, 1))
    })
  )

  law("heads come ascending by company, each once, however the companies were written and asked for", () =>
    Effect.gen(function* () {
      const [log, directory] = [yield* AuditLog, yield* Directory]
      const ids = yield* Effect.forEach(Array.from({ length: 5 }), () => Fresh.companyId)
      yield* Effect.forEach(ids.toReversed(), (id) => directory.putCompanies([Fresh.company(id)]))
      const heads = yield* log.hold([...ids, ...ids].reverse())
      deepStrictEqual(
        heads.map((head) => head.companyId),
        ids
      )
    })
  )

  law("a number that is taken already, or that leaves a gap, is a stale write and changes nothing", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const companyId = yield* freshCompany
      yield* appendAll(records(companyId, 2))
      for (const number of [1, 2, 4]) {
        strictEqual(yield* outcome(log.append([{ ...record(companyId, number), hash: "other" }])), "StaleWrite")
      }
      deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 2))
      strictEqual((yield* log.hold([companyId]))[0]?.hash, "hash 2")
    })
  )

  law(
    "when one of several records is stale, none is written, and nothing of the transaction that it fails remains",
    () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const transaction = yield* Transaction.Transaction
        const [one, other] = [yield* freshCompany, yield* freshCompany]
        yield* log.append([record(other, 1)])
        const stale = log.append([record(one, 1), record(other, 1)])
        strictEqual(yield* outcome(stale), "StaleWrite")
        const unit = transaction.run(Effect.zipRight(log.append([record(other, 2)]), stale))
        strictEqual(yield* outcome(unit), "StaleWrite")
        deepStrictEqual(
          (yield* log.hold([one, other])).map((head) => head.sequence),
          [0, 1]
        )
        deepStrictEqual(yield* log.read(one, 0, 10), [])
        deepStrictEqual(yield* log.read(other, 0, 10), records(other, 1))
      })
  )

  law("a number is given again when its transaction failed", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const transaction = yield* Transaction.Transaction
      const companyId = yield* freshCompany
      yield* Effect.flip(transaction.run(Effect.zipRight(appendNext(companyId), Effect.fail("refused"))))
      deepStrictEqual(yield* log.read(companyId, 0, 10), [])
      strictEqual(yield* transaction.run(appendNext(companyId)), 1)
    })
  )

  law("the trail stays when its company is written again", () =>
    Effect.gen(function* () {
      const [log, directory] = [yield* AuditLog, yield* Directory]
      const companyId = yield* freshCompany
      yield* appendAll(records(companyId, 2))
      yield* directory.putCompanies([{ ...Fresh.company(companyId), name: "Renamed" }])
      deepStrictEqual(yield* log.hold([companyId]), [{ companyId, sequence: 2, hash: "hash 2" }])
      deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 2))
    })
  )

  concurrent("of several who append the same number at once exactly one wins, the others are stale", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const transaction = yield* Transaction.Transaction
      const companyId = yield* freshCompany
      oneWon(
        yield* together(Array.from({ length: 8 }, () => outcome(transaction.run(log.append([record(companyId, 1)])))))
      )
      deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 1))
    })
  )

  concurrent("fifty appends at once are numbered 1 to 50 without a gap", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const decide = Transaction.decide(yield* Transaction.Transaction)
      const companyId = yield* freshCompany
      const numbers = yield* together(Array.from({ length: 50 }, () => decide(appendNext(companyId))))
      deepStrictEqual(
        [...numbers].sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, i) => i + 1)
      )
      deepStrictEqual(yield* log.read(companyId, 0, 100), records(companyId, 50))
    })
  )

  concurrent("whoever holds a company keeps others from it until the transaction ends", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const transaction = yield* Transaction.Transaction
      const [free, companyId] = [yield* freshCompany, yield* freshCompany]
      const held = yield* Deferred.make<void>()
      const first = yield* Effect.fork(
        transaction.run(
          Effect.gen(function* () {
            yield* log.hold([companyId])
            yield* Deferred.succeed(held, undefined)
            yield* linger(log.read(companyId, 0, 1))
            yield* log.append([record(companyId, 1)])
          })
        )
      )
      yield* Deferred.await(held)
      const second = yield* transaction.run(Effect.map(log.hold([companyId, free]), (heads) => heads))
      deepStrictEqual(second, [
        { companyId: free, sequence: 0, hash: "" },
        { companyId, sequence: 1, hash: "hash 1" }
      ])
      yield* Fiber.join(first)
    })
  )

  concurrent("those who hold the same companies in another order do not block each other", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const decide = Transaction.decide(yield* Transaction.Transaction)
      const ids = yield* Effect.forEach(Array.from({ length: 6 }), () => freshCompany)
      const append = (companies: ReadonlyArray<CompanyId>) =>
        Effect.flatMap(log.hold(companies), (heads) =>
          log.append(heads.map((head) => record(head.companyId, head.sequence + 1)))
        )
      yield* together(Array.from({ length: 20 }, (_, i) => decide(append(i % 2 === 0 ? ids : [...ids].reverse()))))
      deepStrictEqual(
        (yield* log.hold(ids)).map((head) => head.sequence),
        ids.map(() => 20)
      )
    })
  )
}
