/**
 * Keeps the products of writes that this host accepted in memory, so that it needn't read them again for processing.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Accepted, WriteKey } from "../CatalogWrite.ts"
import { CatalogWriteStore } from "../CatalogWriteStore.ts"

/**
 * The most writes whose products are kept.
 */
const keptInMemory = 8

const nameOf = ({ companyId, traceId }: WriteKey): string => `${companyId} ${traceId}`

/**
 * Makes the memory.
 */
export const make = Effect.gen(function* () {
  const writes = yield* CatalogWriteStore
  const recent = yield* Ref.make<ReadonlyMap<string, Accepted>>(new Map())

  const remember = (key: WriteKey, accepted: Accepted) =>
    Ref.update(recent, (kept) => new Map([...kept, [nameOf(key), accepted] as const].slice(-keptInMemory)))

  /** The products of a write: once from memory, when this host accepted them. They never change. */
  const productsOf = (key: WriteKey) =>
    Ref.modify(recent, (kept) => {
      const name = nameOf(key)
      return [kept.get(name), new Map([...kept].filter(([other]) => other !== name))]
    }).pipe(Effect.flatMap((accepted) => (accepted === undefined ? writes.accepted(key) : Effect.succeed(accepted))))

  return { remember, productsOf }
})

export type RecentProducts = Effect.Success<typeof make>
