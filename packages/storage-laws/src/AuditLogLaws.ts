/**
 * The laws of `AuditLog`.
 */
import {
  AuditChain,
  type AuditEntity,
  AuditLog,
  type AuditRecord,
  AuditSearch,
  type Head,
  type LockedHead,
  viewOf
} from "@crossdock/audit"
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Fresh from "./Fresh.ts"
import { concurrently, endsBadly, exactlyOneSucceeded, type Laws, linger, outcome, waysToWrite } from "./Laws.ts"
import { below, randomJson, randomRecord } from "./RandomRecord.ts"
import { Seed } from "./Seed.ts"

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

const noRecords = { sequence: 0, hash: "", events: 0 } as const

const freshCompany = Effect.gen(function* () {
  const seed = yield* Seed
  const id = yield* Fresh.companyId
  yield* seed.companies([Fresh.company(id)])
  return id
})

const appendAll = (many: ReadonlyArray<AuditRecord>) =>
  Effect.flatMap(AuditLog, (log) => Effect.forEach(many, (one) => log.append([one], []), { discard: true }))

/** What every change does at its end: lock the company, write the next number. */
const appendNext = (companyId: CompanyId) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const [head] = yield* log.lock([companyId])
    const next = (head?.sequence ?? 0) + 1
    yield* log.append([record(companyId, next)], [])
    return next
  })

const sha256 = (text: string) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  )

/** A record that a search can read. */
const stated = (
  companyId: CompanyId,
  sequence: number,
  entity: AuditEntity,
  logs: unknown,
  userId?: string
): AuditRecord => ({
  ...record(companyId, sequence),
  entityType: entity.type,
  entityId: entity.id,
  action: entity.action,
  body: JSON.stringify({
    _id: `id-${sequence}`,
    company: companyId,
    sequence,
    at: 1_790_000_000_000 + sequence,
    entity,
    recorded_by: { kind: "system", id: "laws" },
    request_id: null,
    logs
  }),
  personal: userId === undefined ? null : JSON.stringify({ salt: "s", modifier: { user_id: userId } })
})

const searched = (companyId: CompanyId): ReadonlyArray<AuditRecord> => [
  stated(companyId, 1, { type: "Order", id: "o-1", action: "create" }, { note: 'said "hi"', n: 12.5 }, "Max"),
  stated(companyId, 2, { type: "order", id: "ÉCLAIR", action: "Update" }, { note: "line\nbreak" }, "Élodie"),
  stated(companyId, 3, { type: "\u212AELVIN", id: "o-3", action: "update" }, { note: "100%_sure" }),
  stated(companyId, 4, { type: "stock", id: "O-1", action: "set" }, [["SKU-1", 5]], "max"),
  stated(companyId, 5, { type: "", id: "", action: "" }, { back: "a\\b", deep: [{ "Key Name": true }] }),
  stated(companyId, 6, { type: "bulk", id: "b-1", action: "move", ids: ["b-1", "B-2", 'b"3', "b-é"] }, { b: "b-4" })
]

const queries = [
  "{}",
  "order",
  "entity.type:ORDER",
  "entity.type:kelvin",
  "kelvin",
  "entity.id:éclair",
  "entity.id:o-1",
  "entity.id:b-2",
  "entity.id:b-4",
  'entity.id:"b\\"3"',
  "entity.id:b-É",
  "b-2 move",
  "éclair update",
  '"said \\"hi\\""',
  "100%_sure",
  "%",
  "modifier.user_id:max",
  "max",
  '"key name" true',
  '"a\\\\b"',
  '"line\nbreak"',
  "12.5",
  "laws",
  "from:2026-09-21",
  "to:2026-09-20",
  "nothing-like-it",
  "entity.action:update to:2027-01-01 -sure"
]

const filterOf = (query: string): AuditSearch.AuditFilter =>
  Result.getOrElse(AuditSearch.parse(query), () => AuditSearch.everything)

