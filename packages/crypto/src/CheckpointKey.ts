/**
 * The Ed25519 keys of audit checkpoints, on Node. The private key signs, and public keys verify.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CheckpointKey } from "@crossdock/crypto"
 *
 * const { privateKey, publicKey } = CheckpointKey.generate()
 * const signature = CheckpointKey.signer(privateKey)?.sign("a checkpoint") ?? ""
 * const verifies = CheckpointKey.verifier({ keys: [publicKey] })
 * strictEqual(verifies(publicKey.kid, "a checkpoint", signature), true)
 * ```
 */
import type { KeyObject } from "node:crypto"
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto"
import type { Checkpoint } from "@crossdock/audit"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

type PublicKey = Checkpoint.PublicKeys["keys"][number]

const publicKeyOf = (key: KeyObject): PublicKey => {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" })
  // RFC 7638 prescribes these members and their order.
  const members = JSON.stringify({ crv: "Ed25519", kty: "OKP", x })
  return { kty: "OKP", crv: "Ed25519", kid: createHash("sha256").update(members).digest("base64url"), x }
}

/** Makes a new pair of keys. The private key is in PKCS #8, as PEM. */
export const generate = (): { readonly privateKey: Redacted.Redacted; readonly publicKey: PublicKey } => {
  const { privateKey } = generateKeyPairSync("ed25519")
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  return { privateKey: Redacted.make(pem), publicKey: publicKeyOf(privateKey) }
}

/** The signer for an Ed25519 private key in PKCS #8, as PEM. Undefined for any other text or key. */
export const signer = (pem: Redacted.Redacted): Checkpoint.Signer | undefined => {
  const key = Result.getOrUndefined(Result.try(() => createPrivateKey(Redacted.value(pem))))
  if (key?.asymmetricKeyType !== "ed25519") return undefined
  return { kid: publicKeyOf(key).kid, sign: (text) => sign(null, Buffer.from(text), key).toString("base64url") }
}

/** A verifier that knows these keys only. It uses the one whose id is the checkpoint's `kid`. */
export const verifier =
  ({ keys }: Checkpoint.PublicKeys): Checkpoint.Verifier =>
  (kid, text, signature) => {
    const key = keys.find((one) => one.kid === kid)
    const bytes = Buffer.from(signature, "base64url")
    if (key === undefined || bytes.toString("base64url") !== signature) return false
    // Throws if the key's `x` isn't a point of the curve.
    const judged = Result.try(() => verify(null, Buffer.from(text), { key: { ...key }, format: "jwk" }, bytes))
    return Result.getOrElse(judged, () => false)
  }
