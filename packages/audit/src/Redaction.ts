/**
 * Secrets, which are never stored in the trail, and personal data, which can be erased from it.
 */
import * as Redacted from "effect/Redacted"

/**
 * Which fields of a payload are secret and which are personal, by their names in lower case without `_` and `-`. A value of
 * type `Redacted` is always secret. Source: docs/reference/audit.md#secrets.
 */
export interface RedactionPolicy {
  readonly secrets: ReadonlySet<string>
  readonly personal: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/**
 * The policy of a host that doesn't provide its own.
 */
export const ordinary: RedactionPolicy = {
  secrets: words(
    "password passwd passphrase secret clientsecret apisecret apikey token accesstoken refreshtoken idtoken authtoken " +
      "authorization cookie setcookie xaccesstoken privatekey signingsecret cardnumber cvv cvc"
  ),
  personal: words(
    "email emails phone mobile phonenumber mobilenumber firstname lastname fullname middlename username userdetails " +
      "address address1 address2 landmark billingaddress shippingaddress customer customername dateofbirth ip ipaddress " +
      "pan aadhaar"
  )
}

/**
 * The text that replaces a secret.
 */
export const secretMark = "[secret]"

/**
 * The text that replaces a personal value.
 */
export const personalMark = "[personal]"

const nameOf = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, "")

const replaced = (value: unknown, names: ReadonlySet<string>, mark: string): unknown => {
  if (Redacted.isRedacted(value)) return secretMark
  if (Array.isArray(value)) return value.map((one) => replaced(one, names, mark))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      names.has(nameOf(key)) && inner !== null && inner !== "" ? mark : replaced(inner, names, mark)
    ])
  )
}

/**
 * The payload with every secret replaced.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Redaction } from "@crossdock/audit"
 *
 * deepStrictEqual(Redaction.withoutSecrets({ api_key: "k", sku: "1" }), { api_key: "[secret]", sku: "1" })
 * ```
 */
export const withoutSecrets = (value: unknown, policy: RedactionPolicy = ordinary): unknown =>
  replaced(value, policy.secrets, secretMark)

/**
 * The payload with every personal value replaced, at any depth. Names are compared in lower case without `_` and `-`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Redaction } from "@crossdock/audit"
 *
 * const payload = { order_id: "o1", customer: { name: "Asha" }, lines: [{ sku: "1", "E-Mail": "a@b.example" }] }
 * deepStrictEqual(Redaction.withoutPersons(payload), {
 *   order_id: "o1",
 *   customer: "[personal]",
 *   lines: [{ sku: "1", "E-Mail": "[personal]" }]
 * })
 * ```
 */
export const withoutPersons = (value: unknown, policy: RedactionPolicy = ordinary): unknown =>
  replaced(value, policy.personal, personalMark)
