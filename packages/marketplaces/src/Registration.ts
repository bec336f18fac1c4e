/**
 * The registration of a marketplace, and the rule that checks it. Source: docs/reference/notifications.md#registration.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Registration } from "@crossdock/marketplaces"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const companyId = CompanyId.make(1)
 * const location = { companyId, code: "BLR1", name: "Bengaluru", currency: "INR", handlingHours: 24, address: null }
 * const names = { slug: "bazaar", name: "Bazaar", currency: "USD", password: "correct horse battery" }
 * const mapping = { companyId, location: "BLR1", code: "B-1" }
 * const registration = { ...names, locations: [mapping], skus: null, buffers: [], webhook: null }
 * const violations = Registration.violationsOf(registration, [location], { password: false, secret: false })
 * deepStrictEqual(violations.map(({ code, path }) => [code, path]), [["CURRENCY_MISMATCH", "/locations/0/location"]])
 * ```
 */
import type { Location } from "@crossdock/access"
import { frozen, Instant, Money, required, Text, type Violation } from "@crossdock/kernel"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { LocationMapping, Marketplace, Webhook, WebhookAuthentication } from "./Marketplace.ts"

/** The limits of a marketplace's registration. Source: docs/reference/notifications.md#registration. */
export const Limits = /* @__PURE__ */ frozen({
  slugLength: 100,
  nameLength: 300,
  /** The fewest characters of a password. */
  shortestPassword: 12,
  /** The most characters of the marketplace's code for a location. */
  codeLength: 100,
  bufferUnits: 1_000_000_000,
  /** The fewest and the most bytes of a webhook secret, as Standard Webhooks recommends. */
  secretBytes: { least: 24, most: 64 },
  /** A replaced webhook secret remains valid for this many milliseconds: one day. */
  retiringSecretMillis: Instant.dayMillis
} as const)

/** The settings of a marketplace. If `secret`, `authentication` or `password` is null, its current value is kept. */
export interface Registration
  extends Pick<Marketplace, "slug" | "name" | "currency" | "locations" | "skus" | "buffers"> {
  readonly password: string | null
  readonly webhook: {
    readonly url: string
    readonly secret: string | null
    readonly authentication: WebhookAuthentication | null
  } | null
}

/** The registration that a marketplace has now. Registering it again changes nothing. */
export const of = ({ buffers, currency, locations, name, skus, slug, webhook }: Marketplace): Registration => ({
  slug,
  name,
  currency,
  password: null,
  locations,
  skus,
  buffers,
  webhook: webhook === null ? null : { url: webhook.url, secret: null, authentication: null }
})

const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** The characters that the value of a header may contain. A line break could start another header. */
const headerValue = /^[\t\x20-\x7e]{1,2000}$/
const ownHeaders = /^(host|content-.*|transfer-encoding|connection|webhook-.*|x-crossdock-.*)$/i

/** Whether a text is a signing secret in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64. */
export const isWebhookSecret = (secret: string): boolean =>
  secret.startsWith("whsec_") &&
  Result.match(Base64.decode(secret.slice("whsec_".length)), {
    onFailure: () => false,
    onSuccess: ({ length }) => length >= Limits.secretBytes.least && length <= Limits.secretBytes.most
  })

