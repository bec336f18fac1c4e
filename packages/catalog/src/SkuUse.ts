/** Finds the reason why a SKU can't be deleted: it is in an open shipment or has reserved stock. */
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Use } from "./ProductChanges.ts"

/** Port: finds SKUs in shipments that may still change stock. */
export class SkuShipments extends Context.Service<
  SkuShipments,
  {
    /** Returns the SKUs that are in a shipment that is open or awaits its quality check. */
    readonly open: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
  }
>()("@crossdock/catalog/SkuShipments") {}

/** Port: finds SKUs with reserved stock, and deletes stock and prices. */
export class SkuStock extends Context.Service<
  SkuStock,
  {
    /** Locks the stored levels and prices of the SKUs until the transaction ends, in the order of their keys. */
    readonly lock: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<void>
    /** Returns the given SKUs that have reserved stock at any location. */
    readonly reserved: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
    /**
     * Deletes the levels and prices of SKUs. Call it before their sizes are deleted, in a transaction that has locked the
     * company. A level that was ever marked is marked as deleted, so that marketplaces are notified of stock 0. The call
     * never waits: it fails as contended if another writer has locked a row.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Stored<void>
  }
>()("@crossdock/catalog/SkuStock") {}

/**
 * Makes three functions. First, `lock` locks stock and prices. Call it before the company is locked. Then `usesOf` returns
 * the SKUs that can't be deleted, with the reasons. `remove` deletes stock and prices.
 */
export const make = Effect.gen(function* () {
  const [stock, shipments] = [yield* SkuStock, yield* SkuShipments]

  const lock = (company: CompanyId, skus: ReadonlyArray<string>) =>
    skus.length === 0 ? Effect.void : stock.lock(company, skus)

  const usesOf = Effect.fnUntraced(function* (company: CompanyId, skus: ReadonlyArray<string>) {
    if (skus.length === 0) return new Map<string, Use>()
    const reserved = yield* stock.reserved(company, skus)
    const open = yield* shipments.open(company, skus)
    return new Map<string, Use>([
      ...[...reserved].map((sku) => [sku, "RESERVED_STOCK"] as const),
      ...[...open].map((sku) => [sku, "OPEN_SHIPMENTS"] as const)
    ])
  })

  const remove = (company: CompanyId, skus: ReadonlyArray<string>, { at, changeNumber }: CompanyWrite.Mark) =>
    skus.length === 0
      ? Effect.void
      : Effect.flatMap(CompanyWrite.knownNumber(changeNumber), (number) =>
          stock.remove(company, skus, { changeNumber: number, at })
        )

  return { lock, usesOf, remove }
})
