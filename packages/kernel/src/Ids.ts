/** New ids, and unguessable texts. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"

/**
 * Ids that needn't be secret. Both kinds grow with time on one host and differ between hosts by chance; storages enforce
 * uniqueness. Source: docs/reference/requests.md#ids.
 */
export class Ids extends Context.Service<
  Ids,
  {
    /** 20 decimal digits each: shipments and order items. */
    readonly decimals: (count: number) => Effect.Effect<ReadonlyArray<string>>
    /** 24 hex characters: orders, audit records, acknowledgements. */
    readonly hex: Effect.Effect<string>
  }
>()("@crossdock/kernel/Ids") {}

const perMillisecond = 10_000_000n

/** The first characters of `hex` ids made at this time. */
export const hexOf = (at: number): string => at.toString(16).padStart(11, "0")

/**
 * When an id of either kind was made, in epoch milliseconds.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Ids } from "@crossdock/kernel"
 *
 * const at = Date.UTC(2026, 0, 31)
 * const ids = [`${Ids.hexOf(at)}0a1b2c3d4e5f6`, `${at}0123456`]
 * deepStrictEqual(ids.map(Ids.timeOf), [at, at])
 * ```
 */
export const timeOf = (id: string): number =>
  id.length === 20 ? Number(BigInt(id) / perMillisecond) : Number.parseInt(id.slice(0, 11), 16)

/** Ids from Effect's `Clock` and `Random`; needs nothing else. */
export const make = Effect.gen(function* () {
  const last = yield* Ref.make(0n)

  const decimals = Effect.fnUntraced(function* (count: number) {
    const now = yield* Clock.currentTimeMillis
    // Seven digits after the milliseconds.
    const fresh = BigInt(now) * perMillisecond + BigInt(yield* Random.nextIntBetween(0, 9_000_000))
    const from = yield* Ref.modify(last, (before) => {
      const next = fresh > before ? fresh : before + 1n
      return [next, next + BigInt(Math.max(count, 1)) - 1n]
    })
    return Array.from({ length: count }, (_, i) => (from + BigInt(i)).toString().padStart(20, "0"))
  })

  const hex = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const tail = Math.floor((yield* Random.next) * 2 ** 52)
    return now.toString(16).padStart(11, "0") + tail.toString(16).padStart(13, "0")
  })

  return Ids.of({ decimals, hex })
})

/** `Ids` for a host: one per process, so that its ids grow. */
export const layer = Layer.effect(Ids, make)

/** Port: unguessable texts, for salts and secret links. */
export class Nonce extends Context.Service<
  Nonce,
  {
    /** 32 hex characters: 128 bits from the system's cryptographic source. */
    readonly hex: Effect.Effect<string>
  }
>()("@crossdock/kernel/Nonce") {}
