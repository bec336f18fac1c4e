/**
 * Makes every change of a company's data in one transaction. If another writer was faster, the write starts over.
 *
 * Locks are always taken in the same order, so that no two writes deadlock. `load` takes its locks company by company, by
 * id. In each company it locks shipments by id, then stock levels by key, then prices by key, each kind in one statement.
 * Shipments come first, because only they name the levels that a move changes.
 * Afterwards this module locks the companies by id. After that, only storages lock rows: their counts and due endpoints.
 */
import type { Caller } from "@crossdock/access"
import type { CompanyId, StaleWrite, StorageError, Stored } from "@crossdock/kernel"
import { Ids, required, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AuditBody, AuditEntity, LockedHead, NextRecord, RecordedBy, Stated } from "./AuditChain.ts"
import * as AuditChain from "./AuditChain.ts"
import { AuditStore } from "./AuditStore.ts"
import type { EventDraft } from "./CompanyEvent.ts"

/** The number of a company's change and of its audit record. It is an effect if the storage assigns it on arrival. */
export type ChangeNumber = number | Stored<number>

/** The number itself. Waits if the storage is still to assign it. */
export const knownNumber = (number: ChangeNumber): Stored<number> =>
  typeof number === "number" ? Effect.succeed(number) : number

/** The number and time of a change. Only storages use `changeNumber`; `at` is in epoch milliseconds. */
export interface Mark {
  readonly changeNumber: ChangeNumber
  readonly at: number
}

/** A change and its audit record. Neither is ever written without the other. */
export interface CompanyChange<R = never> {
  readonly companyId: CompanyId
  readonly entity: AuditEntity
  readonly stated?: Stated
  /** Inserts the new rows of this change, before `save` and possibly before the company is locked. Their ids must be new. */
  readonly saveNew?: Stored<void, StaleWrite, R>
  /**
   * Saves the change. It only writes, and each write fails unless the stored version is the one that was read. The result
   * must not contain secrets or personal data.
   */
  readonly save: (mark: Mark) => Stored<Saved, StaleWrite, R>
}

/** The logs for the audit record of a change, and its events for the company's feed, in order. */
export interface Saved {
  readonly logs: unknown
  readonly events: ReadonlyArray<EventDraft>
}

/** The answer to the caller, and the changes to save. If there are no changes, nothing is written. */
export interface Decision<A, R = never> {
  readonly answer: A
  readonly changes: ReadonlyArray<CompanyChange<R>>
}

/** The parts of a write that the caller of `run` provides. */
export interface Write<Loaded, A, E, R> {
  /** Reads and locks the rows that the decision depends on. */
  readonly load: Effect.Effect<Loaded, E, R>
  /**
   * The companies to lock before `decide`: all that may change, or none. Lock them if `decide` depends on data that `load`
   * didn't lock and that no write checks by version, such as rows that may not exist yet.
   */
  readonly lockFirst?: (loaded: Loaded) => ReadonlyArray<CompanyId>
  readonly decide: (loaded: Loaded, at: number) => Effect.Effect<Decision<A, R>, E, R>
}

/** Runs writes. No other service can append to an audit trail. */
export class CompanyWrite extends Context.Service<
  CompanyWrite,
  {
    /** Makes a write, with at most one change per company. If `lockFirst` returns companies, only these may change. */
    readonly run: <Loaded, A, E, R>(
      caller: Caller,
      write: Write<Loaded, A, E | StaleWrite | StorageError, R>
    ) => Stored<A, Exclude<E, StaleWrite>, R>
  }
>()("@crossdock/audit/CompanyWrite") {}

