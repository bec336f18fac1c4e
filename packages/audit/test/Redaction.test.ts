import { Redaction } from "@crossdock/audit"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Redacted } from "effect"

describe("What an audit record keeps", () => {
  it("has a mark in place of each secret, however its name is written, also inside lists", () => {
    const sent = { "Api-Key": "k", access_token: { raw: "t" }, list: [{ password: "p", n: 1 }, "x"], n: 2 }
    deepStrictEqual(Redaction.withoutSecrets(sent), {
      "Api-Key": "[REDACTED]",
      access_token: "[REDACTED]",
      list: [{ password: "[REDACTED]", n: 1 }, "x"],
      n: 2
    })
  })

  it("shows that a field of a person or a secret was sent without a value", () => {
    const sent = { password: "", token: null, email: "", phone: null }
    deepStrictEqual(Redaction.withoutSecrets(sent), sent)
    deepStrictEqual(Redaction.withoutPersons(sent), sent)
  })

  it("has another mark for what identifies a person, and keeps everything else", () => {
    const sent = { first_name: "Asha", address: { city: "Pune" }, items: [{ phone: "1" }, null], n: 0 }
    deepStrictEqual(Redaction.withoutPersons(sent), {
      first_name: "[personal]",
      address: "[personal]",
      items: [{ phone: "[personal]" }, null],
      n: 0
    })
  })

  it("never has the value of a Redacted, whatever its field is called", () => {
    deepStrictEqual(Redaction.withoutSecrets({ note: Redacted.make("s") }), { note: "[REDACTED]" })
    deepStrictEqual(Redaction.withoutPersons({ list: [Redacted.make("s")] }), { list: ["[REDACTED]"] })
  })

  const words = "password passwd pwd passphrase secret token authorization auth api_key private_key cookie".split(" ")
  const writings = [
    (word: string) => word,
    (word: string) => word.toUpperCase(),
    (word: string) => word.replaceAll("_", "-"),
    (word: string) => word.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase()),
    (word: string) => word.replaceAll("_", ""),
    (word: string) => `db_${word}`,
    (word: string) => `x-${word}-2`,
    (word: string) => `${word}s`,
    (word: string) => `${word.toUpperCase().replaceAll("_", "")}Hash`,
    (word: string) => `old${word[0]?.toUpperCase()}${word.slice(1).replaceAll("_", "")}Hash`
  ]

  it.each(words)("has no value of a field that names a secret, in any writing and at any depth: %s", (word) => {
    for (const name of writings.map((writing) => writing(word))) {
      const sent = { [name]: "canary", a: [{ b: { [name]: { c: "canary" } } }] }
      assertTrue(!JSON.stringify(Redaction.withoutSecrets(sent)).includes("canary"), name)
    }
  })

  it("keeps fields whose names only look like a secret's", () => {
    const sent = { author: "Asha", secretary: "Ravi", authority: "GST", passenger: 1, keyboard: "in", bypass: true }
    deepStrictEqual(Redaction.withoutSecrets(sent), sent)
  })
})
