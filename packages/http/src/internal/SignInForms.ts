/**
 * Reads the credentials of a token request from the query, from JSON or from HTTP Basic.
 * Source: docs/reference/authentication.md#query-credentials.
 */

import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Failure } from "../Failure.ts"
import { Limits } from "../Limits.ts"
import * as QueryCredentials from "../QueryCredentials.ts"
import { HttpPolicy } from "../RequestContext.ts"
import * as Body from "./Body.ts"
import * as Decode from "./Decode.ts"
import * as Fields from "./Fields.ts"
import { described } from "./Fields.ts"

export const Credentials = Schema.Struct({
  username: described(Fields.name, "The account's name"),
  password: described(Fields.name, "The account's password")
})

export type Credentials = typeof Credentials.Type

/**
 * The credentials of a platform's client. Empty ones are wrong like any others (401), not malformed.
 */
export const ClientCredentials = Schema.Struct({ username: Fields.text(), password: Fields.text() })

/**
 * Credentials in the query, for the OpenAPI document. They are never decoded here, since `QueryCredentials.take` has
 * removed them from the URL.
 */
export const CredentialsQuery = Schema.Struct({
  username: described(Schema.optionalKey(Schema.String), "The account's name; may also come by HTTP Basic"),
  password: described(Schema.optionalKey(Schema.String), "The account's password; may also come by HTTP Basic")
})

const decode = Decode.whole(Credentials)

const disabled = new Failure({
  code: "QUERY_CREDENTIALS_DISABLED",
  message: "This host doesn't accept credentials in the URL. Send them by POST, as JSON or by HTTP Basic."
})

/**
 * The name and password of an `Authorization: Basic` header.
 */
export const basic = (authorization: string | undefined): Credentials | undefined => {
  const encoded = /^basic ([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? "")?.[1]
  if (encoded === undefined) return undefined
  const text = Result.getOrUndefined(Base64.decodeString(encoded))
  const colon = text?.indexOf(":") ?? -1
  return text === undefined || colon < 0
    ? undefined
    : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * From the query that `QueryCredentials.take` moved into a header, or else from HTTP Basic. A host reads its policy once.
 */
export const fromQuery = Effect.map(HttpPolicy, ({ queryCredentials }) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }): Effect.Effect<Credentials, Failure> => {
    const given = basic(headers.authorization)
    const query = headers[QueryCredentials.header] ?? ""
    if (given !== undefined && query === "") return decode(given)
    return queryCredentials ? decode(Object.fromEntries(new URLSearchParams(query))) : disabled
  })
)

/**
 * From HTTP Basic, else from a JSON body `{username, password}`.
 */
export const fromBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const given = basic(request.headers.authorization)
  if (given !== undefined) return yield* decode(given)
  return yield* decode((yield* Body.read(request, Limits.bodyBytes))?.json ?? {})
})
