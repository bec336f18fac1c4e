/**
 * Handlers: the page on which a company accepts or declines a charge.
 */

import { Billing } from "@crossdock/billing"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Decode from "../Decode.ts"
import { answering, validationFailed } from "../Failure.ts"
import * as Form from "../Form.ts"
import { RequestId } from "../RequestContext.ts"
import { DecisionBody } from "./ConfirmApi.ts"
import * as ConfirmPage from "./ConfirmPage.ts"
import { PlatformApi } from "./PlatformApi.ts"

const decode = Decode.all(DecisionBody)

export const layer = HttpApiBuilder.group(PlatformApi, "confirm", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing.Billing
    return handlers
      .handleRaw("page", ({ path }) =>
        Effect.map(billing.confirmation(path.link), ConfirmPage.response).pipe(answering)
      )
      .handleRaw("decide", ({ path }) =>
        Effect.gen(function* () {
          yield* billing.confirmation(path.link)
          const sent = decode(yield* Form.read)
          if (Either.isLeft(sent)) return yield* validationFailed(sent.left)
          const decided = yield* billing.decide(path.link, sent.right.decision, yield* RequestId)
          return ConfirmPage.redirect(decided)
        }).pipe(answering)
      )
  })
)
