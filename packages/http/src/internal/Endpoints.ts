/**
 * Serves the endpoints of an interface. What a route needs is put together when the host starts: its decoders, the names of its
 * parameters, its sign-in and the encoder of its answer. Effect's own builder merges contexts and decodes headers per request.
 */

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { answering, bodyOf, type ErrorAnswers, type Failure, isFailed, validationFailed } from "../Failure.ts"
import { HttpPolicy } from "../RequestContext.ts"
import * as Decode from "./Decode.ts"
import * as KnownParameters from "./KnownParameters.ts"
import { RequestFacts } from "./RequestFacts.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpRouter.Provided>

/** Handlers read the body themselves. */
type Handler<E extends HttpApiEndpoint.Constraint> = HttpApiEndpoint.HandlerRaw<
  E,
  HttpApiEndpoint.MiddlewareError<E>,
  HttpRouter.Provided | HttpApiEndpoint.MiddlewareProvides<E>
>

type Handlers<Group extends HttpApiGroup.Constraint> = {
  readonly [E in HttpApiGroup.Endpoints<Group> as E["identifier"]]: Handler<E>
}

const decoderOf = (schema: Schema.Top | undefined) =>
  schema === undefined
    ? undefined
    : Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>, { errors: "all" })

/** Reads what a request has beside its body. */
const readerOf = (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top) => {
  const parts = [
    ["params", decoderOf(endpoint.params)],
    ["headers", decoderOf(endpoint.headers)],
    ["query", decoderOf(endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query))]
  ] as const
  return (
    request: HttpServerRequest.HttpServerRequest,
    params: Readonly<Record<string, string | undefined>>,
    query: Readonly<Record<string, unknown>>
  ): Result.Result<object, Failure> => {
    const sent = { params, headers: request.headers, query }
    const read: Record<string, unknown> = { request, endpoint, group }
    for (const [part, decode] of parts) {
      if (decode === undefined) continue
      const found = decode(sent[part])
      if (Result.isFailure(found))
        return Result.fail(validationFailed(Decode.withRepeated(Decode.violations(found.failure.issue), query)))
      read[part] = found.success
    }
    return Result.succeed(read)
  }
}

/** Handlers answer with a value, as JSON, or with a response of their own. A value that its schema rejects is a defect. */
const encoderOf = ({ success }: HttpApiEndpoint.Top) => {
  const [schema = Schema.Void] = success
  const encode = Schema.encodeUnknownResult(schema as Schema.Codec<unknown, unknown>)
  return (value: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    if (HttpServerResponse.isHttpServerResponse(value)) return Effect.succeed(value)
    const encoded = encode(value)
    return Result.isSuccess(encoded)
      ? Effect.succeed(HttpServerResponse.text(JSON.stringify(encoded.success), { contentType: "application/json" }))
      : Effect.die(encoded.failure)
  }
}

/** A header is read as it is; Effect would decode all of them by a schema. */
const credentialIn = (security: HttpApiSecurity.HttpApiSecurity) =>
  security._tag === "ApiKey" && security.in === "header"
    ? Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => Redacted.make(headers[security.key] ?? ""))
    : HttpApiBuilder.securityDecode(security)

/** How callers of an endpoint sign in. Each group has one way, or none. */
const signInOf = (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top, context: Context.Context<never>) => {
  for (const middleware of endpoint.middlewares) {
    const key: HttpApiMiddleware.AnyService = middleware as never
    if (!HttpApiMiddleware.isSecurity(key)) continue
    const [[name, security]] = Object.entries(key.security) as [[string, HttpApiSecurity.HttpApiSecurity]]
    const signIn = (Context.getUnsafe(context, key) as never)[name] as (
      answer: Answer,
      options: { readonly credential: unknown; readonly endpoint: unknown; readonly group: unknown }
    ) => Answer
    return (answer: Answer): Answer =>
      Effect.flatMap(credentialIn(security), (credential) => signIn(answer, { credential, endpoint, group }))
  }
  return undefined
}

export const responseOf = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(RequestFacts, (facts) => {
    facts.code = failure.code
    return HttpServerResponse.jsonUnsafe(bodyOf(failure, facts.requestId, facts.docsUrl), {
      status: failure.status,
      ...(failure.headers === undefined ? {} : { headers: failure.headers })
    })
  })

/**
 * Answers failures. Any other error, such as an answer that doesn't match its schema, is a defect.
 */
const failed = (error: unknown) =>
  isFailed(error) ? Effect.catch(answering(Effect.fail(error)), responseOf) : Effect.die(error)

const routeOf = (
  endpoint: HttpApiEndpoint.Top,
  group: HttpApiGroup.Top,
  handler: (request: never) => Effect.Effect<unknown, unknown, never>,
  context: Context.Context<never>,
  lenientQuery: boolean
) => {
  const read = readerOf(endpoint, group)
  const encode = encoderOf(endpoint)
  const signIn = signInOf(endpoint, group, context)
  // Token paths and links take any query.
  const check = lenientQuery || signIn === undefined ? undefined : KnownParameters.check(endpoint.query)
  const handled = Effect.withFiber<HttpServerResponse.HttpServerResponse, unknown, HttpRouter.Provided>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const query = Context.getUnsafe(fiber.context, HttpServerRequest.ParsedSearchParams)
    const { params } = Context.getUnsafe(fiber.context, HttpRouter.RouteContext)
    const fault = check?.(query)
    if (fault !== undefined) return Effect.fail(fault)
    const given = read(request, params, query)
    return Result.isSuccess(given)
      ? Effect.flatMap(handler(given.success as never), encode)
      : Effect.fail(given.failure)
  })
  const answered = Effect.catch(signIn === undefined ? handled : signIn(handled), failed)
  return HttpRouter.route(
    endpoint.method,
    endpoint.path as HttpRouter.PathInput,
    Effect.withFiber((fiber) => {
      fiber.getRef(RequestFacts).route = endpoint.path
      return answered
    })
  )
}

/**
 * Serves the endpoints of a group. `build` makes a handler for each; the query is checked after the token and its rights.
 */
export const group = <
  Id extends string,
  Groups extends HttpApiGroup.Constraint,
  const Name extends HttpApiGroup.Identifier<Groups>,
  E,
  R,
  Group extends HttpApiGroup.Constraint = HttpApiGroup.WithIdentifier<Groups, Name>
>(
  api: HttpApi.HttpApi<Id, Groups>,
  name: Name,
  build: (handlers: (of: Handlers<Group>) => Handlers<Group>) => Effect.Effect<Handlers<Group>, E, R>
): Layer.Layer<
  never,
  E,
  R | HttpRouter.HttpRouter | Exclude<HttpApiEndpoint.Middleware<HttpApiGroup.Endpoints<Group>>, ErrorAnswers>
> => {
  const its = api.groups[name] as unknown as HttpApiGroup.Top
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const context = yield* Effect.context<never>()
      const { lenientQuery } = yield* HttpPolicy
      const handlers = (yield* build((of) => of)) as unknown as Record<string, never>
      yield* router.addAll(
        Object.entries(its.endpoints).map(([key, endpoint]) =>
          routeOf(endpoint, its, handlers[key] as never, context, lenientQuery)
        )
      )
    })
  ) as never
}
