/**
 * Port: makes and checks tokens.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { TokenExpired, TokenInvalid } from "./AccessError.ts"

/**
 * The interface a token is for; a token for one is worth nothing at another (contract, Tokens).
 */
export type Audience = "seller" | "marketplace" | "platform"

/**
 * Times are seconds since 1970. `generation` is the account's at the time of sign-in.
 */
export interface Claims {
  readonly audience: Audience
  readonly subject: string
  readonly id: string
  readonly generation: number
  readonly issuedAt: number
  readonly expiresAt: number
  readonly companyId?: number
  readonly marketplace?: string
  readonly locations?: ReadonlyArray<string>
  readonly scope?: string
}

/**
 * The verifier fixes algorithm, key and type by itself: nothing in a token's header chooses them.
 */
export class TokenCodec extends Context.Service<
  TokenCodec,
  {
    readonly sign: (claims: Claims) => Effect.Effect<string>
    readonly verify: (
      token: string,
      audience: Audience,
      now: number
    ) => Effect.Effect<Claims, TokenInvalid | TokenExpired>
  }
>()("@crossdock/access/TokenCodec") {}
