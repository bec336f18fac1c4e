/**
 * Use case: put a whole catalog in place, all or nothing.
 */

import type { Caller } from "@crossdock/access"
import { Audit } from "@crossdock/audit"
import { type CompanyId, type StorageError, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import type { Product } from "./Product.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"

export class CatalogImport extends Context.Tag("@crossdock/catalog/CatalogImport")<
  CatalogImport,
  {
    /** Reference data belongs to no company and leaves no audit record. */
    readonly reference: (data: ReferenceData, brands: ReadonlyArray<Brand>) => Effect.Effect<void, StorageError>
    /** All products of one company, with one audit record. */
    readonly products: (
      caller: Caller,
      company: CompanyId,
      products: ReadonlyArray<Product>
    ) => Effect.Effect<void, StorageError>
  }
>() {}

export const make = Effect.gen(function* () {
  const store = yield* ProductStore
  const references = yield* ReferenceStore
  const audit = yield* Audit.Audit
  const transaction = yield* Transaction.Transaction

  const reference = Effect.fn("CatalogImport.reference")((data: ReferenceData, brands: ReadonlyArray<Brand>) =>
    transaction.run(Effect.zipRight(references.put(data), references.putBrands(brands)))
  )

  const products = Effect.fn("CatalogImport.products")(function* (
    caller: Caller,
    company: CompanyId,
    imported: ReadonlyArray<Product>
  ) {
    const at = yield* Clock.currentTimeMillis
    yield* Transaction.decide(transaction)(
      Effect.gen(function* () {
        yield* store.put(company, imported, at)
        const held = yield* audit.hold([company])
        yield* audit.append(held, caller, [
          {
            companyId: company,
            entity: { type: "product", id: String(imported.length), action: "import" },
            logs: { request: imported.map((product) => product.itemCode), response: { imported: imported.length } }
          }
        ])
      })
    )
  })

  return CatalogImport.of({ reference, products })
})

export const layer: Layer.Layer<
  CatalogImport,
  never,
  ProductStore | ReferenceStore | Audit.Audit | Transaction.Transaction
> = Layer.effect(CatalogImport, make)
