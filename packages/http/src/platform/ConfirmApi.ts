/**
 * Contract: the page on which a company accepts or declines a charge. It needs no sign-in, since its link is a secret.
 * Source: docs/reference/billing.md#confirm-page.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { badRequest, conflict, notFound, tooLarge, unavailable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"

export const confirmPath = "/billing/confirm"

const path = Schema.Struct({ link: described(Fields.text(), "The secret of the confirm_url") })

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })).annotate({
  description: "The page, without a script"
})

/**
 * The only field of the form.
 */
export const DecisionBody = Schema.Struct({
  decision: described(Fields.oneOf("accept", "decline"), "The company's decision; the first one counts")
})

const errors = [badRequest, notFound, unavailable] as const

export class ConfirmGroup extends HttpApiGroup.make("confirm")
  .add(
    HttpApiEndpoint.get("page", `${confirmPath}/:link`, { params: path, success: page, error: errors }).annotateMerge(
      operation(
        "Show the confirm page",
        "The page on which the company accepts or declines a charge. Anybody with the link may open it.",
        "billing.md#confirm-page"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("decide", `${confirmPath}/:link`, {
      params: path,
      payload: DecisionBody.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(303).annotate({
        description: "The decision, or the earlier one: go on to the return_url"
      }),
      error: [...errors, conflict, tooLarge, unsupportedMediaType]
    })
      .annotateMerge(
        operation(
          "Accept or decline a charge",
          "Sends the browser on to the return_url. Only the first decision counts. Anybody with the link may decide.",
          "billing.md#confirm-page"
        )
      )
      .annotateMerge(codes("CONFLICT"))
  )
  .annotateMerge(group("Confirmation", "The page on which a company accepts or declines a charge")) {}
