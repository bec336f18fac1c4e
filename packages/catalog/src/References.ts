/** Service: provides indexed reference data, and reads the data again only after a change. */
import type { Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ReferenceStore } from "./CatalogStore.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"

/** The current reference data. */
export class References extends Context.Service<
  References,
  { readonly current: Stored<ReferenceIndex.ReferenceIndex> }
>()("@crossdock/catalog/References") {}

/** Makes the service. The index is made again when the version of the data in `ReferenceStore` changes. */
export const make = Effect.gen(function* () {
  const store = yield* ReferenceStore
  let kept: { readonly version: number; readonly index: ReferenceIndex.ReferenceIndex } | undefined

  const current = Effect.gen(function* () {
    const version = yield* store.version
    if (kept?.version === version) return kept.index
    const index = ReferenceIndex.make(yield* store.read)
    kept = { version, index }
    return index
  })

  return References.of({ current })
})

/** The service `References`, which needs a storage's `ReferenceStore`. All services of a host share its index. */
export const layer = Layer.effect(References, make)
