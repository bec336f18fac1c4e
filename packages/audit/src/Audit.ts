/**
 * Use case: write down what a change did, in the transaction of the change.
 */

import type { Caller } from "@crossdock/access"
import { type CompanyId, Ids, type StaleWrite, type StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog, type Head } from "./AuditLog.ts"
import { type AuditBody, type AuditEntry, type AuditRecord, idOf, recordedBy, type Stated } from "./AuditRecord.ts"
import { Digest } from "./Digest.ts"

/**
 * The companies that a change is held for. The number that the change's record will have is also the number that marks
 * the stock levels it touched: it grows with every commit of the company.
 */
export interface Held {
  readonly heads: ReadonlyArray<Head>
  readonly number: (company: CompanyId) => number
}

export class Audit extends Context.Service<
  Audit,
  {
    /** Inside a transaction, after all other locks. */
    readonly hold: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<Held, StorageError>
    /** One record for each held company; an entry of a company that is not held is a defect. */
    readonly append: (
      held: Held,
      caller: Caller,
      entries: ReadonlyArray<AuditEntry>
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/audit/Audit") {}

export const make = Effect.gen(function* () {
  const log = yield* AuditLog
  const digest = yield* Digest
  const ids = yield* Ids.Ids

  const hold = Effect.fn("Audit.hold")(function* (companies: ReadonlyArray<CompanyId>) {
    const heads = yield* log.hold([...new Set(companies)].sort((a, b) => a - b))
    const numbers = new Map(heads.map((head) => [head.companyId, head.sequence + 1]))
    return { heads, number: (company: CompanyId) => numbers.get(company) ?? 0 }
  })

  const append = Effect.fn("Audit.append")(function* (held: Held, caller: Caller, entries: ReadonlyArray<AuditEntry>) {
    const at = yield* Clock.currentTimeMillis
    const records: Array<AuditRecord> = []
    for (const entry of entries) {
      const head = held.heads.find((one) => one.companyId === entry.companyId)
      if (head === undefined) return yield* Effect.die(new Error(`Company ${entry.companyId} is not held`))
      records.push(sealed(entry, head, { id: yield* ids.hex, at, caller, sha256: digest.sha256 }))
    }
    if (records.length > 0) yield* log.append(records)
  })

  return Audit.of({ hold, append })
})

const sealed = (
  entry: AuditEntry,
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
    company: entry.companyId,
    sequence,
    at: stamp.at,
    entity: entry.entity,
    recorded_by: recordedBy(stamp.caller),
    request_id: stamp.caller.requestId,
    ...(entry.stated === undefined ? {} : statedBody(entry.stated, stamp.sha256)),
    logs: entry.logs
  } satisfies AuditBody)
  return {
    companyId: entry.companyId,
    sequence,
    id,
    at: stamp.at,
    entityType: entry.entity.type,
    entityId: entry.entity.id,
    action: entry.entity.action,
    body,
    hash: stamp.sha256(head.hash + body),
    personal: entry.stated?.personal ?? null
  }
}

const statedBody = ({ application, meta, personal }: Stated, sha256: (text: string) => string) => ({
  ...(application === null ? {} : { application }),
  ...(meta === null ? {} : { meta }),
  ...(personal === null ? {} : { personal_digest: sha256(personal) })
})

export const layer: Layer.Layer<Audit, never, AuditLog | Digest | Ids.Ids> = Layer.effect(Audit, make)
