/** Finds secrets and personal data. Secrets are never stored in the trail, and personal data can be erased from it. */
import { frozen } from "@crossdock/kernel"
import * as Redacted from "effect/Redacted"
import type { FreeForm } from "./AuditChain.ts"

/**
 * Words that classify fields by their names. Only the letters of a name are compared: `DB-Password2` becomes `dbpassword`.
 * A field is secret if its name contains one of `secrets`, and a contact if it contains one of `contacts`. It is personal
 * if it is a contact or its whole name is one of `personal`. A longer word of `lookalikes` at the same position wins, so
 * "author" doesn't match "auth". Source: docs/reference/audit.md#secrets.
 */
export interface RedactionPolicy {
  readonly secrets: ReadonlySet<string>
  readonly personal: ReadonlySet<string>
  readonly contacts: ReadonlySet<string>
  readonly lookalikes: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

export const defaultPolicy: RedactionPolicy = /* @__PURE__ */ frozen({
  secrets: words(
    "password passwd pwd passphrase secret token authorization authorisation authentication auth apikey privatekey " +
      "cookie cardnumber cvv cvc"
  ),
  personal: words(
    "firstname lastname fullname middlename username userdetails address addressline landmark billingaddress " +
      "shippingaddress customer customername dateofbirth ip ipaddress pan aadhaar"
  ),
  contacts: words("email phone mobile whatsapp contact"),
  lookalikes: words("author authentic secretar contactid")
})

export const secretMark = "[REDACTED]"

/** The text that replaces a personal value. */
export const personalMark = "[personal]"

const lettersOf = (name: string): string => name.normalize("NFKD").toLowerCase().replaceAll(/\P{L}/gu, "")

/** Makes a function that checks whether a name contains one of the words `own`, in linear time. */
const naming = (own: ReadonlySet<string>, { lookalikes }: RedactionPolicy) => {
  const longestFirst = [...own, ...lookalikes].sort((one, other) => other.length - one.length)
  const pattern = new RegExp(longestFirst.join("|"), "g")
  return (name: string): boolean =>
    lettersOf(name)
      .match(pattern)
      ?.some((word) => own.has(word)) === true
}

/** Whether a field with this name contains telephone numbers or email addresses. */
export const namesContact = (policy: RedactionPolicy): ((name: string) => boolean) => naming(policy.contacts, policy)

const namesPerson = (policy: RedactionPolicy) => {
  const isContact = namesContact(policy)
  return (name: string): boolean => policy.personal.has(lettersOf(name)) || isContact(name)
}

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

/** The object with every secret, at any depth, replaced by `secretMark`. */
export const withoutSecrets = (value: FreeForm, policy: RedactionPolicy = defaultPolicy): FreeForm =>
  fieldsReplaced(value, naming(policy.secrets, policy), secretMark)

/**
 * The object with every personal value replaced, at any depth.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Redaction } from "@crossdock/audit"
 *
 * const payload = { order_id: "o1", customer: { name: "Asha" }, lines: [{ sku: "1", "E-Mail": "a@b.example" }] }
 * deepStrictEqual(Redaction.withoutPersonalData(payload), {
 *   order_id: "o1",
 *   customer: "[personal]",
 *   lines: [{ sku: "1", "E-Mail": "[personal]" }]
 * })
 * ```
 */
export const withoutPersonalData = (value: FreeForm, policy: RedactionPolicy = defaultPolicy): FreeForm =>
  fieldsReplaced(value, namesPerson(policy), personalMark)
