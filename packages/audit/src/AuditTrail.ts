/** Use cases that record changes of other systems, and that search, verify, erase and drop records. */
import type { Caller, PlatformClient } from "@crossdock/access"
import { type CompanyId, Ids, type StorageError, type Stored } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AuditEntity, AuditRecord, AuditView, FreeForm, Head, Personal, Stated } from "./AuditChain.ts"
import * as AuditChain from "./AuditChain.ts"
import { personalIn, recordId, recordSequence, UserAgents, viewOf } from "./AuditChain.ts"
import * as AuditExport from "./AuditExport.ts"
import * as AuditProof from "./AuditProof.ts"
import { type AuditFilter, matches } from "./AuditSearch.ts"
import { AuditStore } from "./AuditStore.ts"
import * as CompanyWrite from "./CompanyWrite.ts"
import * as Contact from "./Contact.ts"
import * as MerkleTree from "./MerkleTree.ts"
import * as Redaction from "./Redaction.ts"

/** A change that a caller states. Source: docs/reference/audit.md#create. */
export interface StatedLog {
  readonly entity: AuditEntity
  readonly application: string | null
  readonly modifier: FreeForm | null
  readonly deviceInfo: FreeForm | null
  readonly location: FreeForm | null
  readonly sessions: string | null
  readonly payload: FreeForm
}

/** A page of a search. `after` is the `next` of the previous page, or null. Source: docs/reference/audit.md#list. */
export interface Search {
  readonly filter: AuditFilter
  readonly after: string | null
  readonly descending: boolean
  readonly limit: number
}

/** The result of a search. `next` is null at the end. A page may be empty although it has a `next`. */
export interface Found {
  readonly records: ReadonlyArray<AuditView>
  readonly next: string | null
}

/** The result of verifying a trail: the number of intact records, their head and Merkle root, and the first break. */
export interface Verification {
  readonly records: number
  readonly head: Head
  readonly root: string
  readonly broken: AuditChain.Break | undefined
}

/** Determines which fields of stated payloads are secret or personal. By default it is `Redaction.defaultPolicy`. */
export const AuditPolicy = Context.Reference<Redaction.RedactionPolicy>("@crossdock/audit/AuditPolicy", {
  defaultValue: () => Redaction.defaultPolicy
})

export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Records a stated change without its secrets. The record can be read as soon as this returns. */
    readonly record: (caller: Caller<PlatformClient>, stated: StatedLog) => Stored<void>
    /** The record with this id. The result is undefined if the company has no such record. */
    readonly find: (caller: Caller<PlatformClient>, id: string) => Stored<AuditView | undefined>
    /** A page of matching records, sorted by number. */
    readonly search: (caller: Caller<PlatformClient>, search: Search) => Stored<Found>
    /** The entity types of all records, sorted and without duplicates. */
    readonly entityTypes: (caller: Caller<PlatformClient>) => Stored<ReadonlyArray<string>>
    /** All records, oldest first. */
    readonly records: (company: CompanyId) => Stream.Stream<AuditRecord, StorageError>
    /** The whole trail as lines of text. `AuditExport.read` can verify these lines without the database. */
    readonly jsonLines: (company: CompanyId) => Stream.Stream<string, StorageError>
    /** Reads the whole trail and returns its first break. Source: docs/reference/audit.md#chain. */
    readonly verify: (company: CompanyId) => Stored<Verification>
    /** Proves that the record `sequence` is one of the first `size` records. Undefined if a record is missing. */
    readonly proveRecord: (
      company: CompanyId,
      sequence: number,
      size: number
    ) => Stored<AuditProof.RecordProof | undefined>
    /** Proves that the first `size` records begin with the first `first` records. Undefined if a record is missing. */
    readonly proveContinuation: (
      company: CompanyId,
      first: number,
      size: number
    ) => Stored<AuditProof.ContinuationProof | undefined>
    /**
     * Erases the personal part of every record that contains `person`, such as a user id, an email address or a name.
     * Returns the number of erased parts. If the purge of the files fails, erase again.
     * Source: docs/reference/audit.md#personal-data.
     */
    readonly erase: (caller: Caller, company: CompanyId, person: string) => Stored<number>
    /** Drops records older than `before` (epoch milliseconds), up to `through`, but never the last. Returns how many. */
    readonly retain: (caller: Caller, company: CompanyId, before: number, through?: number) => Stored<number>
  }
>()("@crossdock/audit/AuditTrail") {}

const pageSize = 500

/** A read covers at most this many record numbers, so that other users of the database get their turn. */
const numbersPerRead = 5_000
const searchMillis = 2_000

/** The random part of the cursor of an unfinished search. It looks like that of a record's id, but no record has it. */
const noRandom = "0".repeat(24)

