/** Contract: the access tokens of the interfaces. Source: docs/reference/authentication.md. */
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "./Failure.ts"
import * as Fields from "./internal/Fields.ts"
import { field, optionalField } from "./internal/Fields.ts"
import { codes, withBasic } from "./internal/OpenApiDocument.ts"
import { Limits } from "./Limits.ts"

export const Credentials = Schema.Struct({
  username: field(Fields.name, "The account's name"),
  password: field(Fields.name, "The account's password")
})

/** Credentials in the query, only for the OpenAPI document: `Edge.takeCredentials` removes them from the URL. */
const CredentialsQuery = Schema.Struct({
  username: optionalField(Schema.String, "The account's name; can be sent by HTTP Basic instead"),
  password: optionalField(Schema.String, "The account's password; can be sent by HTTP Basic instead")
})

const errors = [badRequest, unauthorized, tooManyRequests, unavailable] as const

const bodyErrors = [...errors, tooLarge, unsupportedMediaType] as const

const lifetime = `${Limits.tokenHours} hours`

const inHeader = field(Schema.String, `Send it in the header x-access-token; lasts ${lifetime}`)

/** Sign-in with the query, which a host can turn off. */
const query = Context.add(codes("QUERY_CREDENTIALS_DISABLED"), OpenApi.Transform, withBasic(false))

const SellerToken = Schema.Struct({
  access_token: inHeader,
  status: field(Schema.Literal("SUCCESS"), "Always SUCCESS")
}).annotate({ identifier: "SellerToken", description: "An access token" })

const sellerPath = "/aggregator/v1/token"

export class SellerTokenGroup extends HttpApiGroup.make("token").add(
  HttpApiEndpoint.get("query", sellerPath, {
    query: CredentialsQuery,
    success: SellerToken,
    error: errors
  }).annotateMerge(query),
  HttpApiEndpoint.post("body", sellerPath, {
    payload: Credentials,
    success: SellerToken,
    error: bodyErrors
  }).annotate(OpenApi.Transform, withBasic(false))
) {}

const MarketplaceToken = Schema.Struct({ access_token: inHeader }).annotate({
  identifier: "MarketplaceToken",
  description: "An access token"
})

const marketplacePath = "/auth/:marketplace_slug/token"
const slug = Schema.Struct({ marketplace_slug: field(Fields.text(), "The marketplace's own slug") })

export class MarketplaceTokenGroup extends HttpApiGroup.make("token").add(
  HttpApiEndpoint.get("query", marketplacePath, {
    params: slug,
    query: CredentialsQuery,
    success: MarketplaceToken,
    error: errors
  }).annotateMerge(query),
  HttpApiEndpoint.post("body", marketplacePath, {
    params: slug,
    payload: Credentials,
    success: MarketplaceToken,
    error: bodyErrors
  }).annotate(OpenApi.Transform, withBasic(false))
) {}

const PlatformToken = Schema.Struct({
  access_token: field(Schema.String, "Send it in the header Authorization, after Bearer"),
  token_type: field(Schema.Literal("bearer"), "Always bearer"),
  expires_in: field(Fields.count(), `The lifetime in seconds (${lifetime})`),
  scope: field(Schema.String, "The client's scopes, separated by spaces")
}).annotate({ identifier: "PlatformToken", description: "An access token" })

export const Grant = Schema.Struct({
  grant_type: field(
    Schema.Literal("client_credentials").annotate({ message: "[INVALID_VALUE] must be client_credentials" }),
    "Always client_credentials"
  )
})

const platformPath = "/service/panel/authentication/v1.0/company/:company_id/oauth/token"

export class PlatformTokenGroup extends HttpApiGroup.make("token").add(
  HttpApiEndpoint.post("token", platformPath, {
    params: Schema.Struct({ company_id: field(Fields.text(), "Id of the client's own company") }),
    payload: [Grant, Grant.pipe(HttpApiSchema.asFormUrlEncoded())],
    success: PlatformToken,
    error: bodyErrors
  }).annotate(OpenApi.Transform, withBasic(true))
) {}

const operatorPath = "/operator/v1/token"

export class OperatorTokenGroup extends HttpApiGroup.make("token").add(
  HttpApiEndpoint.post("body", operatorPath, {
    payload: Credentials,
    success: Schema.Struct({
      access_token: field(Schema.String, "Send it in the header Authorization, after Bearer"),
      expires_in: field(Fields.count(), `The lifetime in seconds (${Limits.operatorHours} hours)`)
    }).annotate({ identifier: "OperatorToken", description: "An access token" }),
    error: bodyErrors
  }).annotate(OpenApi.Transform, withBasic(false))
) {}

/** Answers at these paths are never cached, not even rejections. */
export const tokenPaths = new RegExp(
  `^(?:${[sellerPath, marketplacePath, platformPath, operatorPath].map((path) => path.replace(/:\w+/, "[^/]+")).join("|")})$`
)
