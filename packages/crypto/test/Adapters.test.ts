/** The same laws for Node's adapters and the portable ones, each also on the other's output. */
import { DigestNode, LinkSignerHmac, NonceNode, PasswordHashScrypt, SecretCipherNode } from "@crossdock/crypto"
import {
  DigestPortable,
  LinkSignerPortable,
  NoncePortable,
  PasswordHashPortable,
  SecretCipherPortable
} from "@crossdock/crypto/portable"
import type { SecretCipher } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Result } from "effect"

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
    secrets: SecretCipherNode.make
  },
  portable: {
    digest: DigestPortable.make,
    links: LinkSignerPortable.make,
    nonce: NoncePortable.make,
    passwords: PasswordHashPortable.make(cheap),
    dearPasswords: PasswordHashPortable.make(),
    secrets: SecretCipherPortable.make
  }
}

const key = Redacted.make(new Uint8Array(32).fill(7))
const otherKey = Redacted.make(new Uint8Array(32).fill(8))

const texts = ["", "a", "कुर्ता 😀", "x".repeat(100_000)]

const faultOf = (cipher: SecretCipher.Cipher, encrypted: string, place: string) => {
  const { keyId } = Result.getOrThrow(Result.flip(cipher.decrypt(encrypted, place)))
  return { keyId }
}

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

      it("a secret is decrypted in its own place alone, also after the key has changed", () => {
        for (const text of texts) {
          const encrypted = written.secrets(key).encrypt(text, "row 1") ?? ""
          assertTrue(/^v1\.[0-9a-f]{12}\.[\w-]{16}\.[\w-]{22,}$/.test(encrypted), encrypted)
          const [present, rotated] = [read.secrets(key), read.secrets(otherKey, [key])]
          deepStrictEqual(present.decrypt(encrypted, "row 1"), Result.succeed(text))
          deepStrictEqual(rotated.decrypt(encrypted, "row 1"), Result.succeed(text))
          deepStrictEqual(
            [present, rotated].map((cipher) => cipher.isCurrent(encrypted)),
            [true, false]
          )
          deepStrictEqual(faultOf(present, encrypted, "row 2"), { keyId: null })
          deepStrictEqual(faultOf(read.secrets(otherKey), encrypted, "row 1"), { keyId: encrypted.split(".")[1] ?? "" })
        }
      })

      it("a changed or cut ciphertext is damaged, and any other text names no key", () => {
        const encrypted = written.secrets(key).encrypt("a secret", "row") ?? ""
        const [version = "", id = "", nonce = "", text = ""] = encrypted.split(".")
        const flipped = `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`
        for (const parts of [
          [nonce, flipped],
          [nonce, text.slice(0, -4)],
          [nonce, text.slice(0, 8)],
          [nonce.slice(0, 12), text],
          [text, nonce]
        ]) {
          deepStrictEqual(faultOf(read.secrets(key), [version, id, ...parts].join("."), "row"), { keyId: null })
        }
        // Truncated or overwritten text names no key that a host could be given, and isn't shown.
        const whole = read.secrets(key).encrypt("a secret", "row") ?? ""
        for (const damaged of [
          "nothing",
          "v1.\u001b[2J.a.b",
          whole.slice(0, 20),
          whole.split(".").slice(0, 3).join(".")
        ]) {
          deepStrictEqual(faultOf(read.secrets(key), damaged, "row"), { keyId: null })
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

describe("Encrypted secrets", () => {
  it("differ for the same text, and have nothing of the text, its place or the key", () => {
    for (const { secrets } of Object.values(adapters)) {
      const cipher = secrets(key)
      const all = Array.from({ length: 100 }, () => cipher.encrypt("whsec_canary", "row canary") ?? "")
      strictEqual(new Set(all).size, 100)
      const inside = all.map((one) => Buffer.from(one.split(".")[3] ?? "", "base64url").toString("latin1")).join()
      strictEqual(`${all.join()} ${inside}`.includes("canary"), false)
    }
  })
})
