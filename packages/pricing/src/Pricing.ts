/**
 * Use case: bulk price updates.
 */

import { type Caller, type Integration, mayUse } from "@crossdock/access"
import { Audit } from "@crossdock/audit"
import { Bulk, type StorageError, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Price from "./Price.ts"
import { PriceStore } from "./PriceStore.ts"

/**
 * The pricing policy of a host; without it, ESP never exceeds MRP.
 */
export const Policy = Context.Reference<typeof Price.defaultPolicy>("@crossdock/pricing/Policy", {
  defaultValue: () => Price.defaultPolicy
})

export class Pricing extends Context.Service<
  Pricing,
  {
    /**
     * Sets MRP and ESP. Records that could not be read keep their refusal; all that are accepted become visible together,
     * with one audit record. Document 1, Price record.
     */
    readonly setPrices: (
      caller: Caller<Integration>,
      records: ReadonlyArray<Result.Result<Price.PriceRecord, Bulk.Refusal>>
    ) => Effect.Effect<Bulk.Summary, StorageError>
  }
>()("@crossdock/pricing/Pricing") {}

export const make = Effect.gen(function* () {
  const store = yield* PriceStore
  const audit = yield* Audit.Audit
  const transaction = yield* Transaction.Transaction
  const policy = yield* Policy

  const setPrices = Effect.fn("Pricing.setPrices")(function* (
    caller: Caller<Integration>,
    records: ReadonlyArray<Result.Result<Price.PriceRecord, Bulk.Refusal>>
  ) {
    const { companyId, integrationId } = caller.principal
    const keys = records.flatMap((record) => (Result.isSuccess(record) ? [record.success] : []))
    if (keys.length === 0) return Bulk.summarize(records)
    return yield* Transaction.decide(transaction)(
      Effect.gen(function* () {
        const found = yield* store.load(companyId, keys)
        const outcomes = Bulk.judgeDecoded(records, (sound) =>
          Price.judge(
            policy,
            sound.map((input, i) => ({ ...input, price: visible(caller.principal, input.record.location, found[i]) }))
          )
        )
        const summary = Bulk.summarize(outcomes)
        const accepted = outcomes.flatMap((outcome) => (Result.isSuccess(outcome) ? [outcome.success] : []))
        if (accepted.length === 0) return summary
        const held = yield* audit.hold([companyId])
        yield* store.save(companyId, yield* Clock.currentTimeMillis, accepted)
        yield* audit.append(held, caller, [
          { companyId, entity: { type: "price", id: integrationId, action: "set" }, logs: logsOf(accepted, summary) }
        ])
        return summary
      })
    )
  })

  return Pricing.of({ setPrices })
})

const visible = (
  integration: Integration,
  location: string,
  price: Price.PriceInput["price"] | undefined
): Price.PriceInput["price"] => (price === undefined || !mayUse(integration, location) ? "UNKNOWN_LOCATION" : price)

const logsOf = (accepted: ReadonlyArray<Price.PriceChange>, summary: Bulk.Summary) => ({
  request: accepted.map(({ after }) => [after.location, after.sku]),
  response: { success: summary.succeeded, failures: summary.failures },
  before: accepted.map(({ before }) => [before.mrp, before.esp]),
  after: accepted.map(({ after }) => [after.mrp, after.esp])
})

export const layer: Layer.Layer<Pricing, never, PriceStore | Audit.Audit | Transaction.Transaction> = Layer.effect(
  Pricing,
  make
)
