/**
 * Rejects query parameters that the endpoint doesn't have: a misspelt filter would otherwise select everything. Source:
 * docs/reference/requests.md#unknown-parameters.
 */
import { nearestName, pointer, type Violation } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { badRequest, Failure } from "../Failure.ts"
import { HttpPolicy } from "../RequestContext.ts"
import { alternatives } from "./Alternatives.ts"

/**
 * Each group adds this middleware before its authentication, which makes it the inner one: the query is checked after the
 * token and its rights. Token paths and links don't have it.
 */
export class KnownParameters extends HttpApiMiddleware.Service<KnownParameters>()("@crossdock/http/KnownParameters", {
  error: badRequest
}) {}

const namesOf = (query: Schema.Top | undefined): ReadonlyArray<string> => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

const hint = (names: ReadonlyArray<string>, suggestion: string | undefined): string =>
  names.length === 0 ? "This route takes none." : `Did you mean ${suggestion ?? alternatives(names)}?`

const longestShown = 100

/** A caller's query can have thousands of parameters. */
const mostShown = 10

const unknown = (names: ReadonlyArray<string>, sent: string): Violation => {
  const suggestion = nearestName(names, sent)
  const shown = sent.length > longestShown ? `${sent.slice(0, longestShown)}…` : sent
  return {
    path: pointer([shown]),
    code: "UNKNOWN_PARAMETER",
    message: `There is no query parameter ${JSON.stringify(shown)}. ${hint(names, suggestion)}`,
    ...(suggestion === undefined ? {} : { suggestion })
  }
}

/**
 * Does the check, unless the host's policy turns it off.
 */
export const layer = Layer.succeed(KnownParameters, (answer, { endpoint }) =>
  Effect.gen(function* () {
    const { lenientQuery } = yield* HttpPolicy
    const sent = lenientQuery ? [] : Object.keys(yield* HttpServerRequest.ParsedSearchParams)
    if (sent.length > 0) {
      const names = namesOf(endpoint.query)
      const errors = sent
        .filter((name) => !names.includes(name))
        .slice(0, mostShown)
        .map((name) => unknown(names, name))
      const [first] = errors
      if (first !== undefined) {
        return yield* new Failure({ code: "UNKNOWN_PARAMETER", message: first.message, errors })
      }
    }
    return yield* answer
  })
)
