import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { CheckpointKey } from "@crossdock/crypto"
import { required } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Redacted } from "effect"

const pair = () => {
  const { privateKey, publicKey } = CheckpointKey.generate()
  return { privateKey, publicKey, signer: required(CheckpointKey.signer(privateKey), "key") }
}

describe("A checkpoint's key", () => {
  const [one, other] = [pair(), pair()]
  const verifies = CheckpointKey.verifier({ keys: [other.publicKey, one.publicKey] })

  it("signs texts that its public key alone verifies", () => {
    for (const text of ["", "a", "कुर्ता 😀", "x".repeat(100_000)]) {
      const { kid, sign } = one.signer
      const signature = sign(text)
      strictEqual(verifies(kid, text, signature), true)
      const wrong = [
        [kid, `${text}.`, signature],
        [other.signer.kid, text, signature],
        ["", text, signature],
        [kid, text, other.signer.sign(text)],
        [kid, text, ""],
        [kid, text, signature.slice(1)],
        [kid, text, `${signature}A`],
        [kid, text, `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`]
      ] as ReadonlyArray<Parameters<typeof verifies>>
      deepStrictEqual(
        wrong.map((args) => verifies(...args)),
        wrong.map(() => false)
      )
      strictEqual(CheckpointKey.verifier({ keys: [other.publicKey] })(kid, text, signature), false)
    }
  })

  it("has the thumbprint of RFC 7638 as its id", () => {
    // The example of RFC 8037, appendix A.3.
    const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    const d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
    strictEqual(key.asymmetricKeyType, "ed25519")
    // PKCS #8 of an Ed25519 key is a fixed head and the 32 bytes.
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(d, "base64url")])
    const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----`
    strictEqual(CheckpointKey.signer(Redacted.make(pem))?.kid, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  })

  it("is an Ed25519 private key as PEM, and no point off the curve verifies", () => {
    const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    const wrong = [
      "",
      "a key of checkpoints, 32 bytes or more",
      p256.export({ format: "pem", type: "pkcs8" }).toString()
    ]
    for (const text of wrong) strictEqual(CheckpointKey.signer(Redacted.make(text)), undefined)
    const { kid, sign } = one.signer
    const cut = { ...one.publicKey, x: one.publicKey.x.slice(0, 20) }
    strictEqual(CheckpointKey.verifier({ keys: [cut] })(kid, "a", sign("a")), false)
  })
})