/** The first read is small, since a record can be a megabyte. */
const firstRead = 25
const maxAnswerLength = 4 * 2 ** 20

const withoutSecrets = (log: StatedLog, policy: Redaction.RedactionPolicy): StatedLog => {
  const safe = (one: FreeForm | null) => (one === null ? null : Redaction.withoutSecrets(one, policy))
  return {
    ...log,
    modifier: safe(log.modifier),
    deviceInfo: safe(log.deviceInfo),
    location: safe(log.location),
    payload: Redaction.withoutSecrets(log.payload, policy)
  }
}

/** The personal part of a log. It is undefined if nothing in the log identifies a person. */
const personalOf = (salt: string, log: StatedLog, open: FreeForm): Personal | undefined => {
  const { deviceInfo, location, modifier, payload, sessions } = log
  const logs = JSON.stringify(payload) === JSON.stringify(open) ? null : payload
  const stated = Object.entries({ modifier, device_info: deviceInfo, location, sessions, logs })
  const personal = stated.filter(([, part]) => part !== null)
  return personal.length === 0 ? undefined : { salt, ...Object.fromEntries(personal) }
}

/** Whether a value contains `person`: a telephone number in a contact field, or any other text as a whole value. */
const naming = (person: string, policy: Redaction.RedactionPolicy) => {
  const [text, number] = [Contact.folded(person), Contact.telephone(person)]
  const namesContact = Redaction.namesContact(policy)
  const names = (value: unknown, isContact: boolean): boolean => {
    if (typeof value === "object" && value !== null)
      return Object.entries(value).some(([name, inner]) => names(inner, isContact || namesContact(name)))
    if (typeof value !== "string" && typeof value !== "number") return false
    const own = String(value)
    return (
      Contact.folded(own) === text || (isContact && number !== undefined && Contact.telephones(own).includes(number))
    )
  }
  return (value: unknown): boolean => text !== "" && names(value, false)
}

