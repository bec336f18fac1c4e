/**
 * What never gets into the trail, and what can be taken out of it again.
 */
import * as Redacted from "effect/Redacted"

/**
 * Which fields of a payload are a secret, and which name a person, by their names in lower case without `_` and `-`.
 * A value of type `Redacted` is a secret whatever its name.
 */
export interface RedactionPolicy {
  readonly secrets: ReadonlySet<string>
  readonly personal: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

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

export const secretMark = "[secret]"
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
 * The payload with a mark in place of every secret.
 */
export const withoutSecrets = (value: unknown, policy: RedactionPolicy = ordinary): unknown =>
  replaced(value, policy.secrets, secretMark)

/**
 * The payload with a mark in place of everything that names a person.
 */
export const withoutPersons = (value: unknown, policy: RedactionPolicy = ordinary): unknown =>
  replaced(value, policy.personal, personalMark)
