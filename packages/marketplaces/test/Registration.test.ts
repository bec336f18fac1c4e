import { CompanyId } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const company = CompanyId.make(1)
const location = {
  companyId: company,
  code: "BLR1",
  name: "Bengaluru",
  currency: "INR",
  handlingHours: 24,
  address: null
}
const known = [location, { ...location, code: "BOM1" }, { ...location, code: "SGP1", currency: "SGD" }]

const sound: Registration.Registration = {
  slug: "night-market",
  name: "Night Market",
  currency: "INR",
  password: "a long password",
  locations: [{ companyId: company, location: "BLR1", code: "N-1" }],
  skus: null,
  buffers: [{ companyId: null, location: null, sku: null, quantity: 2 }],
  webhook: {
    url: "https://night.example/inventory?key=1",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    authentication: { type: "none" }
  }
}
const { webhook } = sound

const violationsWith = (more: Partial<Registration.Registration>, present = { password: false, secret: false }) =>
  Registration.violationsOf({ ...sound, ...more }, known, present).map(({ code, path }) => `${path} ${code}`)

const withWebhook = (more: Partial<NonNullable<Registration.Registration["webhook"]>>) =>
  violationsWith({ webhook: webhook === null ? null : { ...webhook, ...more } })

describe("Registration", () => {
  it("accepts a valid one, and one without a webhook", () => {
    deepStrictEqual(violationsWith({}), [])
    deepStrictEqual(violationsWith({ webhook: null, buffers: [], locations: [] }), [])
    deepStrictEqual(violationsWith({ skus: ["A"] }), [])
  })

  it("lists everything that is wrong at once, each with its path", () => {
    deepStrictEqual(
      violationsWith({ slug: "Night Market", name: "", currency: "RUP", password: "short", skus: [""] }),
      [
        "/slug INVALID_VALUE",
        "/name INVALID_VALUE",
        "/currency INVALID_CURRENCY",
        "/password INVALID_VALUE",
        "/locations/0/location CURRENCY_MISMATCH",
        "/skus/0 INVALID_VALUE"
      ]
    )
  })

  it("counts characters, and takes one line of text without control characters", () => {
    const gifts = (count: number) => "🎁".repeat(count)
    deepStrictEqual(violationsWith({ name: gifts(300), password: gifts(12), skus: [gifts(2000)] }), [])
    deepStrictEqual(violationsWith({ name: gifts(301), password: gifts(11) }), [
      "/name INVALID_VALUE",
      "/password INVALID_VALUE"
    ])
    for (const odd of ["\u0000", "\n", "\r", "\u007f", "\ud83d"]) {
      const locations = [{ companyId: company, location: "BLR1", code: `N${odd}` }]
      deepStrictEqual(
        violationsWith({ name: `N${odd}`, password: `${"p".repeat(12)}${odd}`, skus: [`A${odd}`], locations }),
        ["/name INVALID_VALUE", "/password INVALID_VALUE", "/locations/0/code INVALID_VALUE", "/skus/0 INVALID_VALUE"]
      )
      deepStrictEqual(withWebhook({ url: `https://a.example/${odd}` }).length, 1)
      for (const authentication of [
        { type: "basic", username: `u${odd}`, password: "p" },
        { type: "basic", username: "u", password: `p${odd}` }
      ] as const) {
        strictEqual(withWebhook({ authentication }).length, 1)
      }
    }
  })

  it("maps known locations of the marketplace's currency, each once, each with its own code", () => {
    const [first] = sound.locations
    const at = (location: string, code: string) => ({ companyId: company, location, code })
    deepStrictEqual(violationsWith({ locations: [at("XXX", "N-1")] }), ["/locations/0/location UNKNOWN_LOCATION"])
    deepStrictEqual(violationsWith({ locations: [at("SGP1", "N-1")] }), ["/locations/0/location CURRENCY_MISMATCH"])
    deepStrictEqual(violationsWith({ locations: first ? [first, at("BOM1", "N-1")] : [] }), [
      "/locations/1/code DUPLICATE_RECORD"
    ])
    deepStrictEqual(violationsWith({ locations: first ? [first, at("BLR1", "N-2")] : [] }), [
      "/locations/1/location DUPLICATE_RECORD"
    ])
    deepStrictEqual(violationsWith({ locations: [at("BLR1", "")] }), ["/locations/0/code INVALID_VALUE"])
  })

  it("a slug is words of small letters and digits, joined by -; slug, name, code and password have their lengths", () => {
    for (const slug of ["a", "a-1-b", "a".repeat(100)]) deepStrictEqual(violationsWith({ slug }), [])
    for (const slug of ["", "-a", "a-", "a--b", "a_b", "A", "a".repeat(101)]) {
      deepStrictEqual(violationsWith({ slug }), ["/slug INVALID_VALUE"])
    }
    deepStrictEqual(violationsWith({ name: "n".repeat(300), password: "p".repeat(12) }), [])
    deepStrictEqual(violationsWith({ name: "n".repeat(301), password: "p".repeat(11) }), [
      "/name INVALID_VALUE",
      "/password INVALID_VALUE"
    ])
    const codeOf = (length: number) => [{ companyId: company, location: "BLR1", code: "c".repeat(length) }]
    deepStrictEqual(violationsWith({ locations: codeOf(100) }), [])
    deepStrictEqual(violationsWith({ locations: codeOf(101) }), ["/locations/0/code INVALID_VALUE"])
  })

  it("locations of two companies may have the same code; each is its own company's", () => {
    const other = CompanyId.make(2)
    const [mapping] = sound.locations
    const mapped = mapping ? [mapping, { ...mapping, companyId: other, code: "N-2" }] : []
    const violations = (all: typeof known) =>
      Registration.violationsOf({ ...sound, locations: mapped }, all, { password: false, secret: false }).map(
        ({ code, path }) => `${path} ${code}`
      )
    deepStrictEqual(violations([location, { ...location, companyId: other }]), [])
    deepStrictEqual(violations([location]), ["/locations/1/location UNKNOWN_LOCATION"])
  })

  it("a password and a secret are required once", () => {
    deepStrictEqual(violationsWith({ password: null }), ["/password INVALID_VALUE"])
    deepStrictEqual(violationsWith({ password: null }, { password: true, secret: false }), [])
    deepStrictEqual(withWebhook({ secret: null }), ["/webhook/secret INVALID_VALUE"])
    deepStrictEqual(
      violationsWith(
        { webhook: webhook === null ? null : { ...webhook, secret: null } },
        { password: true, secret: true }
      ),
      []
    )
  })

  it("a buffer is a whole number of units from 0 to a billion", () => {
    const buffer = (quantity: number) =>
      violationsWith({ buffers: [{ companyId: null, location: null, sku: null, quantity }] })
    for (const quantity of [0, 1_000_000_000]) deepStrictEqual(buffer(quantity), [])
    for (const quantity of [-1, 1.5, 1_000_000_001, Number.NaN]) {
      deepStrictEqual(buffer(quantity), ["/buffers/0/quantity INVALID_VALUE"])
    }
  })

  it("a secret is whsec_ and 24 to 64 bytes in base64", () => {
    const secret = (bytes: number) => withWebhook({ secret: `whsec_${Buffer.alloc(bytes, 1).toString("base64")}` })
    for (const bytes of [24, 64]) deepStrictEqual(secret(bytes), [])
    for (const bytes of [0, 23, 65]) deepStrictEqual(secret(bytes), ["/webhook/secret INVALID_VALUE"])
    for (const text of ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!!"]) {
      deepStrictEqual(withWebhook({ secret: text }), ["/webhook/secret INVALID_VALUE"])
    }
  })

  it("an address is http or https and has no user", () => {
    for (const url of ["http://a.example", "HTTPS://a.example:8443/x?y=1"]) deepStrictEqual(withWebhook({ url }), [])
    for (const url of [
      "",
      "ftp://a.example",
      "https://",
      "https://user:secret@a.example/",
      "a.example",
      "https://a b",
      "https://a.example/x y",
      "see https://a.example"
    ]) {
      deepStrictEqual(withWebhook({ url }), ["/webhook/url INVALID_VALUE"])
    }
  })

  it("an authentication can be sent, and is no header that notifications use", () => {
    const header = (name: string, value: string) => withWebhook({ authentication: { type: "header", name, value } })
    deepStrictEqual(header("x-api-key", "secret"), [])
    deepStrictEqual(header("x-api-key", "secret\r\nx-other: 1"), ["/webhook/authentication/value INVALID_VALUE"])
    deepStrictEqual(header("x-host", "\t a~".padEnd(2000, "b")), [])
    deepStrictEqual(header("hosts", "s"), [])
    for (const value of ["", "a".repeat(2001), "\u00E9", "\ns"]) {
      deepStrictEqual(header("x-api-key", value), ["/webhook/authentication/value INVALID_VALUE"])
    }
    deepStrictEqual(header("n".repeat(100), "s"), [])
    for (const name of ["n".repeat(101), "x:", " x", "transfer-encoding", "Connection"]) {
      deepStrictEqual(header(name, "s"), ["/webhook/authentication/name INVALID_VALUE"])
    }
    deepStrictEqual(withWebhook({ authentication: { type: "bearer", token: "t" } }), [])
    deepStrictEqual(withWebhook({ authentication: { type: "basic", username: "a", password: "p:" } }), [])
    deepStrictEqual(withWebhook({ authentication: { type: "basic", username: "", password: "p" } }), [
      "/webhook/authentication/username INVALID_VALUE"
    ])
    for (const name of ["", "x api", "Content-Length", "webhook-id", "host", "x-crossdock-number"]) {
      deepStrictEqual(header(name, "secret"), ["/webhook/authentication/name INVALID_VALUE"])
    }
    deepStrictEqual(withWebhook({ authentication: { type: "bearer", token: "a\nb" } }), [
      "/webhook/authentication/token INVALID_VALUE"
    ])
    deepStrictEqual(withWebhook({ authentication: { type: "basic", username: "a:b", password: "" } }), [
      "/webhook/authentication/username INVALID_VALUE",
      "/webhook/authentication/password INVALID_VALUE"
    ])
  })
})