/** Whether a webhook can have this address. The scheme must be http or https, and the address must not contain a user. */
export const isWebhookUrl = (url: string): boolean =>
  /^https?:\/\/[^\s\p{Cc}\p{Cs}/?#@]+([/?#][^\s\p{Cc}\p{Cs}]*)?$/iu.test(url)

const authenticationChecks = (asked: WebhookAuthentication): ReadonlyArray<readonly [string, boolean, string]> => {
  const value = (field: string, text: string) =>
    [field, headerValue.test(text), "must be 1 to 2,000 printable ASCII characters"] as const
  switch (asked.type) {
    case "none":
      return []
    case "basic":
      return [
        [
          "username",
          Text.isLine(asked.username, Text.maxLength) && !asked.username.includes(":"),
          "must be one line of 1 to 2,000 characters without a colon"
        ],
        ["password", Text.isLine(asked.password, Text.maxLength), "must be one line of 1 to 2,000 characters"]
      ]
    case "bearer":
      return [value("token", asked.token)]
    case "header":
      return [
        [
          "name",
          headerName.test(asked.name) && !ownHeaders.test(asked.name),
          "must be a valid header name that notifications do not use themselves"
        ],
        value("value", asked.value)
      ]
  }
}

/** The faults of a password. Their code is `INVALID_VALUE`. */
export const passwordViolations = (password: string): ReadonlyArray<Violation> =>
  Text.isLine(password, Text.maxLength) && Text.isLonger(password, Limits.shortestPassword - 1)
    ? []
    : [{ path: "/password", code: "INVALID_VALUE", message: "must be one line of 12 to 2,000 characters" }]

/**
 * All faults of a registration. `locations` are all locations of its companies. A `stored` password or secret may be null.
 * The codes are `INVALID_VALUE`, `INVALID_CURRENCY`, `UNKNOWN_LOCATION`, `CURRENCY_MISMATCH` and `DUPLICATE_RECORD`.
 */
export const violationsOf = (
  registration: Registration,
  locations: ReadonlyArray<Location>,
  stored: { readonly password: boolean; readonly secret: boolean }
): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const check = (fine: boolean, path: string, message: string, code = "INVALID_VALUE") => {
    if (!fine) violations.push({ path, code, message })
  }
  const { buffers, currency, locations: mapped, name, password, skus, slug, webhook } = registration
  const isSlug = slug.length <= Limits.slugLength && slugPattern.test(slug)
  check(isSlug, "/slug", "must be words of a to z and 0 to 9, joined by -, of at most 100 characters")
  check(Text.isLine(name, Limits.nameLength), "/name", "must be one line of 1 to 300 characters")
  check(Money.exponent(currency) !== undefined, "/currency", "is not an ISO 4217 currency", "INVALID_CURRENCY")
  check(stored.password || password !== null, "/password", "is required for a new marketplace")
  if (password !== null) violations.push(...passwordViolations(password))
  for (const [at, { code, companyId, location }] of mapped.entries()) {
    const path = `/locations/${at}/location`
    const known = locations.find((one) => one.companyId === companyId && one.code === location)
    check(known !== undefined, path, `is not a location of company ${companyId}`, "UNKNOWN_LOCATION")
    const same = known === undefined || known.currency === currency
    check(same, path, `sells in ${known?.currency}, and the marketplace in ${currency}`, "CURRENCY_MISMATCH")
    const first = mapped.findIndex((one) => one.code === code)
    check(first === at, `/locations/${at}/code`, "is already mapped: give each code once", "DUPLICATE_RECORD")
    const firstMapping = mapped.findIndex((one) => one.companyId === companyId && one.location === location)
    check(firstMapping === at, path, "is already mapped: map each location once", "DUPLICATE_RECORD")
    check(Text.isLine(code, Limits.codeLength), `/locations/${at}/code`, "must be one line of 1 to 100 characters")
  }
  for (const [at, sku] of (skus ?? []).entries())
    check(Text.isLine(sku, Text.maxLength), `/skus/${at}`, "must be one line of 1 to 2,000 characters")
  for (const [at, { quantity }] of buffers.entries()) {
    const fine = Number.isInteger(quantity) && quantity >= 0 && quantity <= Limits.bufferUnits
    check(fine, `/buffers/${at}/quantity`, `must be a whole number from 0 to ${Limits.bufferUnits}`)
  }
  if (webhook !== null) {
    check(isWebhookUrl(webhook.url), "/webhook/url", "must be an http or https address without a user")
    const fine = webhook.secret === null ? stored.secret : isWebhookSecret(webhook.secret)
    check(fine, "/webhook/secret", "must be whsec_ and 24 to 64 bytes in base64")
    for (const [field, right, message] of authenticationChecks(webhook.authentication ?? { type: "none" }))
      check(right, `/webhook/authentication/${field}`, message)
  }
  return violations
}

/** The webhook of a valid registration at `now` (epoch milliseconds). A replaced secret remains valid for a day. */
export const webhookOf = (
  { authentication: asked, secret: wanted, url }: NonNullable<Registration["webhook"]>,
  known: Webhook | null,
  now: number
): Webhook => {
  const authentication = asked ?? known?.authentication ?? { type: "none" }
  const secret = required(wanted ?? known?.secret, "the secret of a webhook")
  const replaced = known !== null && known.secret !== secret
  const retiring = replaced
    ? { secret: known.secret, until: now + Limits.retiringSecretMillis }
    : (known?.retiring ?? null)
  return { url, secret, retiring, authentication }
}

/** A marketplace's earlier mappings. It may still offer the stock that it received under a moved or retired code. */
type Known = Pick<Marketplace, "locations" | "retiredCodes"> | undefined

const lastMappings = (before: Known): ReadonlyMap<string, LocationMapping> =>
  new Map([...(before?.retiredCodes ?? []), ...(before?.locations ?? [])].map((one) => [one.code, one]))

/**
 * The codes that `locations` no longer map, with their last locations. `before` is undefined for a new marketplace.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { Registration } from "@crossdock/marketplaces"
 *
 * const from = { companyId: CompanyId.make(1), location: "BLR1", code: "B-1" }
 * const before = { locations: [from], retiredCodes: [] }
 * deepStrictEqual(Registration.retiredCodes(before, [{ ...from, code: "B-2" }]), [from])
 * ```
 */
export const retiredCodes = (
  before: Known,
  locations: ReadonlyArray<LocationMapping>
): ReadonlyArray<LocationMapping> => {
  const codes = new Set(locations.map(({ code }) => code))
  return [...lastMappings(before).values()].filter(({ code }) => !codes.has(code))
}

/** A code that is now mapped to another location. */
export interface MovedCode {
  readonly from: LocationMapping
  readonly to: LocationMapping
}

/** The codes, including retired ones, that `locations` map to another location than `before` did. */
export const movedCodes = (before: Known, locations: ReadonlyArray<LocationMapping>): ReadonlyArray<MovedCode> => {
  const last = lastMappings(before)
  return locations.flatMap((to) => {
    const from = last.get(to.code)
    const isSame = from === undefined || (from.companyId === to.companyId && from.location === to.location)
    return isSame ? [] : [{ from, to }]
  })
}
