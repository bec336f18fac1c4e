/**
 * Credentials in the header of HTTP's Basic authentication.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"

export const header = (username: string, password: Redacted.Redacted): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Base64.encode(`${username}:${Redacted.value(password)}`)}`
})
