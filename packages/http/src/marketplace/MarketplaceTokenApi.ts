/**
 * Contract: access tokens of the marketplace interface (document 3, Authentication 1).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import { Credentials, CredentialsQuery } from "../SignInForms.ts"

const Token = Schema.Struct({ access_token: Schema.String })

const path = Schema.Struct({ marketplace_slug: Schema.String })

export class MarketplaceTokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.get("query", "/auth/:marketplace_slug/token")
      .setPath(path)
      .setUrlParams(CredentialsQuery)
      .addSuccess(Token)
      .annotate(OpenApi.Summary, "Exchange credentials in the query for an access token")
  )
  .add(
    HttpApiEndpoint.post("body", "/auth/:marketplace_slug/token")
      .setPath(path)
      .setPayload(Credentials)
      .addSuccess(Token)
      .addError(tooLarge)
      .addError(unsupportedMediaType)
      .annotate(OpenApi.Summary, "Exchange credentials in a JSON body or by HTTP Basic for an access token")
  )
  .addError(badRequest)
  .addError(unauthorized)
  .addError(tooManyRequests)
  .addError(unavailable)
  .annotate(OpenApi.Title, "Authorization") {}
