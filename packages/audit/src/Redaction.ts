/**
 * Secrets, which are never stored in the trail, and personal data, which can be erased from it.
 */
import * as Redacted from "effect/Redacted"
import type { FreeForm } from "./AuditRecord.ts"

/**
 * The names of secret and of personal fields, in lower case without separators. A field is personal if its whole name is in
 * `personal`. It is secret if `secrets` has one word of its name or several in a row (`db_password`, `api-key`,
 * `refreshTokens`), or if its name ends with one of `secrets` (`dbpassword`). A value of type `Redacted` is always secret.
 * Source: docs/reference/audit.md#secrets.
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
    "password passwd pwd passphrase secret clientsecret apisecret secretkey signingsecret token accesstoken refreshtoken " +
      "idtoken authtoken xaccesstoken authorization auth apikey privatekey cookie setcookie cardnumber cvv cvc"
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
export const secretMark = "[REDACTED]"

/**
 * The text that replaces a personal value.
 */
export const personalMark = "[personal]"

const nameOf = (key: string): string => key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** Every run of words of a name, without a plural's "s": of `oldApiKeys` "old", "oldapi", "oldapikey", "api", and so on. */
const runsOf = (key: string): ReadonlyArray<string> => {
  const parts = key
    .replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .split(/[^\p{L}\p{N}]+/u)
  return parts.flatMap((_, from) =>
    parts.slice(from).map((__, more) => nameOf(parts.slice(from, from + more + 1).join("")).replace(/s$/, ""))
  )
}

/** Shorter ones are the ends of other words too. */
const shortestEnd = 5

const isSecret = ({ secrets }: RedactionPolicy) => {
  const ends = [...secrets].filter((one) => one.length >= shortestEnd)
  return (key: string): boolean => {
    const whole = nameOf(key).replace(/s$/, "")
    return ends.some((end) => whole.endsWith(end)) || runsOf(key).some((run) => secrets.has(run))
  }
}

const isPersonal =
  ({ personal }: RedactionPolicy) =>
  (key: string): boolean =>
    personal.has(nameOf(key))

const replaced = (value: unknown, isReplaced: (key: string) => boolean, mark: string): unknown => {
  if (Redacted.isRedacted(value)) return secretMark
  if (Array.isArray(value)) return value.map((one) => replaced(one, isReplaced, mark))
  return typeof value === "object" && value !== null ? fieldsReplaced(value, isReplaced, mark) : value
}

const fieldsReplaced = (value: object, isReplaced: (key: string) => boolean, mark: string): FreeForm =>
  Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isReplaced(key) && inner !== null && inner !== "" ? mark : replaced(inner, isReplaced, mark)
    ])
  )

/**
 * The object with every secret replaced, at any depth.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Redaction } from "@crossdock/audit"
 *
 * deepStrictEqual(Redaction.withoutSecrets({ api_key: "k", sku: "1" }), { api_key: "[REDACTED]", sku: "1" })
 * ```
 */
export const withoutSecrets = (value: FreeForm, policy: RedactionPolicy = ordinary): FreeForm =>
  fieldsReplaced(value, isSecret(policy), secretMark)

/**
 * The object with every personal value replaced, at any depth.
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
export const withoutPersons = (value: FreeForm, policy: RedactionPolicy = ordinary): FreeForm =>
  fieldsReplaced(value, isPersonal(policy), personalMark)
