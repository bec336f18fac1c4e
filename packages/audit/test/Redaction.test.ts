import { Redaction } from "@crossdock/audit"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Redacted } from "effect"
import * as FastCheck from "fast-check"
import { processorMillis } from "../../kernel/test/processorMillis.ts"

/** A body of a request may have a megabyte. */
const largest = 2 ** 20

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
    deepStrictEqual(Redaction.withoutPersonalData(sent), sent)
  })

  it("has another mark for what identifies a person, and keeps everything else", () => {
    const sent = { first_name: "Asha", address: { city: "Pune" }, items: [{ phone: "1" }, null], n: 0 }
    deepStrictEqual(Redaction.withoutPersonalData(sent), {
      first_name: "[personal]",
      address: "[personal]",
      items: [{ phone: "[personal]" }, null],
      n: 0
    })
  })

  it("never has the value of a Redacted, whatever its field is called", () => {
    deepStrictEqual(Redaction.withoutSecrets({ note: Redacted.make("s") }), { note: "[REDACTED]" })
    deepStrictEqual(Redaction.withoutPersonalData({ list: [Redacted.make("s")] }), { list: ["[REDACTED]"] })
  })

  const affix = FastCheck.constantFrom(
    ..."old db user x confirmation hash pem value header access s 2 1st".split(" "),
    ""
  )
  const letters: ReadonlyArray<(letter: string) => string> = [
    (letter) => letter,
    (letter) => letter.toUpperCase(),
    (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
    (letter) => `${letter}\u0301`
  ]
  const between = FastCheck.constantFrom("", "", "", "_", "-", " ", ".", "\u200b", "7", "２")
  const writing = (name: string) =>
    FastCheck.array(FastCheck.tuple(FastCheck.constantFrom(...letters), between), {
      minLength: name.length,
      maxLength: name.length
    }).map((parts) => parts.map(([change, after], nth) => change(name.charAt(nth)) + after).join(""))

  const words =
    "password passwd pwd passphrase secret token authorization authorisation auth apikey privatekey cookie cvv"
  it.each(words.split(" "))(
    "has no value of a field that names a secret, in any writing and at any depth: %s",
    (word) => {
      FastCheck.assert(
        FastCheck.property(
          FastCheck.tuple(affix, affix).chain(([before, after]) => writing(before + word + after)),
          (name) => {
            const sent = { [name]: "canary", a: [{ b: { [name]: { c: "canary" } } }] }
            return !JSON.stringify(Redaction.withoutSecrets(sent)).includes("canary")
          }
        )
      )
    }
  )

  it("takes a time that grows with the size of the record alone, however its names are made", () => {
    const names = (size: number): ReadonlyArray<ReadonlyArray<string>> => [
      ...["a.", "aA", "a1", "pwda_", "author", "secretar", "ﷺ"].map((part) => [
        part.repeat(size / Buffer.byteLength(part))
      ]),
      Array.from({ length: size / 100 }, (_, nth) => `${"aB_".repeat(30)}${nth}`)
    ]
    const of = (size: number) => {
      const began = processorMillis()
      for (const keys of names(size)) {
        const sent = Object.fromEntries(keys.map((key) => [key, 1]))
        Redaction.withoutPersonalData(Redaction.withoutSecrets(sent))
      }
      return processorMillis() - began
    }
    of(1_000)
    const [short, long] = [of(largest / 4), of(largest)]
    assertTrue(long < 10 * short + 200, `${short} ms, ${long} ms`)
  })

  it("has no person's telephone number or e-mail address under a name of several words", () => {
    const names = ["customer_phone", "phone2", "E-Mail 1", "alternateMobile", "billing_email_address", "ｐｈｏｎｅ"]
    for (const name of names) deepStrictEqual(Redaction.withoutPersonalData({ [name]: "x" }), { [name]: "[personal]" })
  })

  it("keeps fields whose names only look like a secret's", () => {
    const sent = {
      ...{ author: "Asha", secretary: "Ravi", authority: "GST", passenger: 1, keyboard: "in", bypass: true },
      ...{ co_authors: ["Ravi"], authentic: true, pincode: "560001", passport: 1, compass: 1, secretariat: 1 }
    }
    deepStrictEqual(Redaction.withoutSecrets(sent), sent)
  })
})
