import { type Caller, Directory, type PlatformClient } from "@crossdock/access"
import {
  AuditChain,
  AuditExport,
  AuditProof,
  type AuditRecord,
  AuditSearch,
  AuditStore,
  AuditTrail,
  Checkpoint,
  type CompanyEvent,
  CompanyWrite,
  logsOf,
  UserAgents,
  viewOf
} from "@crossdock/audit"
import { CheckpointKey, DigestNode, NonceNode } from "@crossdock/crypto"
import { CompanyId, Ids, required, StorageError } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Redacted, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"

const agents = Layer.succeed(UserAgents, UserAgents.of({ describe: (userAgent) => ({ browser: { name: userAgent } }) }))

const services = AuditTrail.layer.pipe(
  Layer.provideMerge(CompanyWrite.layer),
  Layer.provideMerge(StorageMemory.layer),
  Layer.provideMerge(DigestNode.layer),
  Layer.provide([Ids.layer, NonceNode.layer, agents])
)

const one = CompanyId.make(1)
const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
const client: Caller<PlatformClient> = {
  principal: { kind: "platform_client", id: "test", companyId: one, scopes: [] },
  requestId: null
}

const stated = (
  id: string,
  user: string | null,
  payload: Readonly<Record<string, unknown>> = {}
): AuditTrail.StatedLog => ({
  entity: { type: "order", id, action: "update" },
  application: null,
  modifier: user === null ? null : { user_id: user, user_details: { email: `${user}@example.com` } },
  deviceInfo: null,
  location: null,
  sessions: null,
  payload
})

const withRecords = (count: number) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    yield* directory.putCompanies([{ id: one, name: "One", legalName: "One" }])
    const trail = yield* AuditTrail.AuditTrail
    for (let n = 1; n <= count; n++) yield* trail.record(client, stated(`o-${n}`, n % 2 === 0 ? "asha" : null, { n }))
    return trail
  })

const stored = Effect.flatMap(AuditStore, (log) => log.read(one, 0, 1000))

