/** The use case of bulk price updates, and the port that stores prices. */
import { type Caller, type Integration, seenBy } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StockKey, StockRows, Stored } from "@crossdock/kernel"
import { Bulk, Money } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as PriceFeed from "./PriceFeed.ts"
import * as PriceUpdate from "./PriceUpdate.ts"

/** Port: stores prices by company. `save` writes all changes or none, and fails with `StaleWrite` if a version changed. */
export class PriceStore extends Context.Service<
  PriceStore,
  {
    /** One answer per key, in order. An unstored price has version 0. Transactions lock prices in the order of `keys`. */
    readonly load: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>
    ) => Stored<ReadonlyArray<PriceUpdate.Price | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">>
    /** Saves changes of prices. `at` is the time of the change in epoch milliseconds. */
    readonly save: (
      company: CompanyId,
      at: number,
      changes: ReadonlyArray<PriceUpdate.PriceChange>
    ) => Stored<void, StaleWrite>
    readonly list: StockRows<Pick<PriceUpdate.Price, "mrp" | "esp">>
    /** Deletes the prices of these SKUs, as `StockLevels.remove` deletes levels. */
    readonly remove: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<void>
  }
>()("@crossdock/pricing/PriceStore") {}

export const Policy = Context.Reference<typeof PriceUpdate.defaultPolicy>("@crossdock/pricing/Policy", {
  defaultValue: () => PriceUpdate.defaultPolicy
})

/** Writes prices in bulk. */
export class Pricing extends Context.Service<
  Pricing,
  {
    /** Sets the MRP and ESP of SKUs, in one transaction and one audit record. Source: docs/reference/prices.md#record. */
    readonly setPrices: (
      caller: Caller<Integration>,
      records: ReadonlyArray<Result.Result<PriceUpdate.PriceRecord, Bulk.Rejection>>
    ) => Stored<Bulk.Summary>
  }
>()("@crossdock/pricing/Pricing") {}

/** Makes the service `Pricing` from its port and `CompanyWrite`, with the host's `Policy`. */
export const make = Effect.gen(function* () {
  const store = yield* PriceStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const policy = yield* Policy

  const setPrices = Effect.fn("Pricing.setPrices")(function* (
    caller: Caller<Integration>,
    records: ReadonlyArray<Result.Result<PriceUpdate.PriceRecord, Bulk.Rejection>>
  ) {
    const { companyId, integrationId } = caller.principal
    const keys = Arr.getSuccesses(records)
    if (keys.length === 0) return Bulk.summarize(records)
    return yield* run(caller, {
      load: store.load(companyId, keys),
      decide: (found) => {
        const outcomes = Bulk.applyToDecoded(records, (valid) =>
          PriceUpdate.applyPrices(
            policy,
            valid.map((input, i) => ({ ...input, price: seenBy(caller.principal, input.record.location, found[i]) }))
          )
        )
        const summary = Bulk.summarize(outcomes)
        const accepted = Arr.getSuccesses(outcomes)
        if (accepted.length === 0) return Effect.succeed(CompanyWrite.nothing(summary))
        const change: CompanyWrite.CompanyChange = {
          companyId,
          entity: { type: "price", id: integrationId, action: "set" },
          save: ({ at }) =>
            Effect.as(store.save(companyId, at, accepted), {
              logs: logsOf(accepted, summary),
              events: PriceFeed.eventsOf(accepted)
            })
        }
        return Effect.succeed({ answer: summary, changes: [change] })
      }
    })
  })

  return Pricing.of({ setPrices })
})

const logsOf = (accepted: ReadonlyArray<PriceUpdate.PriceChange>, summary: Bulk.Summary) => ({
  request: accepted.map(({ after }) => [after.location, after.sku]),
  response: { success: summary.succeeded, failures: summary.failures },
  before: accepted.map(({ before }) => amountsOf(before)),
  after: accepted.map(({ after }) => amountsOf(after))
})

const amountsOf = ({ currency, esp, mrp }: PriceUpdate.PriceChange["after"]) => [
  Money.toNumber(mrp, currency),
  Money.toNumber(esp, currency)
]

export const layer = Layer.effect(Pricing, make)
