/**
 * Contract: access tokens of the seller interface (document 1, Access token result).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, tooLarge, tooManyRequests, unauthorized, unavailable, unsupportedMediaType } from "../Failure.ts"
import { Credentials, CredentialsQuery } from "../SignInForms.ts"

const Token = Schema.Struct({ access_token: Schema.String, status: Schema.String })

export class TokenGroup extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.get("query", "/aggregator/v1/token")
      .setUrlParams(CredentialsQuery)
      .addSuccess(Token)
      .annotate(OpenApi.Summary, "Exchange credentials in the query for an access token")
  )
  .add(
    HttpApiEndpoint.post("body", "/aggregator/v1/token")
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
