/**
 * Adapter: signatures of checkpoints by HMAC-SHA256 with the host's own key, without Node.
 */
import { Checkpoint } from "@crossdock/audit"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HmacText from "../internal/HmacText.ts"

/**
 * A `Signer` of audit's checkpoints with this key, at least 32 bytes, which the host checks: HMAC-SHA256 as hex.
 */
export const make = (key: Redacted.Redacted) => {
  const sign = (text: string) => bytesToHex(HmacText.hmacOf(Redacted.value(key), text))
  return Checkpoint.Signer.of({ sign, isSigned: (text, signature) => HmacText.isSame(sign(text), signature) })
}

/**
 * Provides `Checkpoint.Signer` with this key. It requires nothing.
 */
export const layer = (key: Redacted.Redacted): Layer.Layer<Checkpoint.Signer> =>
  Layer.succeed(Checkpoint.Signer, make(key))
