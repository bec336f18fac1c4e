/**
 * Contract: access tokens of the marketplace interface. Source: docs/reference/authentication.md#marketplace-token.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { Credentials, CredentialsQuery } from "../internal/SignInForms.ts"

const Token = Schema.Struct({ access_token: Schema.String })

const path = Schema.Struct({ marketplace_slug: Fields.text() })

const errors = [badRequest, unauthorized, tooManyRequests, unavailable] as const

export class MarketplaceTokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.get("query", "/auth/:marketplace_slug/token", {
      params: path,
      query: CredentialsQuery,
      success: Token,
      error: errors
    }).annotate(OpenApi.Summary, "Get an access token with credentials in the query")
  )
  .add(
    HttpApiEndpoint.post("body", "/auth/:marketplace_slug/token", {
      params: path,
      payload: Credentials,
      success: Token,
      error: [...errors, tooLarge, unsupportedMediaType]
    }).annotate(OpenApi.Summary, "Get an access token with credentials in a JSON body or by HTTP Basic")
  )
  .annotate(OpenApi.Title, "Authorization") {}
