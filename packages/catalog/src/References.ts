/** Service: indexed reference data, read again only after a change. */
import type { StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { ReferenceStore } from "./CatalogStore.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"

/** The current reference data. */
export class References extends Context.Service<
  References,
  { readonly current: Effect.Effect<ReferenceIndex.ReferenceIndex, StorageError> }
>()("@crossdock/catalog/References") {}

/** The current index, rebuilt when the data's version in `ReferenceStore` changes. */
export const make = Effect.gen(function* () {
  const store = yield* ReferenceStore
  const kept = yield* Ref.make<{ readonly version: number; readonly index: ReferenceIndex.ReferenceIndex } | null>(null)

  const current = Effect.gen(function* () {
    const version = yield* store.version
    const known = yield* Ref.get(kept)
    if (known?.version === version) return known.index
    const index = ReferenceIndex.make(yield* store.read)
    yield* Ref.set(kept, { version, index })
    return index
  })

  return References.of({ current })
})

/** `References` on a storage's `ReferenceStore`: one index for all services of a host. */
export const layer = Layer.effect(References, make)
