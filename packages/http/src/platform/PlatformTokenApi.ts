/**
 * Contract: access tokens of the platform interface. Source: docs/reference/authentication.md#platform-token.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { group, operation, withBasic } from "../internal/OpenApiDocument.ts"

const Token = Schema.Struct({
  access_token: described(Schema.String, "Send it in the header Authorization, after Bearer"),
  token_type: described(Schema.Literal("bearer"), "Always bearer"),
  expires_in: described(Fields.count(), "Seconds that it lasts: 24 hours"),
  scope: described(Schema.String, "The client's scopes, separated by spaces")
}).annotate({ identifier: "PlatformToken", description: "An access token" })

export const Grant = Schema.Struct({
  grant_type: described(
    Schema.Literal("client_credentials").annotate({ message: "[INVALID_VALUE] must be client_credentials" }),
    "Always client_credentials"
  )
})

const errors = [badRequest, unauthorized, tooLarge, unsupportedMediaType, tooManyRequests, unavailable] as const

export class PlatformTokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.post("token", "/service/panel/authentication/v1.0/company/:company_id/oauth/token", {
      params: Schema.Struct({ company_id: described(Fields.text(), "Id of the client's own company") }),
      payload: [Grant, Grant.pipe(HttpApiSchema.asFormUrlEncoded())],
      success: Token,
      error: errors
    })
      .annotateMerge(
        operation(
          "Sign in",
          "Gets an access token that lasts 24 hours, with client_id and client_secret by HTTP Basic; the body may be a form or JSON. After 10 failed tries within a minute the next one is 429. Anybody with the credentials of a client of the company in the path may call it.",
          "authentication.md#platform-token",
          "authentication.md#scopes"
        )
      )
      .annotate(OpenApi.Transform, withBasic(true))
  )
  .annotateMerge(group("Authorization", "Access tokens. They last 24 hours")) {}
