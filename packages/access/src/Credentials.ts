/** Credentials: passwords, tokens and signed links. The ports make and verify these credentials. */
import { taggedError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A token is valid for this many seconds, which are 24 hours. Source: docs/reference/authentication.md#tokens. */
export const tokenSeconds = 24 * 3600

/** The seconds for which an operator's sign-in is valid. A token for a company is valid for `actingSeconds`. */
export const operatorSeconds = 8 * 3600
export const actingSeconds = 15 * 60

/** The only interface that accepts a token. Source: docs/reference/authentication.md#claims. */
export type Audience = "seller" | "marketplace" | "platform" | "operator" | "session"

/** The content of a token. Times are in seconds since 1970. `generation` is the generation of the account at the sign-in. */
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

/** The username is unknown or the password is wrong. The error doesn't reveal which. */
export class CredentialsInvalid extends taggedError<CredentialsInvalid>()(
  "@crossdock/access/CredentialsInvalid",
  {},
  () => "The username or the password is wrong, or they are not for this path. Check them and try again."
) {}

/** The request has no token. */
export class TokenMissing extends taggedError<TokenMissing>()(
  "@crossdock/access/TokenMissing",
  {},
  () => "The request has no token. Sign in to get one, and send it with every request."
) {}

/** The message of each fault. `otherInterface`, `revoked` and `future` are reported only for correctly signed tokens. */
const tokenFaults = {
  malformed: "The token is malformed. Send the token alone, complete and unchanged, as you got it when you signed in.",
  signature: "The token's signature is wrong: it was changed, or another host issued it. Sign in on this host again.",
  otherInterface: "The token is for another interface. Sign in to this one.",
  revoked:
    "The token's account was disabled, or its password was changed. Sign in with the present password; if that fails, ask the operator.",
  future:
    "The token was issued in the future by this host's clock. Sign in again; if that fails too, the clocks of the hosts differ: report it to the operator.",
  link: "The link is wrong: it was changed, cut off, or signed by another host. Read the shipment or invoice again for a new one."
} as const

/** The token or link isn't valid here, for the reason `fault`. */
export class TokenInvalid extends taggedError<TokenInvalid>()(
  "@crossdock/access/TokenInvalid",
  { fault: Schema.Literals(["malformed", "signature", "otherInterface", "revoked", "future", "link"]) },
  ({ fault }) => tokenFaults[fault]
) {}

/** The token or link was valid, but its time is over. */
export class TokenExpired extends taggedError<TokenExpired>()(
  "@crossdock/access/TokenExpired",
  { of: Schema.Literals(["token", "link"]) },
  ({ of }) =>
    of === "token"
      ? `The token has expired: it is older than ${tokenSeconds / 3600} hours. Sign in again for a new one.`
      : "The link has expired. Read the shipment or invoice again for a new one."
) {}

/**
 * Port: makes and verifies tokens. Law: the verifier alone determines the algorithm, the key and the type of a token. The
 * verifier ignores the token's header. Source: docs/reference/authentication.md#verification.
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

/** Port: makes salted, slow hashes of passwords, as text. Source: docs/reference/authentication.md#passwords. */
export class PasswordHash extends Context.Service<
  PasswordHash,
  {
    /** Returns a new hash. If `isGenerated`, the password has at least 128 random bits, and a faster hash is sufficient. */
    readonly hash: (password: string, isGenerated?: boolean) => Effect.Effect<string>
    /** Whether the password matches. An unreadable hash never does. The duration doesn't depend on the answer. */
    readonly verify: (password: string, hash: string) => Effect.Effect<boolean>
  }
>()("@crossdock/access/PasswordHash") {}

/**
 * Port: signs links, which are valid without a token. Laws: only the signature that `sign` returned for a text matches. The
 * duration of `matches` reveals nothing. A signature can be part of a path. Source: docs/reference/documents.md#links.
 */
export class LinkSigner extends Context.Service<
  LinkSigner,
  {
    readonly sign: (text: string) => string
    readonly matches: (text: string, signature: string) => boolean
  }
>()("@crossdock/access/LinkSigner") {}
