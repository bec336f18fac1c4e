/** Serves the endpoints of an interface. A route's decoders, sign-in and encoder are made when the host starts. */
import { CustomFields } from "@crossdock/catalog"
import { Metrics, required } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bodyOf, type Failure, isFailed, toFailure, validationFailed } from "../Failure.ts"
import { HttpPolicy, noError, RequestFacts } from "../RequestContext.ts"
import type { Payload } from "./Body.ts"
import * as Decode from "./Decode.ts"
import * as FieldFilters from "./FieldFilters.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpRouter.Provided>

/** Handles a request's parts. It decodes the body by `payload`, so a rejection is stored under the Idempotency-Key too. */
type Handler<E extends HttpApiEndpoint.ConstraintRequest> = (
  request: E["~RequestRaw"] & { readonly payload: Payload<E["~Payload"]["Type"]> }
) => Effect.Effect<
  E["~Success"]["Type"] | HttpServerResponse.HttpServerResponse,
  E["~Error"]["Type"] | HttpApiEndpoint.MiddlewareError<E>,
  HttpRouter.Provided | HttpApiEndpoint.MiddlewareProvides<E>
>

type Handlers<E extends HttpApiEndpoint.ConstraintRequest> = {
  readonly [Each in E as Each["identifier"]]: Handler<Each>
}

/** A handler without the types of its endpoint, because one loop makes the routes of all endpoints. */
type Untyped = (request: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, unknown, HttpRouter.Provided>

const untyped = (schema: Schema.Top) => schema as Schema.Codec<unknown, unknown>

const decoderOf = (schema: Schema.Top | undefined) =>
  schema === undefined ? undefined : Schema.decodeUnknownResult(untyped(schema), { errors: "all" })

/** The decoder of a body. Several media types of one body have the same schema, so the first decoder is used. */
const payloadOf = (endpoint: HttpApiEndpoint.Top): Payload<unknown> => {
  const [schema = Schema.Unknown] = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  const decode = Decode.whole(untyped(schema))
  return (body) => decode(body?.json)
}

const readerOf = (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top) => {
  const payload = payloadOf(endpoint)
  const message = Context.get(endpoint.annotations, Decode.InvalidQuery)
  const parts = [
    ["params", decoderOf(endpoint.params)],
    ["headers", decoderOf(endpoint.headers)],
    ["query", decoderOf(endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query))]
  ] as const
  return (
    request: HttpServerRequest.HttpServerRequest,
    params: Readonly<Record<string, string | undefined>>,
    query: Readonly<Record<string, unknown>>
  ): Result.Result<Readonly<Record<string, unknown>>, Failure> => {
    const sent = { params, headers: request.headers, query }
    const read: Record<string, unknown> = { request, endpoint, group, payload }
    for (const [part, decode] of parts) {
      if (decode === undefined) continue
      const found = decode(sent[part])
      if (Result.isFailure(found)) {
        const violations = Decode.withRepeated(Decode.violations(found.failure.issue), query)
        return Result.fail(validationFailed(violations, message))
      }
      read[part] = found.success
    }
    return Result.succeed(read)
  }
}

/** Handlers answer with a value, as JSON, or with a response of their own. A value that its schema rejects is a defect. */
const encoderOf = ({ success }: HttpApiEndpoint.Top) => {
  const [schema = Schema.Void] = success
  const encode = Schema.encodeUnknownResult(untyped(schema))
  return (value: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    if (HttpServerResponse.isHttpServerResponse(value)) return Effect.succeed(value)
    const encoded = encode(value)
    return Result.isSuccess(encoded)
      ? Effect.succeed(HttpServerResponse.text(JSON.stringify(encoded.success), { contentType: "application/json" }))
      : Effect.die(encoded.failure)
  }
}

/** Reads one header. Effect would decode all headers by a schema. */
const credentialIn = (security: HttpApiSecurity.HttpApiSecurity) =>
  security._tag === "ApiKey" && security.in === "header"
    ? Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => Redacted.make(headers[security.key] ?? ""))
    : HttpApiBuilder.securityDecode(security)

type SignIn = (
  answer: Answer,
  options: { readonly credential: unknown; readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }
) => Answer

