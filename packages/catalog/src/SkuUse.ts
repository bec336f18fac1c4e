/**
 * Finds the reason why a SKU can't be deleted: it is in an open shipment or has reserved stock. The storages of orders and of
 * stock provide the ports.
 */
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Use } from "./ProductChanges.ts"

/** Port: finds SKUs in shipments that may still change stock. */
export class SkuShipments extends Context.Service<
  SkuShipments,
  {
    /**
     * Returns the given SKUs that are in one of the company's shipments. Only shipments that are open or await their quality
     * check are searched.
     */
    readonly open: (company: CompanyId, skus: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StorageError>
  }
>()("@crossdock/catalog/SkuShipments") {}

/** Port: finds SKUs with reserved stock, and deletes stock and prices. */
export class SkuStock extends Context.Service<
  SkuStock,
  {
    /**
     * Locks the stock levels and prices of the SKUs until the transaction ends, in the order of their keys. Rows that are
     * stored later aren't locked.
     */
    readonly lock: (company: CompanyId, skus: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** Returns the given SKUs that have reserved stock at any location. */
    readonly reserved: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /**
     * Deletes the levels and prices of SKUs. Call it before their sizes are deleted, in a transaction that has locked the
     * company. If a level was ever marked, it is marked as deleted with the change's number and time, so that marketplaces are
     * notified of stock 0. The call never waits for locks. If another writer has locked a row that `lock` didn't find, the call
     * fails as contended.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/catalog/SkuStock") {}

/**
 * Makes three functions. `lock` locks the stock and prices of SKUs. Call it before the company is locked. `usesOf` returns the
 * SKUs that can't be deleted, with the reason for each. Call it after the company is locked, since another write may reserve
 * units until then. `remove` deletes stock and prices.
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
