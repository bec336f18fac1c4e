/**
 * Reads request bodies: content type, size, encoding and JSON, in this order.
 */

import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import { Failure } from "../Failure.ts"
import { Limits } from "../Limits.ts"
import { alternatives } from "./Alternatives.ts"
import * as JsonText from "./JsonText.ts"
import { turn } from "./RequestFacts.ts"

/**
 * A body as it was sent. When it is not UTF-8, `text` has replacement characters.
 */
export interface Received {
  readonly text: string
  readonly isUtf8: boolean
}

/**
 * The text of a body and the JSON in it.
 */
export interface Body {
  readonly text: string
  readonly json: unknown
}

const tooLarge = (limit: number) =>
  new Failure({
    code: "BODY_TOO_LARGE",
    message: `The body is larger than ${limit} bytes, the most that this route accepts. Split it into smaller requests.`,
    headers: { connection: "close" }
  })

const unreadable = new Failure({
  code: "MALFORMED_JSON",
  message: "The connection ended before the whole body arrived. Send the request again."
})

const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const unsupported = (message: string) => new Failure({ code: "UNSUPPORTED_MEDIA_TYPE", message })

const compressed = unsupported("Compressed bodies are not accepted. Send the body without Content-Encoding.")

const longestType = 100

/** Says which type was sent, and which the route takes. */
const otherType = (sent: string | undefined, types: ReadonlyArray<string>) => {
  const what = types.length === 1 ? "JSON" : "a form or JSON"
  const given =
    sent === undefined || sent === ""
      ? "it was sent without a Content-Type"
      : `it was sent as ${sent.slice(0, longestType)}`
  return unsupported(`The body must be ${what}; ${given}. Send it with Content-Type: ${alternatives(types)}.`)
}

const jsonType = "application/json"

const noBody = Effect.succeed(undefined)

const isJson = /^application\/json\s*(;|$)/i

/** What is read here of Node's request. */
interface NodeSource {
  readonly on: (event: string, listener: (chunk: Uint8Array) => void) => void
}

const isNodeSource = (source: object): source is NodeSource => "on" in source

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** By Node's own events, which cost a tenth of a stream. What comes after the limit is discarded. */
const collected = (source: NodeSource, limit: number): Effect.Effect<Uint8Array, Failure> =>
  Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    source.on("data", (chunk) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else resume(Effect.fail(tooLarge(limit)))
    })
    source.on("end", () => resume(Effect.sync(() => joined(chunks, length))))
    for (const event of ["error", "close"]) source.on(event, () => resume(Effect.fail(unreadable)))
  })

/** Effect's own reader, which also answers `Expect: 100-continue`. */
const buffered = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<Uint8Array, Failure> =>
  request.arrayBuffer.pipe(
    Effect.mapBoth({
      onFailure: (error) => (isTooLarge(error) ? tooLarge(limit) : unreadable),
      onSuccess: (buffer) => new Uint8Array(buffer)
    }),
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit))
  )

/**
 * At most `limit` bytes. The rest is read and discarded, so that the answer reaches a caller that is still sending. An
 * announced length beyond the limit is rejected at once.
 */
const bytes = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<Uint8Array, Failure> => {
  const { headers, source } = request
  if (Number(headers["content-length"] ?? 0) > limit) return Effect.fail(tooLarge(limit))
  const isPlain = isNodeSource(source) && headers.expect === undefined
  const read = isPlain ? collected(source, limit) : buffered(request, limit)
  return Effect.flatMap(read, (read) => Effect.as(turn, read))
}

const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder()

const decoded = (read: Uint8Array): Received => {
  try {
    return { text: strict.decode(read), isUtf8: true }
  } catch {
    return { text: lenient.decode(read), isUtf8: false }
  }
}

const notUtf8 = () =>
  new Failure({ code: "MALFORMED_JSON", message: "The body is not valid UTF-8. Encode it as UTF-8." })

/**
 * The text of a body that is not JSON, such as a form.
 */
const text = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<string, Failure> =>
  Effect.flatMap(bytes(request, limit), (read) => {
    const { isUtf8, text } = decoded(read)
    return isUtf8 ? Effect.succeed(text) : Effect.fail(notUtf8())
  })

/**
 * Checks the content type, then the size. `types` are those that the route takes, of which JSON is read here. An empty body,
 * whatever its content type, counts as no body: undefined.
 * Source: docs/reference/requests.md#order-of-checks.
 */
export const receive = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  types: ReadonlyArray<string> = [jsonType]
): Effect.Effect<Received | undefined, Failure> => {
  const { headers } = request
  if (headers["content-length"] === "0") return Effect.as(turn, undefined)
  const type = headers["content-type"]
  const isCompressed = (headers["content-encoding"]?.toLowerCase() ?? "identity") !== "identity"
  const rejection = isCompressed ? compressed : isJson.test(type ?? "") ? undefined : otherType(type, types)
  if (rejection !== undefined && Number(headers["content-length"] ?? 0) > 0) return Effect.fail(rejection)
  return Effect.flatMap(bytes(request, limit), (read) => {
    if (read.byteLength === 0) return noBody
    return rejection === undefined ? Effect.succeed(decoded(read)) : Effect.fail(rejection)
  })
}

export const parse = (received: Received | undefined): Result.Result<Body | undefined, Failure> => {
  if (received === undefined) return Result.succeed(undefined)
  const { isUtf8, text } = received
  return isUtf8 ? Result.map(JsonText.parse(text), (json) => ({ text, json })) : Result.fail(notUtf8())
}

export const read = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  types?: ReadonlyArray<string>
): Effect.Effect<Body | undefined, Failure> =>
  Effect.flatMap(receive(request, limit, types), (received) => Effect.fromResult(parse(received)))

/**
 * The body of a POST that only reads. It ignores an Idempotency-Key. Source: docs/reference/requests.md#idempotency.
 */
export const readOnly = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  read(request, Limits.bodyBytes)
)

const formType = "application/x-www-form-urlencoded"

const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i

/**
 * The fields of a form, as browsers and OAuth clients send them, or of JSON.
 */
export const form = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request): Effect.Effect<unknown, Failure> =>
    isForm.test(request.headers["content-type"] ?? "")
      ? Effect.map(text(request, Limits.bodyBytes), (text) => Object.fromEntries(new URLSearchParams(text)))
      : Effect.map(read(request, Limits.bodyBytes, [jsonType, formType]), (body) => body?.json ?? {})
)
