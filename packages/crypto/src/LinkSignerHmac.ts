/**
 * Adapter: links signed by HMAC-SHA256.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { LinkSigner } from "@crossdock/access"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * A `LinkSigner` of access: HMAC-SHA256 as base64url. The key is derived from the secret of the tokens, so that a link is
 * never a token and a token never a link. Links that were signed with one of the `previous` secrets are still good.
 */
export const make = (secret: Redacted.Redacted, previous: ReadonlyArray<Redacted.Redacted> = []) => {
  const signing = (one: Redacted.Redacted) => {
    const key = createHmac("sha256", Redacted.value(one)).update("crossdock links, version 1").digest()
    return (text: string) => createHmac("sha256", key).update(text, "utf8").digest("base64url")
  }
  const sign = signing(secret)
  const older = previous.map(signing)
  return LinkSigner.of({
    sign,
    matches: (text, signature) => {
      const given = Buffer.from(signature)
      return [sign, ...older].some((one) => {
        const right = Buffer.from(one(text))
        return right.length === given.length && timingSafeEqual(right, given)
      })
    }
  })
}

/**
 * Provides `LinkSigner`, with the secret of the tokens and those of before. It requires nothing.
 */
export const layer = (
  secret: Redacted.Redacted,
  previous: ReadonlyArray<Redacted.Redacted> = []
): Layer.Layer<LinkSigner> => Layer.succeed(LinkSigner, make(secret, previous))