describe("The chain", () => {
  const nothing = { companyId: one, sequence: 0, hash: "" }

  it.effect("every edit, deletion, swap, insertion and truncation is found, at the first record that was changed", () =>
    Effect.gen(function* () {
      yield* withRecords(20)
      const records = yield* stored
      const { sha256 } = yield* AuditChain.Digest
      const [head] = yield* Effect.flatMap(AuditStore, (log) => log.lock([one]))
      const verdict = (found: ReadonlyArray<AuditRecord>) => {
        const { broken, head: reached } = AuditChain.follow(nothing, found, sha256)
        return broken ?? (head === undefined ? undefined : AuditChain.endFault(reached, head))
      }
      strictEqual(verdict(records), undefined)
      const edits: ReadonlyArray<(one: AuditRecord) => AuditRecord> = [
        (_) => ({ ..._, body: _.body.replace("update", "create") }),
        (_) => ({ ..._, hash: `${_.hash.slice(1)}0` }),
        (_) => ({ ..._, at: _.at + 1 }),
        (_) => ({ ..._, entityId: `${_.entityId}0` }),
        (_) => ({ ..._, id: `${_.id.slice(1)}0` }),
        (_) => ({ ..._, action: "none" }),
        (_) => ({ ..._, personal: `${_.personal ?? ""} ` })
      ]
      FastCheck.assert(
        FastCheck.property(FastCheck.nat(18), FastCheck.nat(6), FastCheck.nat(4), (at, edit, kind) => {
          const [record, next] = [records[at] as AuditRecord, records[at + 1] as AuditRecord]
          const changed = [
            records.with(at, edits[edit]?.(record) ?? record),
            records.toSpliced(at, 1),
            records.with(at, next).with(at + 1, record),
            records.toSpliced(at, 0, record),
            records.slice(0, at)
          ][kind]
          // A duplicated record is found at the place of the second one.
          return verdict(changed ?? [])?.sequence === (kind === 3 ? at + 2 : at + 1)
        }),
        { numRuns: runs(500) }
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("a person is erased and the erasure recorded, or neither; the files are purged afterwards, each time", () =>
    Effect.gen(function* () {
      const fails = yield* Ref.make({ append: true, purge: true })
      const purges = yield* Ref.make(0)
      const failing = (part: "append" | "purge") =>
        Effect.flatMap(Ref.get(fails), (one) =>
          one[part] ? Effect.fail(new StorageError({ operation: part, cause: "no space" })) : Effect.void
        )
      const log = Layer.effect(
        AuditStore,
        Effect.map(AuditStore, (log) => ({
          ...log,
          append: (records: ReadonlyArray<AuditRecord>, events: ReadonlyArray<CompanyEvent.EventBatch>) =>
            records.some(({ action }) => action === "erase")
              ? Effect.andThen(failing("append"), log.append(records, events))
              : log.append(records, events),
          purge: Effect.andThen(
            Ref.update(purges, (count) => count + 1),
            failing("purge")
          )
        }))
      )
      const onFailing = AuditTrail.layer.pipe(
        Layer.provide(CompanyWrite.layer),
        Layer.provideMerge(Layer.provideMerge(log, StorageMemory.layer)),
        Layer.provide([DigestNode.layer, Ids.layer, NonceNode.layer, agents])
      )
      yield* Effect.gen(function* () {
        const trail = yield* withRecords(4)
        const erase = Effect.match(trail.erase(caller, one, "asha"), {
          onFailure: ({ operation }) => operation,
          onSuccess: (count) => count
        })
        const kept = Effect.map(stored, (all) => [all.length, all.filter(({ personal }) => personal !== null).length])
        strictEqual(yield* erase, "append")
        deepStrictEqual([yield* kept, yield* Ref.get(purges)], [[4, 2], 0])
        yield* Ref.set(fails, { append: false, purge: true })
        strictEqual(yield* erase, "purge")
        deepStrictEqual([yield* kept, yield* Ref.get(purges)], [[5, 0], 1])
        yield* Ref.set(fails, { append: false, purge: false })
        strictEqual(yield* erase, 0)
        deepStrictEqual([yield* kept, yield* Ref.get(purges)], [[5, 0], 2])
        strictEqual((yield* trail.verify(one)).broken, undefined)
      }).pipe(Effect.provide(onFailing))
    })
  )

  it.effect("erasing a person keeps the chain intact and removes everything that identified the person", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(6)
      yield* trail.record(client, stated("o-7", "ravi", { order: { email: "ASHA@example.com", total: 5 } }))
      strictEqual(yield* trail.erase(caller, one, "asha"), 3)
      strictEqual(yield* trail.erase(caller, one, "asha@example.com"), 1)
      strictEqual(
        JSON.stringify(yield* stored)
          .toLowerCase()
          .includes("asha"),
        false
      )
      const { broken, records } = yield* trail.verify(one)
      deepStrictEqual([records, broken], [9, undefined])
      const seen = yield* trail.search(client, {
        filter: { words: ["o-7"], pairs: [], from: null, before: null },
        after: null,
        descending: true,
        limit: 5
      })
      deepStrictEqual(seen.records[0]?.logs, { order: { email: "[personal]", total: 5 } })
      strictEqual(yield* trail.erase(caller, one, "nobody"), 0)
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "erasing a telephone number takes out all records with that number as a contact, and no id, code or time that ends like it",
    () =>
      Effect.gen(function* () {
        const trail = yield* withRecords(0)
        const own = [
          { customer: { phone: "098765-43210 (home)" } },
          { contacts: ["x@y.co", "+91 98765 43210 ext. 5"] },
          { customer_mobile: 9876543210 },
          { billing: { phone: { country: "91", number: "९८७६५ ४३२१०" } } }
        ]
        const others = [
          { customer: { ean: 8909876543210 } },
          { email: "b@x.co", user_id: "2009876543210" },
          { email: "9876543210@x.co", at: 1719876543210, contact_id: 2009876543210 },
          { customer: { phone: "98765 43211", reference: "98765-43210" } },
          { username: null, ip: "10.0.0.1", customer: { isNew: true, note: "" } }
        ]
        const record = (payload: object, nth: number) => trail.record(client, stated(`o-${nth}`, null, { ...payload }))
        yield* Effect.forEach([...own, ...others], record)
        strictEqual(yield* trail.erase(caller, one, "+91 98765 43210"), own.length)
        for (const nobody of ["null", "true", "", " ", "[object Object]"])
          strictEqual(yield* trail.erase(caller, one, nobody), 0)
        const left = (yield* stored).filter(({ personal }) => personal !== null).map((one) => logsOf(viewOf(one)))
        deepStrictEqual(left, others)
        strictEqual(yield* trail.erase(caller, one, "2009876543210"), 2)
      }).pipe(Effect.provide(services))
  )

  it.effect("the oldest records can be dropped, and the rest still verifies from there", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(3)
      yield* TestClock.adjust("10 days")
      for (const id of ["late-1", "late-2"]) yield* trail.record(client, stated(id, null))
      strictEqual(yield* trail.retain(caller, one, 5 * 86_400_000), 3)
      strictEqual(yield* trail.retain(caller, one, 5 * 86_400_000), 0)
      const { broken, head, records } = yield* trail.verify(one)
      deepStrictEqual([records, head.sequence, broken], [3, 6, undefined])
      const log = yield* AuditStore
      const [, second] = yield* log.read(one, 3, 10)
      yield* log.drop({ companyId: one, sequence: 4, hash: "forged" })
      strictEqual((yield* trail.verify(one)).broken?.sequence, second?.sequence)
    }).pipe(Effect.provide(services))
  )

  it.effect("a beginning that was deleted without a record of dropping it is found", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(5)
      const log = yield* AuditStore
      const [third] = yield* log.read(one, 2, 1)
      yield* log.drop({ companyId: one, sequence: 3, hash: third?.hash ?? "" })
      strictEqual((yield* trail.verify(one)).broken?.sequence, 3)
    }).pipe(Effect.provide(services))
  )

  it.effect("a checkpoint is genuine only for its own key and content", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(2)
      const { head, root } = yield* trail.verify(one)
      const [key, other] = [CheckpointKey.generate(), CheckpointKey.generate()]
      const signer = required(CheckpointKey.signer(key.privateKey), "key")
      const checkpoint = Checkpoint.make({ head, root }, 5, signer)
      const verifies = CheckpointKey.verifier({ keys: [other.publicKey, key.publicKey] })
      assertTrue(Checkpoint.isGenuine(checkpoint, verifies))
      for (const forged of [
        { sequence: 3 },
        { hash: "x" },
        { root: "x" },
        { at: 6 },
        { company: 2 },
        { kid: other.publicKey.kid },
        { signature: "00" }
      ]) {
        strictEqual(Checkpoint.isGenuine({ ...checkpoint, ...forged }, verifies), false)
      }
      strictEqual(Checkpoint.isGenuine(checkpoint, CheckpointKey.verifier({ keys: [other.publicKey] })), false)
    }).pipe(Effect.provide(services))
  )
})

