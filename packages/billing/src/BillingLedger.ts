/**
 * The one way in which billing writes: agreements, their invoices with numbers, and the audit record, as one unit.
 *
 * The company is locked before anything of its billing is read. A version stops two writers of one agreement, but not two
 * new agreements of which each was made because the other was not there yet.
 */

import { type Caller, Directory } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids, type StaleWrite, type StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agreement } from "./Agreement.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import { clientOf } from "./Customer.ts"
import { type Draft, type Invoice, numberText } from "./Invoice.ts"

/**
 * Agreements of one company as they were and as they are to be, and what is billed for them.
 */
export interface Change {
  readonly before: ReadonlyArray<Agreement>
  readonly after: ReadonlyArray<Agreement>
  readonly drafts: ReadonlyArray<Draft>
  readonly action: string
}

export class BillingLedger extends Context.Service<
  BillingLedger,
  {
    /**
     * Decides about the company's billing as one transaction, with the company locked: no other host decides about it
     * meanwhile. Decides again after a stale write.
     */
    readonly decide: <A, E, R>(
      caller: Caller,
      company: CompanyId,
      decision: Effect.Effect<CompanyWrite.Decision<A>, E | StaleWrite | StorageError, R>
    ) => Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R>
    /** Saves agreements and issues their invoices, with an audit record. */
    readonly billing: (company: CompanyId, change: Change) => CompanyWrite.CompanyChange
  }
>()("@crossdock/billing/BillingLedger") {}

const line = ({ entityId, id, kind, status }: Agreement) => ({ id, kind, entity: entityId, status })

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids
  const { seller } = yield* BillingPolicy

  const decide: typeof BillingLedger.Service.decide = (caller, company, decision) =>
    run(caller, { load: Effect.void, companies: () => [company], decide: () => decision })

  /**
   * Numbers are taken while the company is locked, so that they have no gap.
   */
  const numbered = (companyId: CompanyId, drafts: ReadonlyArray<Draft>, now: number) =>
    Effect.gen(function* () {
      if (drafts.length === 0) return []
      const year = new Date(now).getUTCFullYear()
      const first = yield* store.nextNumber(companyId, year, drafts.length)
      const company = yield* directory.company(companyId)
      const client = clientOf(yield* store.customer(companyId), company?.legalName ?? String(companyId))
      return yield* Effect.forEach(drafts, (draft, nth) =>
        Effect.gen(function* () {
          const status = draft.total > 0 ? "open" : "paid"
          const invoice: Invoice = {
            ...draft,
            id: yield* ids.hex,
            number: numberText(year, first + nth),
            status,
            seller,
            client,
            createdAt: now,
            modifiedAt: now,
            trail: [{ id: yield* ids.hex, status, at: now }],
            payment: { state: "none", attempts: 0, nextAt: draft.total > 0 ? now : null },
            version: 1
          }
          return invoice
        })
      )
    })

  const billing = (companyId: CompanyId, change: Change): CompanyWrite.CompanyChange => {
    const [main] = [...change.after].reverse()
    return {
      companyId,
      entity: { type: `billing-${main?.kind ?? "run"}`, id: main?.id ?? String(companyId), action: change.action },
      save: ({ at }) =>
        Effect.gen(function* () {
          yield* store.save(change.after)
          const invoices = yield* numbered(companyId, change.drafts, at)
          if (invoices.length > 0) yield* store.issue(invoices)
          return {
            request: { name: main?.name },
            response: { invoices: invoices.map(({ currency, number, total }) => ({ number, total, currency })) },
            before: change.before.map(line),
            after: change.after.map(line)
          }
        })
    }
  }

  return BillingLedger.of({ decide, billing })
})

export const layer: Layer.Layer<BillingLedger, never, BillingStore | Directory | CompanyWrite.CompanyWrite | Ids.Ids> =
  Layer.effect(BillingLedger, make)
