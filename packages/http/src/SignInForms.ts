/**
 * The ways to hand credentials to a token path: the documents' query, JSON, or HTTP Basic.
 */

import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Body from "./Body.ts"
import * as Decode from "./Decode.ts"
import { Failure } from "./Failure.ts"
import * as Fields from "./Fields.ts"
import * as QueryCredentials from "./QueryCredentials.ts"
import { HttpPolicy } from "./RequestContext.ts"

export const Credentials = Schema.Struct({ username: Fields.name, password: Fields.name })

export type Credentials = typeof Credentials.Type

/**
 * The documents' form: credentials in the query. Never decoded: they were taken out of the URL before.
 */
export const CredentialsQuery = Schema.Struct({
  username: Schema.optionalKey(Schema.String),
  password: Schema.optionalKey(Schema.String)
})

const judged = Decode.whole(Credentials)

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
 * From the query, which was taken out of the URL at the host's entry.
 */
export const fromQuery = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const given = basic(request.headers.authorization)
  const query = request.headers[QueryCredentials.header] ?? ""
  if (given !== undefined && query === "") return yield* judged(given)
  const { queryCredentials } = yield* HttpPolicy
  if (!queryCredentials) {
    return yield* new Failure({
      status: 400,
      code: "QUERY_CREDENTIALS_DISABLED",
      message: "Credentials in the URL are turned off here; send them by POST as JSON or by HTTP Basic"
    })
  }
  return yield* judged(Object.fromEntries(new URLSearchParams(query)))
})

/**
 * From HTTP Basic, else from a JSON body `{username, password}`.
 */
export const fromBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const given = basic(request.headers.authorization)
  if (given !== undefined) return yield* judged(given)
  return yield* judged((yield* Body.read(request, Body.ordinaryLimit))?.json ?? {})
})
