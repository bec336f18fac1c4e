/**
 * Contract: the page on which a company accepts or declines a charge. Nobody signs in: the link itself is the secret.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, notFound, tooLarge, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"

export const confirmPath = "/billing/confirm"

const path = Schema.Struct({ link: Schema.String })

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

/**
 * The form's one field.
 */
export const DecisionBody = Schema.Struct({ decision: Fields.oneOf("accept", "decline") })

const errors = [notFound, unavailable] as const

export class ConfirmGroup extends HttpApiGroup.make("confirm")
  .add(
    HttpApiEndpoint.get("page", `${confirmPath}/:link`, { params: path, success: page, error: errors }).annotate(
      OpenApi.Summary,
      "The page that shows what is to be paid"
    )
  )
  .add(
    HttpApiEndpoint.post("decide", `${confirmPath}/:link`, {
      params: path,
      payload: DecisionBody.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(303),
      error: [...errors, badRequest, tooLarge, unsupportedMediaType]
    }).annotate(OpenApi.Summary, "Accept or decline; the first decision stands")
  )
  .annotate(OpenApi.Title, "Confirmation") {}
