/**
 * Adapter: links signed by HMAC-SHA256, without Node.
 */
import { LinkSigner } from "@crossdock/access"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HmacText from "../internal/HmacText.ts"

/**
 * A `LinkSigner` of access that signs as `LinkSignerHmac` does. Links that were signed with one of the `previous` secrets are
 * still good.
 */
export const make = (secret: Redacted.Redacted, previous: ReadonlyArray<Redacted.Redacted> = []) => {
  const signing = (one: Redacted.Redacted) => {
    const key = HmacText.hmacOf(Redacted.value(one), "crossdock links, version 1")
    return (text: string) => Base64Url.encode(HmacText.hmacOf(key, text))
  }
  const sign = signing(secret)
  const all = [sign, ...previous.map(signing)]
  return LinkSigner.of({
    sign,
    matches: (text, signature) => all.some((one) => HmacText.isSame(one(text), signature))
  })
}

/**
 * Provides `LinkSigner`, with the secret of the tokens and those of before. It requires nothing.
 */
export const layer = (
  secret: Redacted.Redacted,
  previous: ReadonlyArray<Redacted.Redacted> = []
): Layer.Layer<LinkSigner> => Layer.succeed(LinkSigner, make(secret, previous))
