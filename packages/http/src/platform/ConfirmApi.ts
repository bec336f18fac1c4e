/**
 * Contract: the page on which a company accepts or declines a charge. It needs no sign-in, since its link is a secret.
 * Source: docs/reference/billing.md#confirm-page.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, conflict, notFound, tooLarge, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"

export const confirmPath = "/billing/confirm"

const path = Schema.Struct({ link: Fields.text() })

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

/**
 * The only field of the form.
 */
export const DecisionBody = Schema.Struct({ decision: Fields.oneOf("accept", "decline") })

const errors = [notFound, unavailable] as const

export class ConfirmGroup extends HttpApiGroup.make("confirm")
  .add(
    HttpApiEndpoint.get("page", `${confirmPath}/:link`, { params: path, success: page, error: errors }).annotate(
      OpenApi.Summary,
      "Show the page on which the company accepts or declines a charge"
    )
  )
  .add(
    HttpApiEndpoint.post("decide", `${confirmPath}/:link`, {
      params: path,
      payload: DecisionBody.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(303),
      error: [...errors, badRequest, conflict, tooLarge, unsupportedMediaType]
    }).annotate(OpenApi.Summary, "Accept or decline a charge; only the first decision counts")
  )
  .annotate(OpenApi.Title, "Confirmation") {}
