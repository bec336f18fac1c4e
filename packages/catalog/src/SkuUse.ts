/** Why a SKU can't be deleted: an open shipment, or reserved stock. The storages of orders and of stock provide the ports. */
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Use } from "./ProductChanges.ts"

/** Port: whether SKUs are in shipments that may still move stock. */
export class SkuShipments extends Context.Service<
  SkuShipments,
  {
    /** The given SKUs in the company's shipments that are open or before their quality check. */
    readonly open: (company: CompanyId, skus: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StorageError>
  }
>()("@crossdock/catalog/SkuShipments") {}

/** Port: whether SKUs have reserved stock, and deleting their stock and prices. */
export class SkuStock extends Context.Service<
  SkuStock,
  {
    /** Locks the SKUs' levels and prices until the transaction ends, in key order. Rows stored later aren't locked. */
    readonly lock: (company: CompanyId, skus: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** The given SKUs that have reserved stock at any location. */
    readonly reserved: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /**
     * Deletes levels and prices before their sizes. Levels that were ever marked are marked as deleted under the change's
     * number and time, so that marketplaces are notified of stock 0. Call it in a transaction that has locked the company. It
     * never waits: if another writer has locked a row that `lock` didn't find, it fails as contended.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/catalog/SkuStock") {}

/**
 * `lock` locks SKUs' stock and prices before their company, `usesOf` returns why SKUs can't be deleted (only those in use),
 * `remove` deletes stock and prices. Read the uses once the company is locked: until then, another write may reserve units.
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
