/**
 * The same laws for Node's adapters and the portable ones, each also on what the other wrote.
 */
import { DigestNode, LinkSignerHmac, NonceNode, PasswordHashScrypt, SignerNode } from "@crossdock/crypto"
import {
  DigestPortable,
  LinkSignerPortable,
  NoncePortable,
  PasswordHashPortable,
  SignerPortable
} from "@crossdock/crypto/portable"
import { describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted } from "effect"

const cheap = { logN: 4, blockSize: 8, parallel: 1 }
const secret = Redacted.make("a secret of the tests, 32 bytes or more")
const other = Redacted.make("another secret, with 32 bytes or more")

const adapters = {
  Node: {
    digest: DigestNode.make,
    links: LinkSignerHmac.make,
    nonce: NonceNode.make,
    passwords: PasswordHashScrypt.make(cheap),
    dearPasswords: PasswordHashScrypt.make(),
    checkpoints: SignerNode.make
  },
  portable: {
    digest: DigestPortable.make,
    links: LinkSignerPortable.make,
    nonce: NoncePortable.make,
    passwords: PasswordHashPortable.make(cheap),
    dearPasswords: PasswordHashPortable.make(),
    checkpoints: SignerPortable.make
  }
}

const texts = ["", "a", "कुर्ता 😀", "x".repeat(100_000)]

for (const [writer, written] of Object.entries(adapters)) {
  for (const [reader, read] of Object.entries(adapters)) {
    describe(`What the ${writer} adapters wrote, read by the ${reader} ones`, () => {
      it.effect("a password matches its own hash and no other password does", () =>
        Effect.forEach(["correct horse battery", "", "पासवर्ड 😀", "p".repeat(1000)], (password) =>
          Effect.gen(function* () {
            const hash = yield* written.passwords.hash(password)
            assertTrue(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/.test(hash), hash)
            assertTrue(yield* read.passwords.verify(password, hash))
            assertFalse(yield* read.passwords.verify(`${password} `, hash))
          })
        )
      )

      it.effect("a hash of the recommended cost is verified with any cost set", () =>
        Effect.gen(function* () {
          const hash = yield* written.dearPasswords.hash("correct horse battery")
          assertTrue(hash.startsWith("$scrypt$ln=14,r=8,p=5$"))
          assertTrue(yield* read.passwords.verify("correct horse battery", hash))
        })
      )

      it("a link's signature matches its text alone, also after the secret has changed", () => {
        for (const text of texts) {
          const signature = written.links(secret).sign(text)
          assertTrue(/^[\w-]{43}$/.test(signature), signature)
          assertTrue(read.links(secret).matches(text, signature))
          assertTrue(read.links(other, [secret]).matches(text, signature))
          assertFalse(read.links(other).matches(text, signature))
          assertFalse(read.links(secret).matches(`${text}.`, signature))
          for (const forged of ["", signature.slice(1), `${signature}A`, `B${signature.slice(1)}`]) {
            assertFalse(read.links(secret).matches(text, forged === signature ? "" : forged))
          }
        }
      })

      it("a checkpoint's signature matches its text and its key alone", () => {
        for (const text of texts) {
          const signature = written.checkpoints(secret).sign(text)
          assertTrue(read.checkpoints(secret).isSigned(text, signature))
          assertFalse(read.checkpoints(other).isSigned(text, signature))
          assertFalse(read.checkpoints(secret).isSigned(`${text}.`, signature))
          assertFalse(read.checkpoints(secret).isSigned(text, ""))
        }
      })

      it("the digest of a text is the same", () => {
        deepStrictEqual(texts.map(written.digest.sha256), texts.map(read.digest.sha256))
      })
    })
  }
}

describe.each(Object.entries(adapters))("The %s adapters", (_, { digest, dearPasswords, nonce, passwords }) => {
  it("SHA-256 is that of the standard", () => {
    strictEqual(digest.sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it.effect("a text that is no hash, or whose parameters are impossible, matches no password", () =>
    Effect.gen(function* () {
      const good = yield* passwords.hash("x")
      const bad = [
        "",
        "x",
        good.replace("ln=4", "ln=99"),
        good.replace("ln=4", "ln=0"),
        good.replace("r=8", "r=0"),
        good.replace("p=1", "p=0"),
        good.replace("ln=4", "ln=5"),
        good.slice(0, -1),
        `${good}A`,
        `${good}AA`,
        `$scrypt$ln=4,r=8,p=1$A$${good.split("$")[5]}`,
        good.replace("scrypt", "argon2id")
      ]
      for (const hash of bad) assertFalse(yield* dearPasswords.verify("x", hash), hash)
    })
  )

  it.effect("salts and nonces are never the same", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 100 })
      const nonces = yield* Effect.forEach(many, () => nonce.hex)
      assertTrue(nonces.every((one) => /^[0-9a-f]{32}$/.test(one)))
      const hashes = yield* Effect.forEach(many, () => passwords.hash("x"))
      strictEqual(new Set([...nonces, ...hashes]).size, 200)
    })
  )
})