describe("A proof", () => {
  const numbers = (to: number) => Array.from({ length: to }, (_, at) => at + 1)

  it.effect("of each record leads to the root of the trail, and of none that isn't there", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(9)
      const digest = yield* AuditChain.Digest
      const { root } = yield* trail.verify(one)
      for (const sequence of numbers(9)) {
        const proof = yield* trail.proveRecord(one, sequence, 9)
        assertTrue(proof !== undefined && AuditProof.provesRecord(digest, proof))
        strictEqual(proof.root, root)
        for (const wrong of [{ body: `${proof.body} ` }, { previous: root }, { sequence: (sequence % 9) + 1 }])
          assertTrue(!AuditProof.provesRecord(digest, { ...proof, ...wrong }))
      }
      for (const [sequence, size] of [
        [10, 9],
        [0, 9],
        [10, 12],
        [3, 12]
      ] as const)
        strictEqual(yield* trail.proveRecord(one, sequence, size), undefined)
    }).pipe(Effect.provide(services))
  )

  it.effect("shows that the trail continues the one of each earlier checkpoint", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(0)
      const digest = yield* AuditChain.Digest
      const roots = [(yield* trail.verify(one)).root]
      for (const sequence of numbers(7)) {
        yield* trail.record(client, stated(`o-${sequence}`, null))
        roots.push((yield* trail.verify(one)).root)
      }
      for (const first of numbers(7)) {
        const proof = yield* trail.proveContinuation(one, first, 7)
        assertTrue(proof !== undefined && AuditProof.provesContinuation(digest, proof))
        deepStrictEqual([proof.firstRoot, proof.root], [roots[first], roots[7]])
        const forged = { ...proof, firstRoot: roots[first - 1] ?? "" }
        assertTrue(!AuditProof.provesContinuation(digest, forged))
      }
      for (const [first, size] of [
        [0, 7],
        [8, 7],
        [3, 8]
      ] as const)
        strictEqual(yield* trail.proveContinuation(one, first, size), undefined)
    }).pipe(Effect.provide(services))
  )

  it.effect("is there for the remaining records after the oldest were dropped, twice, with the same root", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(5)
      const digest = yield* AuditChain.Digest
      for (const round of [1, 2]) {
        yield* TestClock.adjust("10 days")
        for (const id of ["a", "b", "c"]) yield* trail.record(client, stated(`${id}-${round}`, null))
        const { head, root } = yield* trail.verify(one)
        assertTrue((yield* trail.retain(caller, one, round * 10 * 86_400_000 - 1)) > 0)
        const proof = yield* trail.proveRecord(one, head.sequence, head.sequence)
        assertTrue(proof !== undefined && AuditProof.provesRecord(digest, proof))
        strictEqual(proof.root, root)
        strictEqual(yield* trail.proveRecord(one, head.sequence - 4, head.sequence), undefined)
        strictEqual((yield* trail.verify(one)).broken, undefined)
      }
      strictEqual(yield* trail.proveContinuation(one, 3, 9), undefined)
    }).pipe(Effect.provide(services))
  )
})

