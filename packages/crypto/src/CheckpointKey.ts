/**
 * Ed25519 keys of audit checkpoints, on Node: the private one signs, public ones verify.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Checkpoint } from "@crossdock/audit"
 * import { CheckpointKey } from "@crossdock/crypto"
 * import { CompanyId, required } from "@crossdock/kernel"
 *
 * const { privateKey, publicKey } = CheckpointKey.generate()
 * const signer = required(CheckpointKey.signer(privateKey), "the key")
 * const trail = { head: { companyId: CompanyId.make(1), sequence: 500, hash: "5f2a" }, root: "81b0" }
 * const checkpoint = Checkpoint.make(trail, Date.UTC(2026, 0, 31), signer)
 * strictEqual(Checkpoint.isGenuine(checkpoint, CheckpointKey.verifier({ keys: [publicKey] })), true)
 * ```
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify
} from "node:crypto"
import type { Checkpoint } from "@crossdock/audit"
import * as Redacted from "effect/Redacted"

type PublicKey = Checkpoint.PublicKeys["keys"][number]

const publicKeyOf = (key: KeyObject): PublicKey => {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" })
  // RFC 7638 fixes the members and their order.
  const members = JSON.stringify({ crv: "Ed25519", kty: "OKP", x })
  return { kty: "OKP", crv: "Ed25519", kid: createHash("sha256").update(members).digest("base64url"), x }
}

/** A new key pair. The private key is PKCS #8 as PEM. */
export const generate = (): { readonly privateKey: Redacted.Redacted; readonly publicKey: PublicKey } => {
  const { privateKey } = generateKeyPairSync("ed25519")
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  return { privateKey: Redacted.make(pem), publicKey: publicKeyOf(privateKey) }
}

/** The signer of a private key: PKCS #8 as PEM. Undefined if the text is no such key. */
export const signer = (pem: Redacted.Redacted): Checkpoint.Signer | undefined => {
  try {
    const key = createPrivateKey(Redacted.value(pem))
    if (key.asymmetricKeyType !== "ed25519") return undefined
    const { kid } = publicKeyOf(key)
    return { kid, sign: (text) => sign(null, Buffer.from(text), key).toString("base64url") }
  } catch {
    return undefined
  }
}

/** Verifies with the key that a checkpoint names, among these. */
export const verifier =
  ({ keys }: Checkpoint.PublicKeys): Checkpoint.Verifier =>
  (kid, text, signature) => {
    const jwk = keys.find((one) => one.kid === kid)
    if (jwk === undefined || !/^[\w-]{86}$/.test(signature)) return false
    try {
      const key = createPublicKey({ key: { ...jwk }, format: "jwk" })
      return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"))
    } catch {
      // The key's `x` is no point of the curve.
      return false
    }
  }
