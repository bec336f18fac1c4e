/**
 * Port: unguessable randomness, for salts and for secret links.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Unguessable texts.
 */
export class Nonce extends Context.Service<
  Nonce,
  {
    /** 32 hex characters: 128 bits from the system's cryptographic source. */
    readonly hex: Effect.Effect<string>
  }
>()("@crossdock/kernel/Nonce") {}