/** How callers of an endpoint sign in. The endpoints of a group sign in the same way, or need no sign-in. */
const signInOf = (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top, context: Context.Context<never>) => {
  for (const middleware of endpoint.middlewares) {
    const key = middleware as HttpApiMiddleware.AnyService
    const [named] = HttpApiMiddleware.isSecurity(key) ? Object.entries(key.security) : []
    if (named === undefined) continue
    const [name, security] = named
    const ways: Readonly<Record<string, SignIn>> = Context.getUnsafe(context, key)
    const signIn = required(ways[name], `the sign-in ${name}`)
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

/** Answers failures. Any other error, such as an answer that doesn't match its schema, is a defect. */
const failed = (error: unknown) => (isFailed(error) ? Effect.catch(toFailure(error), responseOf) : Effect.die(error))

const routeOf = (
  endpoint: HttpApiEndpoint.Top,
  group: HttpApiGroup.Top,
  handler: Untyped,
  context: Context.Context<never>,
  lenientQuery: boolean,
  fields: CustomFields.CustomFields
) => {
  const read = readerOf(endpoint, group)
  const encode = encoderOf(endpoint)
  const signIn = signInOf(endpoint, group, context)
  const list = `${endpoint.method} ${endpoint.path}`
  const filters = FieldFilters.isList(list) ? FieldFilters.parametersOf(fields, list) : []
  const filterNames = filters.map(({ parameter }) => parameter)
  // Token paths and links take any query.
  const check = lenientQuery || signIn === undefined ? undefined : Decode.unknownParameters(endpoint.query, filterNames)
  const handled = Effect.withFiber<HttpServerResponse.HttpServerResponse, unknown, HttpRouter.Provided>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const query = Context.getUnsafe(fiber.context, HttpServerRequest.ParsedSearchParams)
    const { params } = Context.getUnsafe(fiber.context, HttpRouter.RouteContext)
    const fault = check?.(query)
    if (fault !== undefined) return Effect.fail(fault)
    const given = read(request, params, query)
    return Result.isSuccess(given) ? Effect.flatMap(handler(given.success), encode) : Effect.fail(given.failure)
  })
  const { method, path } = endpoint
  const route = {
    method,
    path,
    succeeded: Metrics.requests.at({ method, route: path, status: "200", code: noError }),
    duration: Metrics.requestDuration.at({ method, route: path })
  }
  const answered = Effect.catch(signIn === undefined ? handled : signIn(handled), failed)
  return HttpRouter.route(
    method,
    path as HttpRouter.PathInput,
    Effect.withFiber((fiber) => {
      fiber.getRef(RequestFacts).route = route
      return answered
    })
  )
}

type Made<Step extends Effect.Effect<unknown, unknown, unknown>> = ReturnType<typeof Effect.gen<Step, unknown>>

/** Serves the endpoints of a group with the handlers of `build`. The query is checked after the token. */
export const group = <
  Id extends string,
  E extends HttpApiEndpoint.ConstraintRequest,
  Step extends Effect.Effect<unknown, unknown, unknown>
>(
  of: HttpApiGroup.HttpApiGroup<Id, E>,
  build: (handlers: (of: Handlers<E>) => Handlers<E>) => Generator<Step, Handlers<E>, never>
): Layer.Layer<
  never,
  Effect.Error<Made<Step>>,
  Effect.Services<Made<Step>> | HttpRouter.HttpRouter | HttpApiEndpoint.Middleware<E>
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const context = yield* Effect.context<HttpApiEndpoint.Middleware<E>>()
      const { lenientQuery } = yield* HttpPolicy
      const fields = yield* CustomFields.Policy
      // `build` has checked each handler against its endpoint. A route takes any handler, so both lose their types only here.
      const group = of as unknown as HttpApiGroup.Top
      const own = yield* Effect.gen(() => build((handlers) => handlers))
      const handlers = own as unknown as Readonly<Record<string, Untyped>>
      yield* router.addAll(
        Object.values(group.endpoints).map((endpoint) => {
          const handler = required(handlers[endpoint.identifier], endpoint.identifier)
          return routeOf(endpoint, group, handler, context, lenientQuery, fields)
        })
      )
    })
  )
