import { AuditStore, type CompanyEvent } from "@crossdock/audit"
import { CompanyId, Transaction } from "@crossdock/kernel"
import { EventEndpoint, EventEndpointStore, type StoredEndpoint } from "@crossdock/notifications"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { concurrently, linger, oneSaves, times } from "./ConcurrentWriters.ts"
import type { Laws } from "./Laws.ts"
import { about, column, columns, endsBadly, inTransaction, inUnit, oldRowsAreDeleted, outcome } from "./Laws.ts"
import { freshCompany, type Seed } from "./Seed.ts"

type Endpoint = EventEndpoint.EventEndpoint
type Letter = EventEndpoint.EventDeadLetter
type Ports = EventEndpointStore | AuditStore | Seed | Transaction.Transaction

const at = 1_790_000_000_000

const pendingOf = (store: typeof EventEndpointStore.Service, ...companies: ReadonlyArray<CompanyId>) =>
  Effect.map(store.pending(at), (found) =>
    found.flatMap(({ companyId, id }) => (companies.includes(companyId) ? [id] : [])).toSorted()
  )

const webhook = {
  url: "https://erp.example/events?a=1",
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  retiring: null,
  authentication: { type: "none" }
} as const

const unsaved = (companyId: CompanyId, id = "erp") =>
  EventEndpoint.fresh({ companyId, id }, { cursor: 0, types: null, webhook })

const busy = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  webhook: { ...webhook, retiring: { secret: "whsec_old", until: at } },
  types: ["shipment.moved", "order.placed"],
  cursor: 2 ** 50,
  paused: { reason: "out_of_range", resumeAfter: 2 ** 51 },
  resending: ["msg_2", "msg_1"],
  maxBytes: 1,
  invalid: 7,
  outstanding: { webhookId: "msg_2", upTo: 2 ** 52, failures: 3, since: at, nextAt: at + 5, failure: '503 "\\no" 😀' },
  lease: { owner: "host", until: at + 15_000 }
})

const event = (companyId: CompanyId, number: number): CompanyEvent.CompanyEvent => ({
  companyId,
  number,
  change: number,
  at,
  type: "test.happened",
  version: 1,
  data: { text: 'कुर्ता "😀"\n', nested: [{ b: 1, a: null }] }
})

const letter = ({ companyId, id: endpoint }: Endpoint, id: string, when = at): Letter => ({
  companyId,
  endpoint,
  id,
  events: [event(companyId, 7), event(companyId, 9)],
  failures: 90,
  since: at - 259_200_000,
  at: when,
  failure: "rejected 😀"
})

const nextVersion = (endpoint: Endpoint): Endpoint => ({ ...endpoint, version: endpoint.version + 1 })

/** Changes the company with one event. The storage numbers the event if it can; otherwise this function does. */
const change = Effect.fnUntraced(function* (companyId: CompanyId, by: "caller" | "storage" = "caller") {
  const log = yield* AuditStore
  const events = [{ type: "test.happened", version: 1, data: {} }]
  const facts = { companyId, at, entityType: "test", entityId: "1", action: "set", personal: null }
  const append = Effect.gen(function* () {
    const [head] = yield* log.lock([companyId])
    if (by === "storage" && log.appendNext !== undefined) {
      const next = { ...facts, random: "0".repeat(24), content: '"logs":null}', events }
      return yield* Transaction.writes(log.appendNext([next]))
    }
    const sequence = (head?.sequence ?? 0) + 1
    yield* log.append(
      [{ ...facts, id: `id-${sequence}`, sequence, body: "{}", hash: "h" }],
      [{ companyId, first: (head?.events ?? 0) + 1, change: sequence, at, drafts: events }]
    )
  })
  yield* inTransaction(append)
})

