/**
 * Writes agreements, their invoices and the audit record in one transaction that locks the company first. Versions alone
 * don't prevent two concurrent writes from each making a new agreement.
 */
import { type Caller, Directory } from "@crossdock/access"
import { AuditChain, CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids, type StaleWrite, type Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agreement } from "./Agreement.ts"
import * as BillingFeed from "./BillingFeed.ts"
import { BillingPolicy, InvoiceNumber } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import { clientOf } from "./Customer.ts"
import type { Draft, Invoice } from "./Invoice.ts"

/** The agreements of one company before and after a change, and the invoices to issue for them. */
export interface Change {
  readonly before: ReadonlyArray<Agreement>
  readonly after: ReadonlyArray<Agreement>
  readonly drafts: ReadonlyArray<Draft>
  readonly action: string
}

type Decided<Step extends Effect.Effect<unknown, unknown>> = ReturnType<typeof Effect.gen<Step, unknown>>

/** Writes billing data. */
export class BillingLedger extends Context.Service<
  BillingLedger,
  {
    /** Makes a decision in a transaction that has locked the company. A stale write is retried. */
    readonly write: <A, Step extends Effect.Effect<unknown, unknown>>(
      caller: Caller,
      company: CompanyId,
      decision: () => Generator<Step, CompanyWrite.Decision<A>, never>
    ) => Stored<A, Exclude<Effect.Error<Decided<Step>>, StaleWrite>, Effect.Services<Decided<Step>>>
    /** Makes the change that saves agreements, issues their invoices and writes the audit record. */
    readonly companyChange: (company: CompanyId, change: Change) => CompanyWrite.CompanyChange
  }
>()("@crossdock/billing/BillingLedger") {}

const line = ({ entityId, id, kind, status }: Agreement) => ({ id, kind, entity: entityId, status })

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids
  const { sha256 } = yield* AuditChain.Digest
  const { seller } = yield* BillingPolicy
  const invoiceNumber = yield* InvoiceNumber

  const write: typeof BillingLedger.Service.write = (caller, company, decision) =>
    run(caller, { load: Effect.void, lockFirst: () => [company], decide: () => Effect.gen(decision) })

  /** The id of an invoice, derived from its period, so that the provider recognizes its payment even after a restore. */
  const idOf = ({ agreementId, index }: Draft): string => sha256(`invoice ${index} of ${agreementId}`).slice(0, 24)

  /** Gives invoices their numbers. The company is locked meanwhile, so that the numbers have no gaps. */
  const numbered = Effect.fnUntraced(function* (companyId: CompanyId, drafts: ReadonlyArray<Draft>, now: number) {
    if (drafts.length === 0) return []
    const year = new Date(now).getUTCFullYear()
    const first = yield* store.nextNumber(companyId, year, drafts.length)
    const company = yield* directory.company(companyId)
    const client = clientOf(yield* store.customer(companyId), company?.legalName ?? String(companyId))
    return yield* Effect.forEach(drafts, (draft, nth) =>
      Effect.map(ids.hex, (hex): Invoice => {
        const status = draft.total > 0 ? "open" : "paid"
        return {
          ...draft,
          id: idOf(draft),
          number: invoiceNumber(year, first + nth),
          status,
          seller,
          client,
          createdAt: now,
          modifiedAt: now,
          trail: [{ id: hex, status, at: now }],
          payment: { state: "none", attempts: 0, nextAt: draft.total > 0 ? now : null },
          version: 1
        }
      })
    )
  })

  const companyChange = (companyId: CompanyId, change: Change): CompanyWrite.CompanyChange => {
    const [main] = [...change.after].reverse()
    return {
      companyId,
      entity: { type: `billing-${main?.kind ?? "run"}`, id: main?.id ?? String(companyId), action: change.action },
      save: Effect.fnUntraced(function* ({ at }) {
        yield* store.save(change.after)
        const invoices = yield* numbered(companyId, change.drafts, at)
        if (invoices.length > 0) yield* store.issue(invoices)
        const logs = {
          request: { name: main?.name },
          response: { invoices: invoices.map(BillingFeed.loggedOf) },
          before: change.before.map(line),
          after: change.after.map(line)
        }
        const statuses = BillingFeed.statusesOf(change.before, change.after)
        return { logs, events: [...statuses, ...BillingFeed.issuedOf(invoices)] }
      })
    }
  }

  return BillingLedger.of({ write, companyChange })
})

export const layer = Layer.effect(BillingLedger, make)
