/**
 * Adapter: signatures of checkpoints by HMAC-SHA256 with the host's own key.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { Checkpoint } from "@crossdock/audit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * A `Signer` of audit's checkpoints with this key, at least 32 bytes, which the host checks: HMAC-SHA256 as hex.
 */
export const make = (key: Redacted.Redacted) => {
  const sign = (text: string) => createHmac("sha256", Redacted.value(key)).update(text, "utf8").digest("hex")
  return Checkpoint.Signer.of({
    sign,
    isSigned: (text, signature) => {
      const [expected, given] = [Buffer.from(sign(text)), Buffer.from(signature)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    }
  })
}

/**
 * Provides `Checkpoint.Signer` with this key. It requires nothing.
 */
export const layer = (key: Redacted.Redacted): Layer.Layer<Checkpoint.Signer> =>
  Layer.succeed(Checkpoint.Signer, make(key))
