/**
 * Contract: access tokens of the seller interface. Source: docs/reference/authentication.md#seller-token.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation, withBasic } from "../internal/OpenApiDocument.ts"
import { Credentials, CredentialsQuery } from "../internal/SignInForms.ts"

const Token = Schema.Struct({
  access_token: described(Schema.String, "Send it in the header x-access-token; lasts 24 hours"),
  status: described(Schema.Literal("SUCCESS"), "Always SUCCESS")
}).annotate({ identifier: "SellerToken", description: "An access token" })

const errors = [badRequest, unauthorized, tooManyRequests, unavailable] as const

export class TokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.get("query", "/aggregator/v1/token", {
      query: CredentialsQuery,
      success: Token,
      error: errors
    })
      .annotateMerge(
        operation(
          "Sign in with the query",
          "Gets an access token that lasts 24 hours. A URL is a bad place for a password: prefer the POST. A host can turn this form off. Anybody with an integration's credentials may call it.",
          "authentication.md#seller-token",
          "authentication.md#query-credentials"
        )
      )
      .annotateMerge(codes("QUERY_CREDENTIALS_DISABLED"))
      .annotate(OpenApi.Transform, withBasic(false))
  )
  .add(
    HttpApiEndpoint.post("body", "/aggregator/v1/token", {
      payload: Credentials,
      success: Token,
      error: [...errors, tooLarge, unsupportedMediaType]
    })
      .annotateMerge(
        operation(
          "Sign in",
          "Gets an access token that lasts 24 hours, with the credentials in the body or by HTTP Basic. After 10 failed tries within a minute the next one is 429. Anybody with an integration's credentials may call it.",
          "authentication.md#seller-token"
        )
      )
      .annotate(OpenApi.Transform, withBasic(false))
  )
  .annotateMerge(group("Authorization", "Access tokens. They last 24 hours")) {}
