/**
 * Handlers: the page on which a company accepts or declines a charge.
 */

import { Billing } from "@crossdock/billing"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Decode from "../internal/Decode.ts"
import * as Form from "../internal/Form.ts"
import { RequestId } from "../RequestContext.ts"
import { DecisionBody } from "./ConfirmApi.ts"
import * as ConfirmPage from "./ConfirmPage.ts"
import { PlatformApi } from "./PlatformApi.ts"

const decode = Decode.whole(DecisionBody)

export const layer = HttpApiBuilder.group(PlatformApi, "confirm", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing.Billing
    return handlers
      .handle("page", ({ params }) => Effect.map(billing.confirmation(params.link), ConfirmPage.response))
      .handleRaw("decide", ({ params }) =>
        Effect.gen(function* () {
          yield* billing.confirmation(params.link)
          const { decision } = yield* decode(yield* Form.read)
          return ConfirmPage.redirect(yield* billing.answerConfirmation(params.link, decision, yield* RequestId))
        })
      )
  })
)
