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

const Token = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("bearer"),
  expires_in: Schema.Int,
  scope: Schema.String
})

export const Grant = Schema.Struct({
  grant_type: Schema.Literal("client_credentials").annotate({
    message: "[INVALID_VALUE] must be client_credentials"
  })
})

const errors = [badRequest, unauthorized, tooLarge, unsupportedMediaType, tooManyRequests, unavailable] as const

export class PlatformTokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.post("token", "/service/panel/authentication/v1.0/company/:company_id/oauth/token", {
      params: Schema.Struct({ company_id: Fields.text() }),
      payload: [Grant, Grant.pipe(HttpApiSchema.asFormUrlEncoded())],
      success: Token,
      error: errors
    }).annotate(OpenApi.Summary, "Get an access token with client credentials (HTTP Basic)")
  )
  .annotate(OpenApi.Title, "Authorization") {}