/** Makes `CompanyWrite` from its ports. */
export const make = Effect.gen(function* () {
  const log = yield* AuditStore
  const digest = yield* AuditChain.Digest
  const ids = yield* Ids.Ids
  const retrying = Transaction.retrying(yield* Transaction.Transaction)

  /** Saves the changes of a storage that numbers records on arrival. New rows are saved before companies are locked. */
  const recordNext = <R>(changes: ReadonlyArray<CompanyChange<R>>, stamp: Stamp, appendNext: Append) =>
    Effect.gen(function* () {
      const companies = ascending(changes)
      for (const { saveNew = Effect.void } of changes) yield* saveNew
      const locked = yield* Transaction.started(
        Effect.tap(log.lock(companies), (heads) =>
          heads.length === companies.length
            ? Effect.void
            : Effect.die(new Error(`One of the companies ${companies.join()} is not registered`))
        )
      )
      const records: Array<NextRecord> = []
      for (const change of changes) {
        const changeNumber = Effect.map(locked, (heads) => required(headOf(heads, change), "the head").sequence + 1)
        const saved = yield* change.save({ changeNumber, at: stamp.at })
        records.push(recordOf(change, saved, yield* ids.hex, stamp))
      }
      yield* appendNext(records)
    })

  /** Saves the changes of locked companies, adds their records to the companies' chains, and gives their events numbers. */
  const record = <R>(changes: ReadonlyArray<CompanyChange<R>>, stamp: Stamp, heads: ReadonlyArray<LockedHead>) =>
    Effect.gen(function* () {
      const written: Array<ReturnType<typeof AuditChain.sealed>> = []
      for (const change of changes) {
        const head = headOf(heads, change)
        if (head === undefined) return yield* Effect.die(new Error(`Company ${change.companyId} is not locked`))
        yield* change.saveNew ?? Effect.void
        const saved = yield* change.save({ changeNumber: head.sequence + 1, at: stamp.at })
        written.push(AuditChain.sealed(head, recordOf(change, saved, yield* ids.hex, stamp), digest.sha256))
      }
      const [records, batches] = [written.map(({ record }) => record), written.flatMap(({ batch }) => batch ?? [])]
      yield* log.append(records, batches)
    })

  const run: typeof CompanyWrite.Service.run = (caller, { decide, load, lockFirst }) =>
    retrying(
      Effect.gen(function* () {
        const loaded = yield* load
        const early = sorted(lockFirst?.(loaded) ?? [])
        const first = early.length === 0 ? undefined : yield* log.lock(early)
        const at = yield* Clock.currentTimeMillis
        const { answer, changes } = yield* decide(loaded, at)
        if (changes.length === 0) return answer
        if (ascending(changes).length < changes.length)
          return yield* Effect.die(new Error("Two changes of one company"))
        const stamp = { at, caller, sha256: digest.sha256 }
        // From here on, nothing waits for the database's answers, unless a `save` reads.
        if (first !== undefined) yield* Transaction.writes(record(changes, stamp, first))
        else if (log.appendNext !== undefined) yield* Transaction.writes(recordNext(changes, stamp, log.appendNext))
        else yield* Transaction.writes(record(changes, stamp, yield* log.lock(ascending(changes))))
        return answer
      })
    ).pipe(Effect.withSpan("CompanyWrite.run", undefined, { captureStackTrace: false }))

  return CompanyWrite.of({ run })
})

const recordedBy = ({ principal }: Caller): RecordedBy => ({
  kind: principal.kind,
  id: principal.id,
  ...("companyId" in principal ? { company_id: principal.companyId } : {})
})

const sorted = (companies: Iterable<CompanyId>) => [...new Set(companies)].sort((a, b) => a - b)

const ascending = (changes: ReadonlyArray<Pick<CompanyChange, "companyId">>) =>
  sorted(changes.map(({ companyId }) => companyId))

const headOf = (heads: ReadonlyArray<LockedHead>, { companyId }: Pick<CompanyChange, "companyId">) =>
  heads.find((head) => head.companyId === companyId)

type Append = NonNullable<typeof AuditStore.Service.appendNext>

interface Stamp {
  readonly at: number
  readonly caller: Caller
  readonly sha256: (text: string) => string
}

const recordOf = <R>(
  { companyId, entity, stated }: CompanyChange<R>,
  { events, logs }: Saved,
  random: string,
  { at, caller, sha256 }: Stamp
): NextRecord => {
  const content = JSON.stringify({
    at,
    entity,
    recorded_by: recordedBy(caller),
    request_id: caller.requestId,
    ...(stated === undefined ? {} : statedBody(stated, sha256)),
    logs
  } satisfies Omit<AuditBody, "_id" | "company" | "sequence">)
  return {
    companyId,
    random,
    at,
    entityType: entity.type,
    entityId: entity.id,
    action: entity.action,
    // `sealed` puts the opening brace and the fields with the record's number before this content.
    content: content.slice(1),
    personal: stated?.personal ?? null,
    events
  }
}

const statedBody = ({ application, meta, personal }: Stated, sha256: (text: string) => string) => ({
  ...(application === null ? {} : { application }),
  ...(meta === null ? {} : { meta }),
  ...(personal === null ? {} : { personal_digest: sha256(personal) })
})

/**
 * The decision to write nothing, for example because every record was rejected.
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

export const layer = Layer.effect(CompanyWrite, make)
