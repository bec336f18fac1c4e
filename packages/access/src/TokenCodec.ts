/**
 * Port: makes and verifies tokens.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { TokenExpired, TokenInvalid } from "./AccessError.ts"

/**
 * The interface that a token is for; the other interfaces reject it. Source: docs/reference/authentication.md#claims.
 */
export type Audience = "seller" | "marketplace" | "platform"

/**
 * The content of a token. Times are in seconds since 1970. `generation` is that of the account when it signed in.
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
 * Law: the verifier alone determines algorithm, key and type; a token's header never chooses them. Source:
 * docs/reference/authentication.md#verification.
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