export const make = Effect.gen(function* () {
  const log = yield* AuditStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const digest = yield* AuditChain.Digest
  const nonce = yield* Ids.Nonce
  const agents = yield* UserAgents
  const policy = yield* AuditPolicy
  const proofs = AuditProof.make(log, digest)

  const after = ({ companyId, sequence }: Head) =>
    Stream.paginate(sequence, (last) =>
      Effect.map(
        log.read(companyId, last, pageSize),
        (page) => [page, page.length < pageSize ? Option.none() : Option.fromNullishOr(page.at(-1)?.sequence)] as const
      )
    )

  const records = (company: CompanyId) => Stream.unwrap(Effect.map(log.anchor(company), after))

  const entityOf = (company: CompanyId, action: string): AuditEntity => ({
    type: AuditChain.dropping.type,
    id: String(company),
    action
  })

  return AuditTrail.of({
    record: Effect.fn("AuditTrail.record")(function* (caller, stated) {
      const { companyId } = caller.principal
      const safe = withoutSecrets(stated, policy)
      const logs = safe.payload
      const open = Redaction.withoutPersonalData(logs, policy)
      const personal = personalOf(yield* nonce.hex, safe, open)
      const userAgent = safe.deviceInfo?.user_agent
      const kept: Stated = {
        application: stated.application,
        meta: typeof userAgent === "string" && userAgent !== "" ? agents.describe(userAgent) : null,
        personal: personal === undefined ? null : JSON.stringify(personal)
      }
      const save = () => Effect.succeed({ logs: open, events: [] })
      yield* run(caller, {
        load: Effect.void,
        decide: () =>
          Effect.succeed({ answer: undefined, changes: [{ companyId, entity: stated.entity, stated: kept, save }] })
      })
    }),

    find: Effect.fn("AuditTrail.find")(function* ({ principal }, id) {
      const sequence = recordSequence(id)
      if (sequence === undefined) return undefined
      const [found] = yield* log.read(principal.companyId, sequence - 1, 1)
      return found?.id === id ? viewOf(found) : undefined
    }),

    search: Effect.fn("AuditTrail.search")(function* ({ principal }, { after, descending, filter, limit }) {
      const { companyId } = principal
      const began = yield* Clock.currentTimeMillis
      const oldest = (yield* log.anchor(companyId)).sequence + 1
      const newest = (yield* log.heads([companyId]))[0]?.sequence ?? 0
      const end = descending ? oldest : newest
      const start = descending ? newest + 1 : oldest - 1
      const given = after === null ? start : (recordSequence(after) ?? start)
      let from = Math.min(Math.max(given, oldest - 1), newest + 1)
      const records: Array<AuditView> = []
      let length = 0
      for (let size = Math.min(limit + 1, firstRead); descending ? from > end : from < end; size = pageSize) {
        if ((yield* Clock.currentTimeMillis) - began > searchMillis) return { records, next: recordId(from, noRandom) }
        const through = descending ? Math.max(end, from - numbersPerRead) : Math.min(end, from + numbersPerRead)
        const page = yield* log.candidates(companyId, filter, { after: from, through, descending, limit: size })
        for (const record of page) {
          const view = viewOf(record)
          if (!matches(filter, view)) continue
          length += record.body.length + (record.personal?.length ?? 0)
          if (records.length === limit || (records.length > 0 && length > maxAnswerLength))
            return { records, next: records.at(-1)?._id ?? null }
          records.push(view)
        }
        from = page.length < size ? through : (page.at(-1)?.sequence ?? through)
      }
      return { records, next: null }
    }),

    entityTypes: ({ principal }) => log.entityTypes(principal.companyId),
    records,

    jsonLines: (company) =>
      Stream.unwrap(
        Effect.map(log.anchor(company), (anchor) =>
          Stream.concat(Stream.succeed(AuditExport.anchorLine(anchor)), Stream.map(after(anchor), AuditExport.jsonLine))
        )
      ),

    verify: Effect.fn("AuditTrail.verify")(function* (company) {
      const start = yield* log.anchor(company)
      // The head is read first, so records appended meanwhile are left for the next verification.
      const [expected = start] = yield* log.lock([company])
      let [reached, broken]: readonly [Head, AuditChain.Break | undefined] = [start, undefined]
      let isDropRecorded = false
      let peaks = yield* proofs.droppedPeaks(start)
      for (;;) {
        const page = (yield* log.read(company, reached.sequence, pageSize)).filter(
          (one) => one.sequence <= expected.sequence
        )
        const result = AuditChain.follow(reached, page, digest.sha256)
        for (const { hash } of page) peaks = MerkleTree.added(digest.sha256, peaks, hash)
        reached = result.head
        broken = result.broken
        isDropRecorded ||= page.some((one) => AuditChain.isDropRecord(start, one))
        if (broken !== undefined || page.length < pageSize) break
      }
      return {
        records: reached.sequence - start.sequence,
        head: reached,
        root: MerkleTree.root(digest.sha256, peaks),
        broken: broken ?? AuditChain.endFault(reached, expected) ?? AuditChain.unrecordedDrop(start, isDropRecorded)
      }
    }),

    proveRecord: proofs.record,
    proveContinuation: proofs.continuation,

    erase: Effect.fn("AuditTrail.erase")(function* (caller, company, person) {
      const names = naming(person, policy)
      const load = records(company).pipe(
        Stream.filter((record) => record.personal !== null && names(personalIn(record))),
        Stream.map(({ sequence }) => sequence),
        Stream.runCollect
      )
      const erased = yield* run(caller, {
        load,
        decide: (sequences) => {
          if (sequences.length === 0) return Effect.succeed(CompanyWrite.nothing(0))
          const save = () =>
            Effect.as(log.erase(company, sequences), { logs: { request: {}, response: { sequences } }, events: [] })
          const changes = [{ companyId: company, entity: entityOf(company, "erase"), save }]
          return Effect.succeed({ answer: sequences.length, changes })
        }
      })
      // Purge even if nothing was left to erase, since an earlier purge may have failed.
      yield* log.purge
      return erased
    }),

    retain: Effect.fn("AuditTrail.retain")((caller, company, before, through) =>
      run(caller, {
        load: Effect.void,
        lockFirst: () => [company],
        decide: Effect.fnUntraced(function* () {
          const anchor = yield* log.anchor(company)
          const [head = anchor] = yield* log.lock([company])
          const last = Math.min(through ?? head.sequence, head.sequence - 1)
          const kept = { ...anchor, peaks: yield* proofs.droppedPeaks(anchor) }
          const dropped = (head: typeof kept, { hash, sequence }: AuditRecord) => {
            const peaks = MerkleTree.added(digest.sha256, head.peaks, hash)
            return { ...head, hash, sequence, peaks }
          }
          const { hash, peaks, sequence } = yield* records(company).pipe(
            Stream.takeWhile(({ at, sequence }) => at < before && sequence <= last),
            Stream.runFold(() => kept, dropped)
          )
          if (sequence === anchor.sequence) return CompanyWrite.nothing(0)
          const save = () =>
            Effect.as(log.drop({ companyId: company, hash, sequence }), {
              logs: { request: { before }, response: { up_to: sequence, hash, peaks: peaks.hashes } },
              events: []
            })
          const entity = entityOf(company, AuditChain.dropping.action)
          return { answer: sequence - anchor.sequence, changes: [{ companyId: company, entity, save }] }
        })
      })
    )
  })
})

export const layer = Layer.effect(AuditTrail, make)
