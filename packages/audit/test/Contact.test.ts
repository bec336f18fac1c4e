import { Contact } from "@crossdock/audit"
import { describe, it } from "@effect/vitest"
import { strictEqual } from "@effect/vitest/utils"
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

  it("by a telephone number in any usual writing", () => {
    const digits = FastCheck.array(FastCheck.integer({ min: 0, max: 9 }), { minLength: 10, maxLength: 10 })
    const prefix = FastCheck.constantFrom("", "0", "+91", "0091", "(+91)", "+91-0", "tel:+91", "＋９１")
    const separator = FastCheck.constantFrom("", " ", "-", ".", "\u00a0", "\u2013", "/")
    FastCheck.assert(
      FastCheck.property(digits, prefix, separator, (own, before, between) => {
        const written = [before, own.slice(0, 5).join(""), own.slice(5).join("")].join(between)
        return Contact.folded(written) === own.join("")
      })
    )
  })

  it("by an IP address as a whole", () => {
    const ips = FastCheck.oneof(FastCheck.ipV4(), FastCheck.ipV6())
    FastCheck.assert(
      FastCheck.property(ips, ips, (one, other) => Contact.folded(one) === one && Contact.folded(other) === other)
    )
    strictEqual(Contact.folded("192.168.10.123"), "192.168.10.123")
  })

  it("and nobody else by a part of an id or a time", () => {
    strictEqual(Contact.folded("29/03/2026 10:15"), "29/03/2026 10:15")
    strictEqual(Contact.folded("17328629784861446350"), "17328629784861446350")
    strictEqual(Contact.folded("User-9876543210"), "user-9876543210")
  })
})