describe("A record of a drop", () => {
  it.effect("is the host's own: a client's copies of it change neither the root nor the proofs", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(5)
      const digest = yield* AuditChain.Digest
      yield* TestClock.adjust("10 days")
      yield* trail.record(client, stated("late", null))
      const { head, root } = yield* trail.verify(one)
      strictEqual(yield* trail.retain(caller, one, 5 * 86_400_000), 5)
      const copied = (yield* stored).at(-1)
      const { logs } = JSON.parse(copied?.body ?? "")
      const drop = { ...stated("1", null, logs), entity: { type: "audit-trail", id: "1", action: "retain" } }
      for (let nth = 0; nth < 501; nth++) yield* trail.record(client, nth === 0 ? drop : { ...drop, payload: {} })
      const proof = yield* trail.proveRecord(one, head.sequence, head.sequence)
      strictEqual(proof?.root, root)
      assertTrue(proof !== undefined && AuditProof.provesRecord(digest, proof))
      const now = yield* trail.verify(one)
      const last = yield* trail.proveRecord(one, now.head.sequence, now.head.sequence)
      deepStrictEqual([now.broken, last?.root], [undefined, now.root])
      // Nor do they hide a missing beginning.
      const log = yield* AuditStore
      const [next] = yield* log.read(one, 5, 1)
      const forged = { ...drop, payload: { response: { up_to: 6, hash: next?.hash, peaks: [] } } }
      yield* trail.record(client, forged)
      yield* log.drop({ companyId: one, sequence: 6, hash: next?.hash ?? "" })
      strictEqual((yield* trail.verify(one)).broken?.sequence, 6)
    }).pipe(Effect.provide(services))
  )
})

