import type { AuditEntity, AuditRecord, Head, LockedHead, NextRecord } from "@crossdock/audit"
import { AuditChain, AuditSearch, AuditStore, viewOf } from "@crossdock/audit"
import type { CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { exactlyOneSucceeded, loadedBehind, retrying, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, column, endsBadly, inTransaction, type Laws, outcome, sortedBy, waysToWrite } from "./Laws.ts"
import { freshCompany, Seed } from "./Seed.ts"

export const record = (companyId: CompanyId, sequence: number): AuditRecord => ({
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

const delicateTexts = [
  "| |'|''|\"|\\|\\u0041|\\x41|$1|$$|?|%s|\t\r\n|\u007f|\u2028|\ufeff",
  "e\u0301|é|ß|İ|ﬁ|कुर्ता|日本|\u0645|😀|👩‍👩‍👧|𝒜|NULL|1e400|0x1f"
].flatMap((line) => line.split("|"))

const below = (count: number): number => Math.floor(Math.random() * count)

const randomText = (): string =>
  Array.from({ length: below(5) }, () => delicateTexts[below(delicateTexts.length)]).join("")

/** Random JSON. Its texts have characters that JSON escapes: control characters and halves of surrogate pairs. */
const randomJson = (depth: number): unknown => {
  const leaves = [null, true, 0, -1.5e-7, Number.MAX_SAFE_INTEGER, "\u0000", "\ud83d", randomText(), randomText()]
  if (depth === 0 || below(3) === 0) return leaves[below(leaves.length)]
  const inner = Array.from({ length: below(4) }, () => randomJson(depth - 1))
  return below(2) === 0 ? inner : Object.fromEntries(inner.map((value) => [randomText(), value]))
}

const randomRecord = (companyId: CompanyId, logs: unknown): NextRecord => {
  const at = 1_790_000_000_000 + below(1_000_000)
  const entity = { type: randomText(), id: randomText(), action: randomText() }
  return {
    companyId,
    at,
    random: Array.from({ length: 24 }, () => below(16).toString(16)).join(""),
    entityType: entity.type,
    entityId: entity.id,
    action: entity.action,
    content: JSON.stringify({ at, entity, logs }).slice(1),
    personal: below(2) === 0 ? null : JSON.stringify(randomJson(2)),
    events: Array.from({ length: below(3) }, () => ({ type: "test.happened", version: 1, data: randomJson(2) }))
  }
}

const records = (company: CompanyId, count: number) => Array.from({ length: count }, (_, i) => record(company, i + 1))

const headOf = (companyId: CompanyId, sequence: number): LockedHead => ({
  companyId,
  sequence,
  hash: sequence === 0 ? "" : `hash ${sequence}`,
  events: 0
})

const appendAll = (many: ReadonlyArray<AuditRecord>) =>
  Effect.flatMap(AuditStore, (log) => Effect.forEach(many, (one) => log.append([one], []), { discard: true }))

const appendNext = Effect.fnUntraced(function* (companyId: CompanyId) {
  const log = yield* AuditStore
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

const stated = (companyId: CompanyId, sequence: number, entity: AuditEntity, logs: unknown, userId?: string) => ({
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
  "{}; order; entity.type:ORDER; entity.type:kelvin; kelvin; entity.id:éclair; entity.id:o-1; entity.id:b-2; entity.id:b-4",
  'entity.id:"b\\"3"; entity.id:b-É; b-2 move; éclair update; "said \\"hi\\""; 100%_sure; %; modifier.user_id:max; max',
  '"key name" true; "a\\\\b"; "line\nbreak"; 12.5; laws; from:2026-09-21; to:2026-09-20; nothing-like-it',
  "entity.action:update to:2027-01-01 -sure"
].flatMap((line) => line.split("; "))

const filterOf = (query: string): AuditSearch.AuditFilter =>
  Result.getOrElse(AuditSearch.parse(query), () => AuditSearch.everything)

export const auditStoreLaws = (laws: Laws<AuditStore | Seed | Transaction.Transaction>): void => {
  const { concurrent, law } = about(AuditStore, laws, Effect.all([freshCompany, freshCompany]))
  law("heads are read without a lock: of existing companies, as committed last", function* (log, [first, second]) {
    yield* appendNext(second)
    yield* endsBadly(inTransaction(Effect.andThen(appendNext(second), Effect.fail("rejected"))))
    const expected = sortedBy([headOf(first, 0), headOf(second, 1)], "companyId")
    deepStrictEqual(yield* log.heads([second, yield* Fresh.companyId, first, second]), expected)
    deepStrictEqual(yield* log.heads([]), [])
  })

  law("heads of existing companies are locked, ascending, each once, and begin with number 0", function* (log) {
    const [seed, ids] = [yield* Seed, yield* Effect.replicateEffect(Fresh.companyId, 5)]
    yield* Effect.forEach(ids.toReversed(), (id) => seed.companies([Fresh.company(id)]))
    const heads = yield* log.lock([...ids, yield* Fresh.companyId, ...ids].reverse())
    const expected = ids.map((id) => headOf(id, 0))
    deepStrictEqual(heads, expected)
    deepStrictEqual(yield* log.lock([]), [])
    deepStrictEqual(yield* log.read(yield* freshCompany, 0, 10), [])
  })

  law("records are read back equal, ascending, after a number, as many as asked", function* (log, [companyId]) {
    const all = records(companyId, 12)
    yield* appendAll(all)
    deepStrictEqual(yield* log.read(companyId, 0, 100), all)
    deepStrictEqual(yield* log.read(companyId, 8, 3), all.slice(8, 11))
    deepStrictEqual(yield* log.read(companyId, 12, 3), [])
    deepStrictEqual(yield* log.lock([companyId]), [headOf(companyId, 12)])
  })

  law("one append writes a record for each of several companies, apart", function* (log, [one, other]) {
    yield* log.append([record(one, 1)], [])
    yield* log.append([record(other, 1), record(one, 2)], [])
    deepStrictEqual(yield* log.read(one, 0, 10), records(one, 2))
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 1))
  })

  law("a number that is taken, or leaves a gap, is a stale write and changes nothing", function* (log, [companyId]) {
    yield* appendAll(records(companyId, 2))
    for (const number of [1, 2, 4])
      strictEqual(yield* outcome(log.append([{ ...record(companyId, number), hash: "other" }], [])), "StaleWrite")
    deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 2))
    strictEqual((yield* log.lock([companyId]))[0]?.hash, "hash 2")
  })

  law("one stale record of several fails its transaction, of which nothing remains", function* (log, [one, other]) {
    yield* log.append([record(other, 1)], [])
    const stale = log.append([record(one, 1), record(other, 1)], [])
    strictEqual(yield* outcome(stale), "StaleWrite")
    for (const written of waysToWrite) {
      const unit = inTransaction(written(Effect.andThen(log.append([record(other, 2)], []), stale)))
      strictEqual(yield* outcome(unit), "StaleWrite")
    }
    deepStrictEqual(column(yield* log.lock([one, other]), "sequence"), [0, 1])
    deepStrictEqual(yield* log.read(one, 0, 10), [])
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 1))
  })

  law("records with any text are composed, numbered and linked by hash as by `AuditChain`", function* (log) {
    const companies = [yield* freshCompany, yield* freshCompany]
    const trails = new Map(companies.map((id) => [id, [] as Array<AuditRecord>]))
    const heads = new Map(companies.map((id) => [id, headOf(id, 0)]))
    for (let round = 0; round < 24; round++) {
      const logs = round === 0 ? "😀'\"\\".repeat(75_000) : randomJson(4)
      const next = companies.slice(below(2)).map((companyId) => randomRecord(companyId, logs))
      const sealed = yield* Effect.forEach(next, (one) =>
        Effect.gen(function* () {
          const head = heads.get(one.companyId) ?? headOf(one.companyId, 0)
          const { batch, record } = AuditChain.sealed(head, one, (text) => text)
          strictEqual(record.hash, head.hash + record.body)
          const [hash, events] = [yield* sha256(record.hash), head.events + one.events.length]
          heads.set(one.companyId, { companyId: one.companyId, sequence: record.sequence, hash, events })
          return { batch, record: { ...record, hash } }
        })
      )
      for (const { record } of sealed) trails.get(record.companyId)?.push(record)
      const batches = sealed.flatMap(({ batch }) => batch ?? [])
      const append = log.appendNext?.(next) ?? log.append(column(sealed, "record"), batches)
      const written = waysToWrite[round % waysToWrite.length] ?? ((writes) => writes)
      yield* inTransaction(Effect.andThen(log.lock(column(next, "companyId")), written(append)))
    }
    for (const id of companies) deepStrictEqual(yield* log.read(id, 0, 100), trails.get(id))
    deepStrictEqual(yield* log.lock(companies), [...heads.values()])
  })

  law("a number is given again when its transaction failed", function* (log, [companyId]) {
    yield* Effect.flip(inTransaction(Effect.andThen(appendNext(companyId), Effect.fail("rejected"))))
    deepStrictEqual(yield* log.read(companyId, 0, 10), [])
    strictEqual(yield* inTransaction(appendNext(companyId)), 1)
  })

  law("the trail stays when its company is written again", function* (log, [companyId]) {
    const seed = yield* Seed
    yield* appendAll(records(companyId, 2))
    yield* seed.companies([{ ...Fresh.company(companyId), name: "Renamed" }])
    deepStrictEqual(yield* log.lock([companyId]), [headOf(companyId, 2)])
    deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 2))
  })

  law("a search with any letters finds every record that the rule finds, in both orders", function* (log, [companyId]) {
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
    const page = { after: null, through: null, descending: true, limit: 9 }
    deepStrictEqual(yield* log.candidates(yield* freshCompany, AuditSearch.everything, page), [])
  })

  law("a search runs between two numbers, and finds too few only at its end", function* (log, [companyId]) {
    yield* appendAll(searched(companyId))
    const numbers = (after: number | null, descending: boolean, limit: number, through: number | null = null) =>
      Effect.map(log.candidates(companyId, AuditSearch.everything, { after, through, descending, limit }), (found) =>
        column(found, "sequence")
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
  })

  law("entity types come once each, ascending by code point", function* (log, [companyId]) {
    const types = [...Fresh.shuffled, ...Fresh.inOrder.slice(0, 3)]
    yield* appendAll(types.map((type, i) => ({ ...record(companyId, i + 1), entityType: type })))
    deepStrictEqual(yield* log.entityTypes(companyId), [...Fresh.inOrder])
    deepStrictEqual(yield* log.entityTypes(yield* freshCompany), [])
  })

  law("erasing takes only these records' personal parts of this company away", function* (log, [companyId, other]) {
    const all = records(companyId, 6)
    yield* appendAll(all)
    yield* appendAll(records(other, 4))
    yield* log.erase(companyId, [1, 4, 99])
    const erased = all.map((one) => (one.sequence === 4 ? { ...one, personal: null } : one))
    deepStrictEqual(yield* log.read(companyId, 0, 10), erased)
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 4))
  })

  law("dropping removes the oldest and keeps the last of them as the anchor", function* (log, [companyId, other]) {
    yield* appendAll(records(companyId, 5))
    yield* appendAll(records(other, 2))
    const nothing: Head = { companyId, sequence: 0, hash: "" }
    deepStrictEqual(yield* log.anchor(companyId), nothing)
    for (const sequence of [2, 3]) {
      yield* log.drop({ companyId, sequence, hash: `hash ${sequence}` })
      deepStrictEqual(yield* log.anchor(companyId), { companyId, sequence, hash: `hash ${sequence}` })
      deepStrictEqual(column(yield* log.read(companyId, 0, 10), "sequence"), [1, 2, 3, 4, 5].slice(sequence))
    }
    yield* log.append([record(companyId, 6)], [])
    deepStrictEqual(yield* log.read(other, 0, 10), records(other, 2))
  })

  concurrent("of several who append the same number at once exactly one wins", function* (log, [companyId]) {
    exactlyOneSucceeded(yield* times(8, () => outcome(inTransaction(log.append([record(companyId, 1)], [])))))
    deepStrictEqual(yield* log.read(companyId, 0, 10), records(companyId, 1))
  })

  concurrent("fifty appends at once are numbered 1 to 50 without a gap", function* (log, [companyId]) {
    const numbers = yield* times(50, () => retrying(appendNext(companyId)))
    deepStrictEqual(new Set(numbers), new Set(column(records(companyId, 50), "sequence")))
    deepStrictEqual(yield* log.read(companyId, 0, 100), records(companyId, 50))
  })

  concurrent("a transaction that locked a company keeps others away till its end", function* (log, [free, companyId]) {
    const append = () => log.append([record(companyId, 1)], [])
    const both = log.lock([companyId, free])
    const heads = yield* loadedBehind(log.lock([companyId]), log.read(companyId, 0, 1), append, both)
    deepStrictEqual(heads, [headOf(free, 0), headOf(companyId, 1)])
  })

  concurrent("transactions that lock the same companies in another order do not block each other", function* (log) {
    const ids = yield* Effect.replicateEffect(freshCompany, 6)
    const append = Effect.fnUntraced(function* (companies: ReadonlyArray<CompanyId>) {
      const heads = yield* log.lock(companies)
      const next = heads.map((head) => record(head.companyId, head.sequence + 1))
      yield* log.append(next, [])
    })
    yield* times(20, (i) => retrying(append(i % 2 === 0 ? ids : [...ids].reverse())))
    deepStrictEqual(column(yield* log.lock(ids), "sequence"), [20, 20, 20, 20, 20, 20])
  })
}