export const eventEndpointStoreLaws = (laws: Laws<Ports>): void => {
  const { concurrent, law } = about(EventEndpointStore, laws, Effect.all([freshCompany, freshCompany]))
  law("an endpoint is read back equal, one version later, full and empty, and after a purge", function* (store) {
    const endpoint = unsaved(yield* freshCompany)
    strictEqual(yield* store.find(endpoint), undefined)
    for (const [version, content] of [endpoint, busy(endpoint), endpoint].entries()) {
      yield* store.save({ ...content, version })
      deepStrictEqual(yield* store.find(endpoint), { ...content, version: version + 1 })
    }
    yield* store.purge
    deepStrictEqual(yield* store.find(endpoint), { ...endpoint, version: 3 })
  })

  law("endpoints are read page by page after a key, by company and id, in a transaction too", function* (store) {
    const companies = [yield* freshCompany, yield* freshCompany].toSorted((a, b) => a - b)
    const ids = ["a", "a-b", "b"]
    for (const company of companies.toReversed())
      for (const id of ids.toReversed()) yield* store.save(unsaved(company, id))
    const wanted = companies.flatMap((companyId) => ids.map((id) => [companyId, id]))
    const locked = (...page: Parameters<typeof store.after>) => inTransaction(store.lockAfter(...page))
    for (const read of [store.after, locked]) {
      const pages = (after: EventEndpoint.EndpointKey | null): ReturnType<typeof locked> =>
        Effect.flatMap(read(after, 2), (page) => {
          const last = page.at(-1) ?? null
          assertTrue(page.length <= 2)
          return last === null ? Effect.succeed(page) : Effect.map(pages(last), (more) => [...page, ...more])
        })
      const all = yield* pages(null)
      const own = all.filter(({ companyId }) => companies.includes(companyId))
      deepStrictEqual(columns(own, "companyId", "id"), wanted)
      deepStrictEqual(own[0], { ...unsaved(own[0]?.companyId ?? CompanyId.make(1), "a"), version: 1 })
    }
  })

  law("endpoints are saved together one version later, or none of them when one has changed", function* (store) {
    const [first, second] = [unsaved(yield* freshCompany), unsaved(yield* freshCompany, "shop")]
    yield* store.save(first)
    yield* store.save(second)
    const webhook = { url: "https://erp.example/events", encrypted: "v1.0123456789ab.AAAA.BBBB" }
    const changed = [first, second].map((one) => nextVersion({ ...one, webhook }))
    yield* store.saveAll(changed)
    const stored = Effect.forEach([first, second], store.find)
    deepStrictEqual(yield* stored, changed.map(nextVersion))
    strictEqual(yield* outcome(store.saveAll([nextVersion(nextVersion(first)), nextVersion(second)])), "StaleWrite")
    strictEqual(yield* outcome(store.saveAll([unsaved(yield* freshCompany)])), "StaleWrite")
    deepStrictEqual(yield* stored, changed.map(nextVersion))
  })

  law("saving several together leaves pending what was, and nothing else", function* (store, [company]) {
    yield* change(company)
    const all = [unsaved(company, "behind"), { ...unsaved(company, "there"), cursor: 1 }]
    yield* Effect.forEach(all, store.save)
    yield* store.saveAll(all.map(nextVersion))
    const pending = pendingOf(store, company)
    deepStrictEqual(yield* pending, ["behind"])
    yield* change(company)
    deepStrictEqual(yield* pending, ["behind", "there"])
  })

  law("an endpoint that was saved since it was read is a stale write, also to be deleted", function* (store) {
    const first = unsaved(yield* freshCompany)
    strictEqual(yield* outcome(store.save(nextVersion(first))), "StaleWrite")
    strictEqual(yield* outcome(store.remove(nextVersion(first))), "StaleWrite")
    yield* store.save(first)
    yield* store.save(nextVersion(first))
    for (const version of [0, 1, 3]) {
      strictEqual(yield* outcome(store.save({ ...busy(first), version })), "StaleWrite")
      strictEqual(yield* outcome(store.remove({ ...first, version })), "StaleWrite")
    }
    deepStrictEqual(yield* store.find(first), { ...first, version: 2 })
  })

  law("endpoints come by company and id, with the number of the company's last event", function* (store, [one, other]) {
    yield* change(one)
    yield* Effect.forEach([unsaved(other), unsaved(one, "search"), unsaved(one)], store.save)
    const shown = ({ endpoint, lastEvent }: StoredEndpoint) => [endpoint.companyId, endpoint.id, lastEvent]
    const [ofOne, ofOther] = [["erp", "search"].map((id) => [one, id, 1]), [[other, "erp", 0]]]
    deepStrictEqual((yield* store.list(one)).map(shown), ofOne)
    const own = (yield* store.list(null)).filter(({ endpoint }) => [one, other].includes(endpoint.companyId))
    deepStrictEqual(own.map(shown), one < other ? [...ofOne, ...ofOther] : [...ofOther, ...ofOne])
  })

  law("endpoints of a company come by id, with the count of their own dead letters", function* (store, [one, other]) {
    deepStrictEqual(yield* store.list(one), [])
    const ids = ["b", "a-1", "a", "10", "9"]
    yield* Effect.forEach(ids, (id) => store.save(unsaved(one, id)))
    yield* store.save(unsaved(other, "a"))
    yield* store.putDeadLetter(letter(unsaved(one, "a"), "msg_1"))
    yield* store.putDeadLetter(letter(unsaved(one, "a"), "msg_2"))
    yield* store.putDeadLetter(letter(unsaved(other, "a"), "msg_1"))
    const listed = yield* store.list(one)
    deepStrictEqual(column(column(listed, "endpoint"), "id"), ["10", "9", "a", "a-1", "b"])
    deepStrictEqual(column(listed, "deadLetters"), [0, 0, 2, 0, 0])
  })

  law("a deleted endpoint has no dead letters any more, and others keep theirs", function* (store, [company]) {
    const [one, other] = [unsaved(company), unsaved(company, "search")]
    for (const endpoint of [one, other]) {
      yield* store.save(endpoint)
      yield* store.putDeadLetter(letter(endpoint, "msg_1"))
    }
    yield* store.remove(nextVersion(one))
    strictEqual(yield* store.find(one), undefined)
    deepStrictEqual(yield* store.deadLetters(one), [])
    deepStrictEqual(column(yield* store.deadLetters(other), "id"), ["msg_1"])
    yield* store.save(one)
    deepStrictEqual(yield* store.find(one), nextVersion(one))
  })

  law("endpoints behind or beyond the last event, or resending, are pending", function* (store, [one, quiet]) {
    yield* change(one)
    yield* change(one)
    yield* store.save(unsaved(one, "behind"))
    yield* store.save({ ...unsaved(one, "a-bit-behind"), cursor: 1 })
    yield* store.save({ ...unsaved(one, "there"), cursor: 2 })
    yield* store.save({ ...unsaved(one, "beyond"), cursor: 3 })
    yield* store.save({ ...unsaved(one, "resending"), cursor: 2, resending: ["msg_1"] })
    yield* store.save({ ...unsaved(one, "paused"), paused: { reason: "disabled" } })
    yield* store.save(unsaved(quiet, "quiet"))
    const mine = pendingOf(store, one, quiet)
    deepStrictEqual(yield* mine, ["a-bit-behind", "behind", "beyond", "resending"])
    yield* change(quiet)
    yield* store.save({ ...unsaved(one, "paused"), version: 1 })
    yield* store.save({ ...unsaved(one, "behind"), cursor: 2, version: 1 })
    deepStrictEqual(yield* mine, ["a-bit-behind", "beyond", "paused", "quiet", "resending"])
  })

  law("an endpoint isn't pending before its next try, unless the clock was set back", function* (store, [one]) {
    yield* change(one)
    const rejected = (id: string, nextAt: number): Endpoint => ({
      ...unsaved(one, id),
      outstanding: { webhookId: "msg_1", upTo: 1, failures: 3, since: at, nextAt, failure: "503" }
    })
    const hour = 3_600_000
    for (const [id, nextAt] of Object.entries({ due: at, later: at + 1, hour: at + hour, set: at + hour + 1 }))
      yield* store.save(rejected(id, nextAt))
    const mine = pendingOf(store, one)
    deepStrictEqual(yield* mine, ["due", "set"])
    yield* change(one)
    yield* store.save({ ...rejected("later", at - 1), version: 1 })
    deepStrictEqual(yield* mine, ["due", "later", "set"])
  })

  concurrent("an endpoint that has received everything is pending after every change", function* (store, [one]) {
    for (let cursor = 0; cursor < 20; cursor++) {
      const endpoint = { ...unsaved(one), cursor, version: cursor }
      const by = cursor % 2 === 0 ? "caller" : "storage"
      yield* concurrently([inTransaction(store.save(endpoint)), change(one, by)])
      const pending = (yield* store.pending(at)).filter(({ companyId }) => companyId === one)
      deepStrictEqual(column(pending, "id"), ["erp"])
    }
  })

  concurrent("of several who change a locked page each reads what those before it wrote", function* (store) {
    const { companyId, ...rest } = unsaved(yield* freshCompany)
    yield* store.save({ companyId, ...rest })
    const first = { companyId, id: "" }
    const step = inUnit(function* () {
      const page = yield* store.lockAfter(first, 1)
      yield* linger(store.list(companyId))
      yield* store.saveAll(page.map((endpoint) => ({ ...endpoint, cursor: endpoint.cursor + 1 })))
    })
    yield* times(8, () => step)
    strictEqual((yield* store.find({ companyId, id: rest.id }))?.cursor, 8)
  })

  concurrent("of several who save an endpoint exactly one wins, the others are stale", function* (store) {
    yield* oneSaves(unsaved(yield* freshCompany), store)
  })

  law("dead letters of events are read back equal, those of one endpoint, oldest first", function* (store) {
    const [one, other] = [unsaved(yield* freshCompany), unsaved(yield* freshCompany)]
    const all = [letter(one, "z", 1), letter(one, "y", 20), letter(one, "w", at), letter(one, "x", at)]
    for (const place of [2, 0, 3, 1]) yield* Effect.forEach(all.slice(place, place + 1), store.putDeadLetter)
    yield* store.putDeadLetter(letter({ ...one, id: "search" }, "z", 2))
    yield* store.putDeadLetter(letter(other, "z", 2))
    deepStrictEqual(yield* store.deadLetters(one), all)
    deepStrictEqual(yield* store.deadLetter(one, "y"), all[1])
    strictEqual(yield* store.deadLetter(one, "none"), undefined)
    strictEqual(yield* store.deadLetter(other, "y"), undefined)
  })

  law("a dead letter of events with the id of another takes its place, and is removed alone", function* (store) {
    const endpoint = unsaved(yield* freshCompany)
    yield* store.putDeadLetter(letter(endpoint, "a", 5))
    yield* store.putDeadLetter(letter(endpoint, "b", 6))
    const later = { ...letter(endpoint, "a", 7), failures: 180 }
    yield* store.putDeadLetter(later)
    deepStrictEqual(yield* store.deadLetters(endpoint), [letter(endpoint, "b", 6), later])
    yield* store.removeDeadLetter(endpoint, "a")
    yield* store.removeDeadLetter(endpoint, "none")
    deepStrictEqual(column(yield* store.deadLetters(endpoint), "id"), ["b"])
  })

  law("dead letters of events from before a time are deleted, the oldest first", function* (store) {
    const [one, other] = [unsaved(yield* freshCompany), unsaved(yield* freshCompany)]
    const put = Effect.fnUntraced(function* (when: number, nth: number) {
      const owner = nth % 2 === 0 ? one : other
      yield* store.putDeadLetter(letter(owner, `w${nth}`, when))
      return Effect.map(store.deadLetter(owner, `w${nth}`), (found) => found !== undefined)
    })
    yield* oldRowsAreDeleted(put, store.deleteDeadLetters)
  })

  law("what a failed transaction wrote of an endpoint and its dead letters doesn't remain", function* (store) {
    const endpoint = unsaved(yield* freshCompany)
    const written = Effect.all([store.save(endpoint), store.putDeadLetter(letter(endpoint, "a"))])
    yield* endsBadly(inTransaction(Effect.andThen(written, Effect.fail("rejected"))))
    strictEqual(yield* store.find(endpoint), undefined)
    deepStrictEqual(yield* store.deadLetters(endpoint), [])
    yield* store.save(endpoint)
    yield* store.putDeadLetter(letter(endpoint, "a"))
    yield* endsBadly(inTransaction(Effect.andThen(store.remove(nextVersion(endpoint)), Effect.fail("rejected"))))
    deepStrictEqual(column(yield* store.deadLetters(endpoint), "id"), ["a"])
  })
}
