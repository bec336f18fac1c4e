/**
 * Contract: the page on which a company accepts or declines a charge. Nobody signs in: the link itself is the secret.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { badRequest, notFound, tooLarge, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"

export const confirmPath = "/billing/confirm"

const path = Schema.Struct({ link: Schema.String })

const page = HttpApiSchema.Text({ contentType: "text/html" })

/**
 * The form's one field.
 */
export const DecisionBody = Schema.Struct({ decision: Fields.oneOf("accept", "decline") })

export class ConfirmGroup extends HttpApiGroup.make("confirm")
  .add(
    HttpApiEndpoint.get("page", `${confirmPath}/:link`)
      .setPath(path)
      .addSuccess(page)
      .annotate(OpenApi.Summary, "The page that shows what is to be paid")
  )
  .add(
    HttpApiEndpoint.post("decide", `${confirmPath}/:link`)
      .setPath(path)
      .setPayload(HttpApiSchema.withEncoding(DecisionBody, { kind: "UrlParams" }))
      .addSuccess(HttpApiSchema.Empty(303))
      .addError(badRequest)
      .addError(tooLarge)
      .addError(unsupportedMediaType)
      .annotate(OpenApi.Summary, "Accept or decline; the first decision stands")
  )
  .addError(notFound)
  .addError(unavailable)
  .annotate(OpenApi.Title, "Confirmation") {}
