/** Handlers: access tokens. Source: docs/reference/authentication.md#query-credentials. */
import { Access, type AccountHolder, operatorSeconds, tokenSeconds } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { credentialsHeader } from "./Edge.ts"
import { Failure } from "./Failure.ts"
import * as Body from "./internal/Body.ts"
import * as Decode from "./internal/Decode.ts"
import * as Endpoints from "./internal/Endpoints.ts"
import * as Fields from "./internal/Fields.ts"
import { HttpPolicy, peerAddress } from "./RequestContext.ts"
import {
  Credentials,
  MarketplaceTokenGroup,
  OperatorTokenGroup,
  PlatformTokenGroup,
  SellerTokenGroup
} from "./TokenApi.ts"

type SignIn = typeof Credentials.Type

const decode = Decode.whole(Credentials)

const disabled = new Failure({
  code: "QUERY_CREDENTIALS_DISABLED",
  message: "This host doesn't accept credentials in the URL. Send them by POST, as JSON or by HTTP Basic."
})

const basic = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }): SignIn | undefined => {
  const encoded = /^basic ([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? "")?.[1]
  if (encoded === undefined) return undefined
  const text = Result.getOrUndefined(Base64.decodeString(encoded))
  const [, username, password] = /^([^:]*):(.*)$/s.exec(text ?? "") ?? []
  return username === undefined || password === undefined ? undefined : { username, password }
})

/** Credentials from the query, which `Edge.takeCredentials` moved into a header, or else from HTTP Basic. */
const inQuery = Effect.map(HttpPolicy, ({ queryCredentials }) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const given = yield* basic
    const query = headers[credentialsHeader] ?? ""
    if (given !== undefined && query === "") return yield* decode(given)
    return queryCredentials ? yield* decode(Object.fromEntries(new URLSearchParams(query))) : yield* disabled
  })
)

/** Credentials from HTTP Basic, or else from the body. */
const inBody = Effect.fnUntraced(function* (payload: Body.Payload<SignIn>) {
  const given = yield* basic
  return yield* payload({ json: given ?? (yield* Body.readOnly)?.json ?? {} })
})

/** Signs an account in, at the slug or company of the path. */
const signedIn = Effect.map(
  Access.Access,
  (access) => (kind: AccountHolder["kind"], credentials: SignIn, at?: string) =>
    Effect.flatMap(peerAddress, (peer) => access.signIn({ kind, ...credentials, peer, at }))
)

export const seller = Endpoints.group(SellerTokenGroup, function* (handlers) {
  const signIn = yield* signedIn
  const answer = (credentials: SignIn) =>
    Effect.map(signIn("integration", credentials), ({ token }) => ({ access_token: token, status: "SUCCESS" as const }))
  const query = Effect.flatMap(yield* inQuery, answer)
  return handlers({ query: () => query, body: ({ payload }) => Effect.flatMap(inBody(payload), answer) })
})

export const marketplace = Endpoints.group(MarketplaceTokenGroup, function* (handlers) {
  const signIn = yield* signedIn
  const query = yield* inQuery
  const answer = (slug: string) => (credentials: SignIn) =>
    Effect.map(signIn("marketplace", credentials, slug), ({ token }) => ({ access_token: token }))
  return handlers({
    query: ({ params }) => Effect.flatMap(query, answer(params.marketplace_slug)),
    body: ({ params, payload }) => Effect.flatMap(inBody(payload), answer(params.marketplace_slug))
  })
})

/** Empty credentials of a client are wrong (401), not malformed (400). */
const decodeClient = Decode.whole(Schema.Struct({ username: Fields.text(), password: Fields.text() }))

const noClient = new Failure({
  code: "CREDENTIALS_INVALID",
  message: "The request has no client credentials. Send client_id and client_secret by HTTP Basic."
})

export const platform = Endpoints.group(PlatformTokenGroup, function* (handlers) {
  const signIn = yield* signedIn
  return handlers({
    token: Effect.fnUntraced(function* ({ params, payload }) {
      yield* payload(yield* Body.form)
      const client = yield* decodeClient((yield* basic) ?? (yield* noClient))
      const { principal, token } = yield* signIn("platform_client", client, params.company_id)
      const scope = principal.kind === "platform_client" ? principal.scopes.join(" ") : ""
      return { access_token: token, token_type: "bearer" as const, expires_in: tokenSeconds, scope }
    })
  })
})

export const operator = Endpoints.group(OperatorTokenGroup, function* (handlers) {
  const signIn = yield* signedIn
  const answer = (credentials: SignIn) =>
    Effect.map(signIn("operator", credentials), ({ token }) => ({ access_token: token, expires_in: operatorSeconds }))
  return handlers({ body: ({ payload }) => Effect.flatMap(inBody(payload), answer) })
})
