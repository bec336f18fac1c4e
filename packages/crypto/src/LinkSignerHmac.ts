/**
 * Adapter: links signed by HMAC-SHA256.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { LinkSigner } from "@crossdock/access"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * A `LinkSigner` of access: HMAC-SHA256 as base64url. The key is derived from the secret of the tokens, so that a link is
 * never a token and a token never a link.
 */
export const make = (secret: Redacted.Redacted) => {
  const key = createHmac("sha256", Redacted.value(secret)).update("crossdock links, version 1").digest()
  const digest = (text: string) => createHmac("sha256", key).update(text, "utf8").digest()
  return LinkSigner.of({
    sign: (text) => digest(text).toString("base64url"),
    matches: (text, signature) => {
      const [right, given] = [Buffer.from(digest(text).toString("base64url")), Buffer.from(signature)]
      return right.length === given.length && timingSafeEqual(right, given)
    }
  })
}

/**
 * Provides `LinkSigner`, with the secret of the tokens. It requires nothing.
 */
export const layer = (secret: Redacted.Redacted): Layer.Layer<LinkSigner> => Layer.succeed(LinkSigner, make(secret))
