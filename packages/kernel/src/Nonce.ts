/**
 * Port: randomness that nobody can guess, for salts and for links that are a secret by themselves.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Nonce extends Context.Service<
  Nonce,
  {
    /** 32 hex characters: 128 bits from the system's own source. */
    readonly hex: Effect.Effect<string>
  }
>()("@crossdock/kernel/Nonce") {}
