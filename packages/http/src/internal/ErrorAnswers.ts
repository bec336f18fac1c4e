/**
 * Turns every failure of a handler into its answer.
 */

import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import { answering, bodyOf, type Failure, internal, isFailed, validationFailed } from "../Failure.ts"
import { HttpPolicy, RequestId } from "../RequestContext.ts"
import * as Decode from "./Decode.ts"
import { withRepeated } from "./RepeatedParameters.ts"
import { RequestFacts } from "./RequestFacts.ts"

/**
 * Each interface adds this middleware last. That makes it the outermost one, which also sees requests that can't be
 * decoded.
 */
export class ErrorAnswers extends HttpApiMiddleware.Service<ErrorAnswers>()("@crossdock/http/ErrorAnswers", {
  error: internal
}) {}

export const responseOf = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.gen(function* () {
    const facts = yield* RequestFacts
    if (facts !== undefined) facts.code = failure.code
    const { docsUrl } = yield* HttpPolicy
    return HttpServerResponse.jsonUnsafe(bodyOf(failure, yield* RequestId, docsUrl), {
      status: failure.status,
      ...(failure.headers === undefined ? {} : { headers: failure.headers })
    })
  })

const routed = (path: string) =>
  Effect.map(RequestFacts, (facts) => {
    if (facts !== undefined) facts.route = path
  })

const isOfRequest = (error: HttpApiSchemaError): boolean => error.kind !== "Body" && error.kind !== "ResponseHeaders"

/**
 * Answers failures, and requests that can't be decoded. Any other error, such as a response that doesn't match its schema,
 * is a defect.
 */
export const layer = Layer.succeed(ErrorAnswers, (answer, { endpoint }) =>
  Effect.catch(Effect.andThen(routed(endpoint.path), answer), (error) => {
    if (isFailed(error)) return Effect.catch(answering(Effect.fail(error)), responseOf)
    return HttpApiSchemaError.is(error) && isOfRequest(error)
      ? Effect.flatMap(HttpServerRequest.ParsedSearchParams, (sent) =>
          responseOf(validationFailed(withRepeated(Decode.violations(error.cause.issue), sent)))
        )
      : Effect.die(error)
  })
)
