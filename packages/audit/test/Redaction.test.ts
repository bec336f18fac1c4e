import { Redaction } from "@crossdock/audit"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Redacted } from "effect"

describe("What an audit record keeps", () => {
  it("has a mark in place of each secret, however its name is written, also inside lists", () => {
    const sent = { "Api-Key": "k", access_token: { raw: "t" }, list: [{ password: "p", n: 1 }, "x"], n: 2 }
    deepStrictEqual(Redaction.withoutSecrets(sent), {
      "Api-Key": "[secret]",
      access_token: "[secret]",
      list: [{ password: "[secret]", n: 1 }, "x"],
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
    deepStrictEqual(Redaction.withoutSecrets({ note: Redacted.make("s") }), { note: "[secret]" })
    deepStrictEqual(Redaction.withoutPersons([Redacted.make("s")]), ["[secret]"])
  })
})
