/**
 * Handlers: the page on which a company accepts or declines a charge.
 */

import { Billing } from "@crossdock/billing"
import * as Effect from "effect/Effect"
import * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { RequestId } from "../RequestContext.ts"
import { DecisionBody } from "./ConfirmApi.ts"
import * as ConfirmPage from "./ConfirmPage.ts"
import { PlatformApi } from "./PlatformApi.ts"

const decode = Decode.whole(DecisionBody)

export const layer = Endpoints.group(PlatformApi, "confirm", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing.Billing
    return handlers({
      page: ({ params }) => Effect.map(billing.confirmation(params.link), ConfirmPage.response),
      decide: ({ params }) =>
        Effect.gen(function* () {
          yield* billing.confirmation(params.link)
          const { decision } = yield* decode(yield* Body.form)
          return ConfirmPage.redirect(yield* billing.answerConfirmation(params.link, decision, yield* RequestId))
        })
    })
  })
)
