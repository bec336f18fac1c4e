/**
 * Contract: access tokens of the platform interface (contract, Tokens).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"

const Token = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("bearer"),
  expires_in: Schema.Int,
  scope: Schema.String
})

export const Grant = Schema.Struct({
  grant_type: Schema.Literal("client_credentials").annotations({
    message: () => "[INVALID_VALUE] must be client_credentials"
  })
})

export class PlatformTokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.post("token", "/service/panel/authentication/v1.0/company/:company_id/oauth/token")
      .setPath(Schema.Struct({ company_id: Schema.String }))
      .setPayload(Schema.Union(Grant, Grant.pipe(HttpApiSchema.withEncoding({ kind: "UrlParams" }))))
      .addSuccess(Token)
      .annotate(OpenApi.Summary, "Exchange client credentials (HTTP Basic) for an access token")
  )
  .addError(badRequest)
  .addError(unauthorized)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .addError(tooManyRequests)
  .addError(unavailable)
  .annotate(OpenApi.Title, "Authorization") {}
