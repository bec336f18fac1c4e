/**
 * Turns failures into their answers.
 */

import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { bodyOf, type Failure, internal } from "../Failure.ts"
import { RequestFacts } from "./RequestFacts.ts"

/**
 * Declares for each interface what any of its endpoints can answer.
 */
export class ErrorAnswers extends HttpApiMiddleware.Service<ErrorAnswers>()("@crossdock/http/ErrorAnswers", {
  error: internal
}) {}

export const responseOf = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(RequestFacts, (facts) => {
    facts.code = failure.code
    return HttpServerResponse.jsonUnsafe(bodyOf(failure, facts.requestId, facts.docsUrl), {
      status: failure.status,
      ...(failure.headers === undefined ? {} : { headers: failure.headers })
    })
  })
