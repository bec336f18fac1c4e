/**
 * Every change of a company's data: load and lock what the decision depends on, lock the companies, decide, save, and record
 * the change in the audit trail and its events in the change feed, all in one transaction. When another writer was faster it starts over.
 *
 * Locks are taken in the same order everywhere, so that no two writes deadlock: in `load`, company by company in the order of
 * their ids, shipments by id, then stock levels, then prices, each in the order of their keys and in one statement; then
 * companies by id, here. All writes of a company compete for its row, so it is locked last and for the shortest time. Nothing
 * is locked after it.
 */
import type { Caller } from "@crossdock/access"
import { type CompanyId, Ids, Pipeline, type StaleWrite, type StorageError, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AuditChain from "./AuditChain.ts"
import { AuditLog, type Head, type LockedHead } from "./AuditLog.ts"
import type { AuditBody, AuditEntity, AuditRecord, RecordedBy, Stated } from "./AuditRecord.ts"
import type { EventBatch, EventDraft } from "./CompanyEvent.ts"
import { Digest } from "./Digest.ts"
import { idOf } from "./internal/RecordId.ts"

/**
 * The number and time of a company's change. `changeNumber` is the `sequence` of its audit record: it grows by one with every
 * change of the company, and stock levels are marked with it. `at` is in epoch milliseconds.
 */
export interface Mark {
  readonly changeNumber: number
  readonly at: number
}

/**
 * A change and its audit record; neither is ever written without the other.
 */
export interface CompanyChange<R = never> {
  readonly companyId: CompanyId
  readonly entity: AuditEntity
  readonly stated?: Stated
  /** Saves the change. What it returns must not contain secrets or personal data. */
  readonly save: (mark: Mark) => Effect.Effect<Saved, StaleWrite | StorageError, R>
}

/**
 * What a saved change leaves behind: the logs of its audit record, and its events for the company's feed, in order.
 */
export interface Saved {
  readonly logs: unknown
  readonly events: ReadonlyArray<EventDraft>
}

/**
 * The answer to the caller and the changes to save. Without changes nothing is written.
 */
export interface Decision<A, R = never> {
  readonly answer: A
  readonly changes: ReadonlyArray<CompanyChange<R>>
}

/**
 * The parts of a write that its caller provides.
 */
export interface Write<Loaded, A, E, R> {
  /** Reads and locks what the decision depends on. */
  readonly load: Effect.Effect<Loaded, E, R>
  /** The companies that the changes may belong to. */
  readonly companies: (loaded: Loaded) => ReadonlyArray<CompanyId>
  /**
   * Decides on answer and changes. Other writes of these companies can't change what it reads, such as the invoice numbers
   * in use.
   */
  readonly decide: (loaded: Loaded, at: number) => Effect.Effect<Decision<A, R>, E, R>
}

/**
 * Runs writes. It is the only way to append to an audit trail.
 */
export class CompanyWrite extends Context.Service<
  CompanyWrite,
  {
    /** Writes at most one change per company. A change of a company that `companies` didn't return is a defect. */
    readonly run: <Loaded, A, E, R>(
      caller: Caller,
      write: Write<Loaded, A, E | StaleWrite | StorageError, R>
    ) => Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R>
  }
>()("@crossdock/audit/CompanyWrite") {}

/**
 * `CompanyWrite`, the only way to append to an audit trail, made from `AuditLog`, `Digest`, `Ids` and `Transaction`.
 */
export const make = Effect.gen(function* () {
  const log = yield* AuditLog
  const digest = yield* Digest
  const ids = yield* Ids.Ids
  const retrying = Transaction.retrying(yield* Transaction.Transaction)

  /** Saves the changes, links their records to the companies' chains and numbers their events. */
  const record = <R>(
    caller: Caller,
    heads: ReadonlyArray<LockedHead>,
    changes: ReadonlyArray<CompanyChange<R>>,
    at: number
  ) =>
    Effect.gen(function* () {
      const records: Array<AuditRecord> = []
      const batches: Array<EventBatch> = []
      for (const change of changes) {
        const head = heads.find(({ companyId }) => companyId === change.companyId)
        if (head === undefined) return yield* Effect.die(new Error(`Company ${change.companyId} is not locked`))
        const mark = { changeNumber: head.sequence + 1, at }
        const { events, logs } = yield* change.save(mark)
        if (events.length > 0) batches.push(batchOf(head, mark, events))
        records.push(sealed(change, logs, head, { id: yield* ids.hex, at, caller, sha256: digest.sha256 }))
      }
      if (records.length > 0) yield* log.append(records, batches)
    })

  const run: typeof CompanyWrite.Service.run = (caller, { companies, decide, load }) =>
    retrying(
      Effect.gen(function* () {
        const loaded = yield* load
        const heads = yield* log.lock([...new Set(companies(loaded))].sort((a, b) => a - b))
        const at = yield* Clock.currentTimeMillis
        const { answer, changes } = yield* decide(loaded, at)
        // The companies are locked: nothing waits for an answer before the last write is sent.
        yield* Pipeline.writes(record(caller, heads, changes, at))
        return answer
      })
    ).pipe(Effect.withSpan("CompanyWrite.run"))

  return CompanyWrite.of({ run })
})

/**
 * The principal of a caller, as the trail shows it.
 */
const recordedBy = ({ principal }: Caller): RecordedBy => ({
  kind: principal.kind,
  id: principal.id,
  ...("companyId" in principal ? { company_id: principal.companyId } : {})
})

const batchOf = (
  { companyId, events }: LockedHead,
  { at, changeNumber }: Mark,
  drafts: ReadonlyArray<EventDraft>
): EventBatch => ({ companyId, first: events + 1, change: changeNumber, at, drafts })

const sealed = <R>(
  { companyId, entity, stated }: CompanyChange<R>,
  logs: unknown,
  head: Head,
  stamp: {
    readonly id: string
    readonly at: number
    readonly caller: Caller
    readonly sha256: (text: string) => string
  }
): AuditRecord => {
  const sequence = head.sequence + 1
  const id = idOf(sequence, stamp.id)
  const body = JSON.stringify({
    _id: id,
    company: companyId,
    sequence,
    at: stamp.at,
    entity,
    recorded_by: recordedBy(stamp.caller),
    request_id: stamp.caller.requestId,
    ...(stated === undefined ? {} : statedBody(stated, stamp.sha256)),
    logs
  } satisfies AuditBody)
  return {
    companyId,
    sequence,
    id,
    at: stamp.at,
    entityType: entity.type,
    entityId: entity.id,
    action: entity.action,
    body,
    hash: AuditChain.hashOf(head.hash, body, stamp.sha256),
    personal: stated?.personal ?? null
  }
}

const statedBody = ({ application, meta, personal }: Stated, sha256: (text: string) => string) => ({
  ...(application === null ? {} : { application }),
  ...(meta === null ? {} : { meta }),
  ...(personal === null ? {} : { personal_digest: sha256(personal) })
})

/**
 * The decision that writes nothing, such as when every record was rejected.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyWrite } from "@crossdock/audit"
 *
 * const decision = CompanyWrite.nothing({ accepted: 0, rejected: 2 })
 * deepStrictEqual(decision, { answer: { accepted: 0, rejected: 2 }, changes: [] })
 * ```
 */
export const nothing = <A>(answer: A): Decision<A> => ({ answer, changes: [] })

/**
 * Provides `CompanyWrite`. Requires `AuditLog`, `Digest` for the hash chain, `Ids` for the records' ids and `Transaction`.
 */
export const layer: Layer.Layer<CompanyWrite, never, AuditLog | Digest | Ids.Ids | Transaction.Transaction> =
  Layer.effect(CompanyWrite, make)
