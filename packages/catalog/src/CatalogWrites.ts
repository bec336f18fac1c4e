/**
 * Use cases: writes of products. A write is checked and accepted at once. Its products are stored in the background, in one
 * transaction together with the outcome, so that each is applied exactly once. Source: docs/reference/catalog.md#processing.
 */
import type { Caller, Integration } from "@crossdock/access"
import type { CompanyWrite } from "@crossdock/audit"
import type { Ids, StorageError, Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import type * as CatalogWrite from "./CatalogWrite.ts"
import { CatalogWriteStore } from "./CatalogWriteStore.ts"
import type { Validated } from "./internal/Acceptance.ts"
import * as Acceptance from "./internal/Acceptance.ts"
import * as Processing from "./internal/Processing.ts"
import * as RecentProducts from "./internal/RecentProducts.ts"
import type { Submission } from "./internal/Submission.ts"
import { ProductsInvalid } from "./ProductsInvalid.ts"
import type { References } from "./References.ts"
import type { SkuShipments } from "./SkuShipments.ts"
import type { SkuStock } from "./SkuStock.ts"

export { ProductsInvalid, type Submission, type Validated }

/**
 * Accepts, validates and processes writes of products.
 */
export class CatalogWrites extends Context.Service<
  CatalogWrites,
  {
    /** Checks the products, and durably stores the accepted ones for processing and the failures. */
    readonly accept: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<CatalogWrite.CatalogWrite, ProductsInvalid | StorageError>
    /** Makes the same checks and stores nothing. Source: docs/reference/catalog.md#dry-run. */
    readonly validate: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<Validated, ProductsInvalid | StorageError>
    /** A write of the caller's company; undefined when no write has this trace id. */
    readonly find: (
      caller: Caller<Integration>,
      traceId: string
    ) => Effect.Effect<CatalogWrite.CatalogWrite | undefined, StorageError>
    /** The writes to process: the oldest one of each company. */
    readonly due: Effect.Effect<ReadonlyArray<CatalogWrite.WriteKey>, StorageError>
    /**
     * Processes one write; false when another host is processing it or has processed it. Products that are no longer valid
     * become failures. A defect makes all of them fail, so that no write stays RUNNING forever.
     */
    readonly process: (key: CatalogWrite.WriteKey) => Effect.Effect<boolean, StorageError>
    /** Returns when this host accepts a write. */
    readonly accepted: Effect.Effect<void>
  }
>()("@crossdock/catalog/CatalogWrites") {}

/**
 * Accepts writes of products and processes them; needs the stores of the catalog, what uses a SKU, and `CompanyWrite`.
 */
export const make = Effect.gen(function* () {
  const writes = yield* CatalogWriteStore
  const recent = yield* RecentProducts.make
  const { accept, accepted, validate } = yield* Acceptance.make(recent)
  const process = yield* Processing.make(recent)
  return CatalogWrites.of({
    accept,
    validate,
    find: ({ principal }, traceId) => writes.find(principal.companyId, traceId),
    due: writes.due,
    process,
    accepted
  })
})

/**
 * `CatalogWrites` on the ports of a storage. `CatalogWorker` processes what it accepts.
 */
export const layer: Layer.Layer<
  CatalogWrites,
  never,
  | ProductStore
  | ReferenceStore
  | References
  | CatalogWriteStore
  | SkuStock
  | SkuShipments
  | CompanyWrite.CompanyWrite
  | Transaction.Transaction
  | Ids.Ids
> = Layer.effect(CatalogWrites, make)
