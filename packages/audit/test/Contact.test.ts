import { Contact } from "@crossdock/audit"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"

describe("A person is found", () => {
  it("by an e-mail address in any case and normalisation", () => {
    const address = FastCheck.tuple(
      FastCheck.constantFrom("asha", "josé.ñúñez", "Ünal", "ﬁona"),
      FastCheck.nat(99)
    ).map(([name, n]) => `${name}${n}@example.com`)
    const form = FastCheck.constantFrom("NFC", "NFD", "NFKC", "NFKD")
    const casing = FastCheck.constantFrom(
      (text: string) => text.toUpperCase(),
      (text: string) => text.toLowerCase()
    )
    FastCheck.assert(
      FastCheck.property(
        address,
        form,
        casing,
        (one, normal, cased) => Contact.folded(` ${cased(one.normalize(normal))}`) === Contact.folded(one)
      )
    )
  })

  const digits = FastCheck.array(FastCheck.integer({ min: 0, max: 9 }), { minLength: 10, maxLength: 10 })
  const prefix = FastCheck.constantFrom("", "0", "+91", "0091", "(+91)", "+91-0", "tel:+91", "＋９１")
  const separator = FastCheck.constantFrom("", " ", "-", ".", "\u00a0", "\u2013", "/", ") ")
  const zero = FastCheck.constantFrom(..."0０०০੦૦௦౦೦൦٠۰𝟎")
  const number = FastCheck.tuple(digits, prefix, separator, zero)

  it("by a telephone number in any usual writing and script", () => {
    FastCheck.assert(
      FastCheck.property(number, ([own, before, between, first]) => {
        const script = own.map((digit) => String.fromCodePoint((first.codePointAt(0) ?? 0) + digit))
        const written = [before, script.slice(0, 5).join(""), script.slice(5).join("")].join(between)
        strictEqual(Contact.telephone(written), own.join(""))
        deepStrictEqual(Contact.telephones(written), [own.join("")])
      })
    )
  })

  it("by a telephone number with other text around it in a field of such numbers", () => {
    const before = FastCheck.constantFrom("", "Tel. ", "mobile: ", "घर ", "2nd phone ")
    const after = FastCheck.constantFrom("", " (home)", " ext. 5", " x12", ";ext=5", "#12", ", Asha", " घर")
    FastCheck.assert(
      FastCheck.property(number, before, after, ([own, code, between], front, back) => {
        const written = [code, own.slice(0, 5).join(""), own.slice(5).join("")].join(between)
        deepStrictEqual(Contact.telephones(front + written + back), [own.join("")])
      })
    )
    deepStrictEqual(Contact.telephones("98765 43210 (home), 91234 56789 (office)"), ["9876543210", "9123456789"])
  })

  it("by all digits of a telephone number that has fewer than ten", () => {
    for (const written of ["6123-4567", "61234567", "Tel. 6123 4567"])
      deepStrictEqual(Contact.telephones(written), ["61234567"])
    deepStrictEqual(Contact.telephones("ext. 12"), [])
  })

  it("by the digits of every script that a digit is known for", () => {
    for (const system of Intl.supportedValuesOf("numberingSystem")) {
      const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false })
      if (!/^\p{Nd}+$/u.test(format.format(1234567890))) continue
      deepStrictEqual(Contact.telephones(format.format(9876543210)), ["9876543210"], system)
    }
  })

  it("by an IP address as a whole, which is no telephone number", () => {
    const ips = FastCheck.oneof(FastCheck.ipV4(), FastCheck.ipV6())
    FastCheck.assert(
      FastCheck.property(ips, (one) => Contact.folded(one) === one && Contact.telephone(one) === undefined)
    )
    strictEqual(Contact.telephone("192.168.10.123"), undefined)
  })

  it("and nobody else by a part of an id, a time or an e-mail address", () => {
    for (const other of ["29/03/2026 10:15", "17328629784861446350", "User-9876543210", "9876543210@example.com", ""])
      strictEqual(Contact.telephone(other), undefined)
    deepStrictEqual(Contact.telephones("9876543210@example.com"), [])
  })
})