export const auditLogLaws = ({ concurrent, law }: Laws<AuditLog | Seed | Transaction.Transaction>): void => {
  law(
    "heads are read without a lock: the last record of each company that exists, as far as it is committed",
    function* () {
      const [log, transaction] = [yield* AuditLog, yield* Transaction.Transaction]
      const [first, second] = [yield* freshCompany, yield* freshCompany]
      yield* appendNext(second)
      yield* endsBadly(transaction.run(Effect.andThen(appendNext(second), Effect.fail("rejected"))))
      const heads = yield* log.heads([second, yield* Fresh.companyId, first, second])
      deepStrictEqual(
        heads.map(({ companyId, sequence }) => [companyId, sequence]),
        [
          [first, 0],
          [second, 1]
        ].sort(([a = 0], [b = 0]) => a - b)
      )
      deepStrictEqual(yield* log.heads([]), [])
    }
  )

  law("the head before the first record is number 0 and no hash; an unknown company has none", function* () {
    const log = yield* AuditLog
    const companyId = yield* freshCompany
    deepStrictEqual(yield* log.lock([companyId, yield* Fresh.companyId]), [
      { companyId, sequence: 0, hash: "", events: 0 }
    ])
    deepStrictEqual(yield* log.lock([]), [])
    deepStrictEqual(yield* log.read(companyId, 0, 10), [])
  })

  law("records are read back equal, ascending by number, after the given one, as many as asked", function* () {
    const log = yield* AuditLog
    const companyId = yield* freshCompany
    const all = records(companyId, 12)
    yield* appendAll(all)
    deepStrictEqual(yield* log.read(companyId, 0, 100), all)
    deepStrictEqual(yield* log.read(companyId, 8, 3), all.slice(8, 11))
    deepStrictEqual(yield* log.read(companyId, 12, 3), [])
    deepStrictEqual(yield* log.lock([companyId]), [{ companyId, sequence: 12, hash: "hash 12", events: 0 }])
  })

  law("one append writes a record for each of several companies, whose trails are apart", function* () {
    const log = yield* AuditLog
    const [one, other] = [yield* freshCompany, yield* freshCompany]
    yield* log.append([record(one, 1)], [])
    yield* log.append([record(other, 1), record(one, 2)], [])
    deepStrictEqual(yield* log.read(one, 0, 10), records(one, 2))
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 1))
  })

  law("heads come ascending by company, each once, however the companies were written and asked for", function* () {
    const [log, seed] = [yield* AuditLog, yield* Seed]
    const ids = yield* Effect.forEach(Array.from({ length: 5 }), () => Fresh.companyId)
    yield* Effect.forEach(ids.toReversed(), (id) => seed.companies([Fresh.company(id)]))
    const heads = yield* log.lock([...ids, ...ids].reverse())
    deepStrictEqual(
      heads.map((head) => head.companyId),
      ids
    )
  })

  law("a number that is taken already, or that leaves a gap, is a stale write and changes nothing", function* () {
    const log = yield* AuditLog
    const companyId = yield* freshCompany
    yield* appendAll(records(companyId, 2))
    for (const number of [1, 2, 4]) {
      strictEqual(yield* outcome(log.append([{ ...record(companyId, number), hash: "other" }], [])), "StaleWrite")
    }
    deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 2))
    strictEqual((yield* log.lock([companyId]))[0]?.hash, "hash 2")
  })

  law(
    "when one of several records is stale, none is written, and nothing of the transaction that it fails remains",
    function* () {
      const log = yield* AuditLog
      const transaction = yield* Transaction.Transaction
      const [one, other] = [yield* freshCompany, yield* freshCompany]
      yield* log.append([record(other, 1)], [])
      const stale = log.append([record(one, 1), record(other, 1)], [])
      strictEqual(yield* outcome(stale), "StaleWrite")
      for (const written of waysToWrite) {
        const unit = transaction.run(written(Effect.andThen(log.append([record(other, 2)], []), stale)))
        strictEqual(yield* outcome(unit), "StaleWrite")
      }
      deepStrictEqual(
        (yield* log.lock([one, other])).map((head) => head.sequence),
        [0, 1]
      )
      deepStrictEqual(yield* log.read(one, 0, 10), [])
      deepStrictEqual(yield* log.read(other, 0, 10), records(other, 1))
    }
  )

  law(
    "records are composed, numbered and linked by hash as `AuditChain` does it, whatever texts they have",
    function* () {
      const [log, transaction] = [yield* AuditLog, yield* Transaction.Transaction]
      const companies = [yield* freshCompany, yield* freshCompany]
      const trails = new Map(companies.map((id) => [id, [] as Array<AuditRecord>]))
      const heads = new Map(companies.map((id): [CompanyId, LockedHead] => [id, { companyId: id, ...noRecords }]))
      for (let round = 0; round < 24; round++) {
        const logs = round === 0 ? "😀'\"\\".repeat(75_000) : randomJson(4)
        const next = companies.slice(below(2)).map((companyId) => randomRecord(companyId, logs))
        const sealed = yield* Effect.forEach(next, (one) =>
          Effect.gen(function* () {
            const head = heads.get(one.companyId) ?? { companyId: one.companyId, ...noRecords }
            const { batch, record } = AuditChain.sealed(head, one, (text) => text)
            strictEqual(record.hash, head.hash + record.body)
            const [hash, events] = [yield* sha256(record.hash), head.events + one.events.length]
            heads.set(one.companyId, { companyId: one.companyId, sequence: record.sequence, hash, events })
            return { batch, record: { ...record, hash } }
          })
        )
        for (const { record } of sealed) trails.get(record.companyId)?.push(record)
        const append =
          log.appendNext?.(next) ??
          log.append(
            sealed.map(({ record }) => record),
            sealed.flatMap(({ batch }) => batch ?? [])
          )
        const written = waysToWrite[round % waysToWrite.length] ?? ((writes) => writes)
        yield* transaction.run(Effect.andThen(log.lock(next.map(({ companyId }) => companyId)), written(append)))
      }
      for (const id of companies) deepStrictEqual(yield* log.read(id, 0, 100), trails.get(id))
      deepStrictEqual(yield* log.lock(companies), [...heads.values()])
    }
  )

  law("a number is given again when its transaction failed", function* () {
    const log = yield* AuditLog
    const transaction = yield* Transaction.Transaction
    const companyId = yield* freshCompany
    yield* Effect.flip(transaction.run(Effect.andThen(appendNext(companyId), Effect.fail("rejected"))))
    deepStrictEqual(yield* log.read(companyId, 0, 10), [])
    strictEqual(yield* transaction.run(appendNext(companyId)), 1)
  })

  law("the trail stays when its company is written again", function* () {
    const [log, seed] = [yield* AuditLog, yield* Seed]
    const companyId = yield* freshCompany
    yield* appendAll(records(companyId, 2))
    yield* seed.companies([{ ...Fresh.company(companyId), name: "Renamed" }])
    deepStrictEqual(yield* log.lock([companyId]), [{ companyId, sequence: 2, hash: "hash 2", events: 0 }])
    deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 2))
  })

  law("a search finds every record that the rule finds, in both orders, whatever letters are in it", function* () {
    const log = yield* AuditLog
    const companyId = yield* freshCompany
    const all = searched(companyId)
    yield* appendAll(all)
    for (const query of queries) {
      const filter = filterOf(query)
      const wanted = all.filter((one) => AuditSearch.matches(filter, viewOf(one)))
      for (const descending of [false, true]) {
        const found = yield* log.candidates(companyId, filter, { after: null, through: null, descending, limit: 100 })
        const exact = found.filter((one) => AuditSearch.matches(filter, viewOf(one)))
        deepStrictEqual([query, exact], [query, descending ? wanted.toReversed() : wanted])
      }
    }
    deepStrictEqual(
      yield* log.candidates(yield* freshCompany, AuditSearch.everything, {
        after: null,
        through: null,
        descending: true,
        limit: 9
      }),
      []
    )
  })

  law(
    "a search goes on after a number up to another, and gives fewer than asked only when there are no more",
    function* () {
      const log = yield* AuditLog
      const companyId = yield* freshCompany
      yield* appendAll(searched(companyId))
      const numbers = (after: number | null, descending: boolean, limit: number, through: number | null = null) =>
        Effect.map(log.candidates(companyId, AuditSearch.everything, { after, through, descending, limit }), (found) =>
          found.map(({ sequence }) => sequence)
        )
      deepStrictEqual(yield* numbers(null, false, 2), [1, 2])
      deepStrictEqual(yield* numbers(2, false, 2), [3, 4])
      deepStrictEqual(yield* numbers(5, false, 2), [6])
      deepStrictEqual(yield* numbers(null, true, 2), [6, 5])
      deepStrictEqual(yield* numbers(2, true, 2), [1])
      deepStrictEqual(yield* numbers(1, false, 9, 3), [2, 3])
      deepStrictEqual(yield* numbers(1, false, 9, 1), [])
      deepStrictEqual(yield* numbers(6, true, 9, 4), [5, 4])
      deepStrictEqual(yield* numbers(null, true, 1, 4), [6])
    }
  )

  law("entity types come once each, ascending by code point", function* () {
    const log = yield* AuditLog
    const companyId = yield* freshCompany
    const types = [...Fresh.shuffled, ...Fresh.inOrder.slice(0, 3)]
    yield* appendAll(types.map((type, i) => ({ ...record(companyId, i + 1), entityType: type })))
    deepStrictEqual(yield* log.entityTypes(companyId), [...Fresh.inOrder])
    deepStrictEqual(yield* log.entityTypes(yield* freshCompany), [])
  })

  law("erasing takes the personal part of these records of this company away, and nothing else", function* () {
    const log = yield* AuditLog
    const [companyId, other] = [yield* freshCompany, yield* freshCompany]
    const all = records(companyId, 6)
    yield* appendAll(all)
    yield* appendAll(records(other, 4))
    yield* log.erase(companyId, [1, 4, 99])
    deepStrictEqual(
      yield* log.read(companyId, 0, 10),
      all.map((one) => (one.sequence === 4 ? { ...one, personal: null } : one))
    )
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 4))
  })

  law("dropping removes the oldest and keeps the last of them as the anchor", function* () {
    const log = yield* AuditLog
    const [companyId, other] = [yield* freshCompany, yield* freshCompany]
    yield* appendAll(records(companyId, 5))
    yield* appendAll(records(other, 2))
    const nothing: Head = { companyId, sequence: 0, hash: "" }
    deepStrictEqual(yield* log.anchor(companyId), nothing)
    for (const sequence of [2, 3]) {
      yield* log.drop({ companyId, sequence, hash: `hash ${sequence}` })
      deepStrictEqual(yield* log.anchor(companyId), { companyId, sequence, hash: `hash ${sequence}` })
      deepStrictEqual(
        yield* log.read(companyId, 0, 10).pipe(Effect.map((found) => found.map((one) => one.sequence))),
        [1, 2, 3, 4, 5].slice(sequence)
      )
    }
    yield* log.append([record(companyId, 6)], [])
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 2))
  })

  concurrent("of several who append the same number at once exactly one wins, the others are stale", function* () {
    const log = yield* AuditLog
    const transaction = yield* Transaction.Transaction
    const companyId = yield* freshCompany
    exactlyOneSucceeded(
      yield* concurrently(
        Array.from({ length: 8 }, () => outcome(transaction.run(log.append([record(companyId, 1)], []))))
      )
    )
    deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 1))
  })

  concurrent("fifty appends at once are numbered 1 to 50 without a gap", function* () {
    const log = yield* AuditLog
    const decide = Transaction.retrying(yield* Transaction.Transaction)
    const companyId = yield* freshCompany
    const numbers = yield* concurrently(Array.from({ length: 50 }, () => decide(appendNext(companyId))))
    deepStrictEqual(
      [...numbers].sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1)
    )
    deepStrictEqual(yield* log.read(companyId, 0, 100), records(companyId, 50))
  })

  concurrent("a transaction that locked a company keeps others from it until it ends", function* () {
    const log = yield* AuditLog
    const transaction = yield* Transaction.Transaction
    const [free, companyId] = [yield* freshCompany, yield* freshCompany]
    const locked = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      transaction.run(
        Effect.gen(function* () {
          yield* log.lock([companyId])
          yield* Deferred.succeed(locked, undefined)
          yield* linger(log.read(companyId, 0, 1))
          yield* log.append([record(companyId, 1)], [])
        })
      )
    )
    yield* Deferred.await(locked)
    const second = yield* transaction.run(Effect.map(log.lock([companyId, free]), (heads) => heads))
    deepStrictEqual(second, [
      { companyId: free, sequence: 0, hash: "", events: 0 },
      { companyId, sequence: 1, hash: "hash 1", events: 0 }
    ])
    yield* Fiber.join(first)
  })

  concurrent("transactions that lock the same companies in another order do not block each other", function* () {
    const log = yield* AuditLog
    const decide = Transaction.retrying(yield* Transaction.Transaction)
    const ids = yield* Effect.forEach(Array.from({ length: 6 }), () => freshCompany)
    const append = (companies: ReadonlyArray<CompanyId>) =>
      Effect.flatMap(log.lock(companies), (heads) =>
        log.append(
          heads.map((head) => record(head.companyId, head.sequence + 1)),
          []
        )
      )
    yield* concurrently(Array.from({ length: 20 }, (_, i) => decide(append(i % 2 === 0 ? ids : [...ids].reverse()))))
    deepStrictEqual(
      (yield* log.lock(ids)).map((head) => head.sequence),
      ids.map(() => 20)
    )
  })
}
