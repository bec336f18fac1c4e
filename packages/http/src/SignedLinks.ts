/**
 * Links that are good without signing in, for two days at most, and only as they were written.
 */
import { type LinkSigner, TokenExpired, TokenInvalid } from "@crossdock/access"
import { ClockSkew } from "@crossdock/kernel"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"

/**
 * A link as it stands in a URL: its last part, and what proves it, in the query, which is in no log.
 */
export interface SignedLink {
  readonly document: string
  readonly expires: string
  readonly signature: string
}

const part = Fields.withDefault(Schema.String, "")

/**
 * What proves a link: left out it reads as a wrong one.
 */
export const Proof = Schema.Struct({ expires: part, signature: part })

const dayMillis = 86_400_000

/**
 * The end of tomorrow, in seconds since 1970.
 */
const endOfTomorrow = (now: number): number => ((Math.floor(now / dayMillis) + 2) * dayMillis) / 1000

/**
 * The last part of a link to `name` with its proof; `now` in epoch milliseconds. Within a day it stays the same.
 */
export const signed = (signer: typeof LinkSigner.Service, name: string, now: number): string => {
  const expires = endOfTomorrow(now)
  return `${name}?expires=${expires}&signature=${signer.sign(`${name} ${expires}`)}`
}

/**
 * What a link's name stands for, as `read` tells it; undefined when it is a name for something else.
 */
export const open = <A>(
  signer: typeof LinkSigner.Service,
  { document, expires, signature }: SignedLink,
  now: number,
  read: (name: string) => A | undefined
): Result.Result<A, TokenInvalid | TokenExpired> => {
  const found = read(document)
  if (found === undefined || !signer.matches(`${document} ${expires}`, signature)) {
    return Result.fail(new TokenInvalid())
  }
  const seconds = Number(expires)
  // Signed before the clock was set back, it would be good for longer than two days.
  if (seconds > endOfTomorrow(now + ClockSkew.ofTokens)) return Result.fail(new TokenInvalid())
  return now >= seconds * 1000 ? Result.fail(new TokenExpired()) : Result.succeed(found)
}
