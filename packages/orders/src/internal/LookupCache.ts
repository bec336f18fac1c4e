/**
 * A short cache of lookups.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"

/**
 * Milliseconds for which marketplaces and locations are cached: they rarely change and are read with every order.
 */
const cacheMillis = 2000

/**
 * Caches the answers of a lookup. The lookup runs in the caller's transaction if there is one: a cache with its own
 * connection could wait for the one that the caller uses.
 */
export const cached = <Key, A, E>(lookup: (key: Key) => Effect.Effect<A, E>) =>
  Effect.map(Ref.make<ReadonlyMap<Key, { readonly value: A; readonly at: number }>>(new Map()), (known) => ({
    get: (key: Key) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const hit = (yield* Ref.get(known)).get(key)
        // An answer from the future is older than it looks, since the clock was set back.
        if (hit !== undefined && hit.at <= now && now < hit.at + cacheMillis) return hit.value
        const value = yield* lookup(key)
        yield* Ref.update(known, (all) => new Map(all).set(key, { value, at: now }))
        return value
      })
  }))
