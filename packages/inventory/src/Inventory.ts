/** Use cases for stock: bulk writes, and the changes that orders and shipments cause. */
import { type Caller, type Integration, seenBy } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Bulk, type CompanyId, type Page, type StaleWrite, type Stored } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Level from "./Level.ts"
import { type Listing, Listings } from "./Listings.ts"
import * as StockFeed from "./StockFeed.ts"
import { type Discrepancy, StockLevels } from "./StockLevels.ts"
import * as StockUpdate from "./StockUpdate.ts"

/** A record of a bulk, or the rejection of a malformed record. */
export type Decoded<A> = Result.Result<A, Bulk.Rejection>

/** Writes the stock of companies in bulk, saves the changes that orders and shipments cause, and reads stock. */
export class Inventory extends Context.Service<
  Inventory,
  {
    /** Sets or adjusts stock by the integration's policy, with one audit record. Source: docs/reference/stock.md#record. */
    readonly setStock: (
      caller: Caller<Integration>,
      records: ReadonlyArray<Decoded<StockUpdate.StockRecord>>
    ) => Stored<Bulk.Summary>
    /** Saves stock changes. Levels whose sellable stock changed get the change number, so that marketplaces are notified. */
    readonly save: (
      mark: CompanyWrite.Mark,
      company: CompanyId,
      changes: ReadonlyArray<Level.LevelChange>
    ) => Stored<void, StaleWrite>
    /** Prices and stock at the caller's locations, sorted by SKU and then by location. Empty `skus` mean all SKUs. */
    readonly listings: (
      caller: Caller<Integration>,
      skus: ReadonlyArray<string>,
      page: Page.Page
    ) => Stored<ReadonlyArray<Listing>>
    /** The number of listings at the caller's locations. With `withBatches`, batch-tracked products are counted too. */
    readonly countListings: (caller: Caller<Integration>, filter: { readonly withBatches: boolean }) => Stored<number>
    /** The levels that differ from the sum of their movements or have no SKU. Each of them is a defect. */
    readonly verify: (company: CompanyId) => Stored<ReadonlyArray<Discrepancy>>
  }
>()("@crossdock/inventory/Inventory") {}

export const make = Effect.gen(function* () {
  const levels = yield* StockLevels
  const listings = yield* Listings
  const { run } = yield* CompanyWrite.CompanyWrite

  const save = Effect.fnUntraced(function* (
    { at, changeNumber }: CompanyWrite.Mark,
    company: CompanyId,
    changes: ReadonlyArray<Level.LevelChange>
  ) {
    const effective = changes.filter((change) => change.movements.length > 0 || change.before.version === 0)
    if (effective.length === 0) return
    const marked = effective.map(({ after, before, movements }) => ({
      before,
      after,
      movements,
      marked: Level.sellable(before) !== Level.sellable(after)
    }))
    yield* levels.save(company, changeNumber, at, marked)
  })

  const setStock = Effect.fnUntraced(function* (
    caller: Caller<Integration>,
    records: ReadonlyArray<Decoded<StockUpdate.StockRecord>>
  ) {
    const { companyId, stockPolicy } = caller.principal
    const keys = Arr.getSuccesses(records)
    if (keys.length === 0) return Bulk.summarize(records)
    return yield* run(caller, {
      load: levels.load(companyId, keys),
      decide: (found) => {
        const outcomes = Bulk.applyToDecoded(records, (valid) =>
          StockUpdate.applyUpdates(
            stockPolicy,
            valid.map(({ index, record }, i) => ({
              index,
              record,
              level: seenBy(caller.principal, record.location, found[i])
            }))
          )
        )
        const summary = Bulk.summarize(outcomes)
        const accepted = Arr.getSuccesses(outcomes)
        if (accepted.length === 0) return Effect.succeed(CompanyWrite.nothing(summary))
        const entity = { type: "inventory", id: caller.principal.integrationId, action: stockPolicy }
        const change: CompanyWrite.CompanyChange = {
          companyId,
          entity,
          save: (mark) =>
            Effect.as(save(mark, companyId, accepted), {
              logs: logsOf(accepted, summary),
              events: StockFeed.eventsOf(accepted)
            })
        }
        return Effect.succeed({ answer: summary, changes: [change] })
      }
    })
  })

  return Inventory.of({
    setStock,
    save,
    listings: ({ principal: { companyId, locations } }, skus, page) =>
      listings.page(companyId, { locations, skus }, page),
    countListings: ({ principal: { companyId, locations } }, { withBatches }) =>
      listings.count(companyId, { locations, skus: [], withBatches }),
    verify: levels.discrepancies
  })
})

const logsOf = (accepted: ReadonlyArray<Level.LevelChange>, summary: Bulk.Summary) => ({
  request: accepted.map(({ after }) => [after.location, after.sku]),
  response: { success: summary.succeeded, failures: summary.failures },
  before: accepted.map(({ before }) => before.onHand),
  after: accepted.map(({ after }) => after.onHand)
})

export const layer = Layer.effect(Inventory, make)