describe("What gets into the trail", () => {
  it.effect("no value of a secret field and no value of type Redacted does", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(0)
      const secret = "canary-7"
      const fields = {
        password: secret,
        nested: [{ "Access-Token": secret, api_key: { deep: secret } }],
        note: "stays"
      }
      yield* trail.record(client, {
        ...stated("o-1", null, { ...fields, typed: Redacted.make(secret) }),
        modifier: { user_id: "u-1", ...fields },
        deviceInfo: { user_agent: "a", ...fields },
        location: { IP: "203.0.113.9", ...fields }
      })
      const text = JSON.stringify(yield* stored)
      strictEqual(text.includes(secret), false)
      assertTrue(text.includes("stays"))
    }).pipe(Effect.provide(services))
  )
})

describe("The export", () => {
  it.effect("as JSON lines comes back equal and verifies", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(5)
      const lines = yield* Stream.runCollect(Stream.map(trail.records(one), AuditExport.jsonLine))
      const back = [...lines].flatMap((line) => AuditExport.fromJsonLine(line) ?? [])
      deepStrictEqual(back, yield* stored)
      strictEqual(AuditExport.fromJsonLine("{}"), undefined)
      strictEqual(AuditExport.fromJsonLine("nothing"), undefined)
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "verifies on its own, also when the oldest records were dropped, and not when its beginning is cut off",
    () =>
      Effect.gen(function* () {
        const trail = yield* withRecords(3)
        const { sha256 } = yield* AuditChain.Digest
        const read = (lines: ReadonlyArray<string>) =>
          lines.reduce((reading, line) => AuditExport.read(reading, line, sha256), AuditExport.begin)
        const broken = (lines: ReadonlyArray<string>) => AuditExport.firstBreak(read(lines))?.sequence
        const whole = [...(yield* Stream.runCollect(trail.jsonLines(one)))]
        deepStrictEqual([read(whole).records, broken(whole), broken(whole.slice(1))], [3, undefined, undefined])
        strictEqual(broken(whole.slice(2)), 1)
        strictEqual(broken(whole.toSpliced(2, 0, whole[0] ?? "")), 2)

        yield* TestClock.adjust("10 days")
        for (const id of ["late-1", "late-2"]) yield* trail.record(client, stated(id, null))
        yield* trail.retain(caller, one, 5 * 86_400_000)
        const rest = [...(yield* Stream.runCollect(trail.jsonLines(one)))]
        const [anchor = "", ...records] = rest
        strictEqual(JSON.parse(anchor).begins_after, 3)
        deepStrictEqual([read(rest).records, broken(rest)], [3, undefined])
        strictEqual(broken(records), 1)
        strictEqual(broken([anchor.slice(0, -3), ...records]), 1)
        strictEqual(broken([anchor.replace(/[0-9a-f]"}$/, 'x"}'), ...records]), 4)
        // The drop's record is the last one; a forged anchor has none.
        strictEqual(broken(rest.slice(0, -1)), 3)
        const [first] = yield* Effect.flatMap(AuditStore, (log) => log.read(one, 3, 1))
        const own = AuditExport.anchorLine({ companyId: one, sequence: 4, hash: first?.hash ?? "" })
        strictEqual(broken([own, ...records.slice(1)]), 4)
      }).pipe(Effect.provide(services))
  )

  it.effect("as CSV quotes what needs quotes and contains no formula", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(0)
      for (const id of ["=1+1", "+1", "-1", "@x", "\t=1", ' =a"b', "plain, with comma"]) {
        yield* trail.record(client, stated(id, null))
      }
      const cells = (yield* stored).map((record) => AuditExport.csvLine(record).split("order,")[1]?.split(",update")[0])
      deepStrictEqual(cells, ["'=1+1", "'+1", "'-1", "'@x", "'\t=1", `"' =a""b"`, '"plain, with comma"'])
      strictEqual(AuditExport.csvHead.split(",").length, 12)
    }).pipe(Effect.provide(services))
  )
})

describe("A search that finds little in a long trail", () => {
  /** A trail that reports 100,000 records, of which few exist, and whose reads take most of a second each. */
  const slow = Effect.gen(function* () {
    const reads = yield* Ref.make(0)
    const log = Layer.effect(
      AuditStore,
      Effect.map(AuditStore, (log) => ({
        ...log,
        heads: () => Effect.succeed([{ companyId: one, sequence: 100_000, hash: "" }]),
        candidates: (...asked: Parameters<typeof log.candidates>) =>
          Effect.andThen(
            Effect.andThen(
              Ref.update(reads, (count) => count + 1),
              TestClock.adjust("900 millis")
            ),
            log.candidates(...asked)
          )
      }))
    )
    const onSlow = (ground: typeof log) =>
      Layer.effect(AuditTrail.AuditTrail, AuditTrail.make).pipe(
        Layer.provideMerge(ground),
        Layer.provideMerge(CompanyWrite.layer),
        Layer.provideMerge(StorageMemory.layer),
        Layer.provide([DigestNode.layer, Ids.layer, NonceNode.layer, agents])
      )
    return { reads, layer: onSlow(log) }
  })

  const searched = (descending: boolean) =>
    Effect.gen(function* () {
      const { layer, reads } = yield* slow
      yield* Effect.gen(function* () {
        const trail = yield* withRecords(3)
        const filter = { ...AuditSearch.everything, words: ["o-2"] }
        const found: Array<string> = []
        const pages: Array<number> = []
        let after: string | null = null
        do {
          const before = yield* Ref.get(reads)
          const page: AuditTrail.Found = yield* trail.search(client, { filter, after, descending, limit: 10 })
          assertTrue((yield* Ref.get(reads)) - before <= 3)
          found.push(...page.records.map(({ entity }) => entity.id))
          pages.push(page.records.length)
          after = page.next
        } while (after !== null)
        deepStrictEqual(found, ["o-2"])
        strictEqual(pages.length, 7)
        strictEqual(yield* Ref.get(reads), 20)
      }).pipe(Effect.provide(layer))
    })

  it.effect("ends after some reads, and its cursor goes on, in either order", () =>
    Effect.forEach([false, true], searched)
  )

  it.effect("reads nothing for a cursor beyond the trail", () =>
    Effect.gen(function* () {
      const { layer, reads } = yield* slow
      yield* Effect.gen(function* () {
        const trail = yield* withRecords(3)
        const search = { filter: AuditSearch.everything, after: "f".repeat(24), limit: 10 }
        deepStrictEqual(yield* trail.search(client, { ...search, descending: false }), { records: [], next: null })
        strictEqual(yield* Ref.get(reads), 0)
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("A page of large records", () => {
  it.effect("ends before it grows beyond four megabytes, and the next page begins after its last record", () =>
    Effect.gen(function* () {
      const trail = yield* withRecords(0)
      for (let n = 0; n < 12; n++) {
        yield* trail.record(client, stated(`o-${n}`, null, { text: "x".repeat(n === 5 ? 5_000_000 : 1_000_000) }))
      }
      const sizes: Array<number> = []
      const ids: Array<string> = []
      for (let after: string | null = null, more = true; more; ) {
        const search: AuditTrail.Search = { filter: AuditSearch.everything, after, descending: false, limit: 100 }
        const { next, records }: AuditTrail.Found = yield* trail.search(client, search)
        sizes.push(records.length)
        ids.push(...records.map(({ entity }) => entity.id))
        after = records.at(-1)?._id ?? null
        more = next !== null
      }
      deepStrictEqual(sizes, [4, 1, 1, 4, 2])
      deepStrictEqual(
        ids,
        Array.from({ length: 12 }, (_, n) => `o-${n}`)
      )
    }).pipe(Effect.provide(services))
  )
})
