/** New ids, and texts that can't be guessed. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"

/** Makes ids that needn't be secret. On one host, ids of a kind grow with time. Source: docs/reference/requests.md#ids. */
export class Ids extends Context.Service<
  Ids,
  {
    /** Ids of 20 decimal digits, for shipments and order items. */
    readonly decimals: (count: number) => Effect.Effect<ReadonlyArray<string>>
    /** An id of 24 hex characters, for orders, audit records and acknowledgements. */
    readonly hex: Effect.Effect<string>
  }
>()("@crossdock/kernel/Ids") {}

const perMillisecond = 10_000_000n

/** The first characters of `hex` ids that are made at the time `at`. */
export const hexOf = (at: number): string => at.toString(16).padStart(11, "0")

/**
 * The time when an id of either kind was made, in epoch milliseconds.
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

/** Makes ids from Effect's `Clock` and `Random`. It depends on no other service. */
export const make = Effect.gen(function* () {
  const last = yield* Ref.make(0n)

  const decimals = Effect.fnUntraced(function* (count: number) {
    const now = yield* Clock.currentTimeMillis
    // The milliseconds are followed by seven digits.
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

/** The service `Ids`. A host needs one per process, so that its ids grow. */
export const layer = Layer.effect(Ids, make)

/** Port: texts that can't be guessed, for salts and secret links. */
export class Nonce extends Context.Service<
  Nonce,
  {
    /** A text of 32 hex characters: 128 bits from the system's cryptographic source. */
    readonly hex: Effect.Effect<string>
  }
>()("@crossdock/kernel/Nonce") {}
