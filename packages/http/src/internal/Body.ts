/** Reads request bodies: content type, size, encoding and JSON, in this order. Rejects deep and unsafe JSON. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import { type AnswerCode, alternatives, Failure } from "../Failure.ts"
import { Limits } from "../Limits.ts"
import { turn } from "../RequestContext.ts"

/** A body as it was sent. If it isn't UTF-8, `text` has replacement characters. */
export interface Received {
  readonly text: string
  readonly isUtf8: boolean
}

/** The text of a body and the JSON in it. */
export interface Body {
  readonly text: string
  readonly json: unknown
}

/** Decodes a body as its endpoint declares it. */
export type Payload<A> = (body: Pick<Body, "json"> | undefined) => Effect.Effect<A, Failure>

export const tooLarge = (limit: number) =>
  new Failure({
    code: "BODY_TOO_LARGE",
    message: `The body is larger than ${limit} bytes, the most that this route accepts. Split it into smaller requests.`,
    headers: { connection: "close" }
  })

const unreadable = new Failure({
  code: "MALFORMED_JSON",
  message: "The connection ended before the whole body arrived. Send the request again."
})

const unsupported = (message: string) => new Failure({ code: "UNSUPPORTED_MEDIA_TYPE", message })

const compressed = unsupported("Compressed bodies are not accepted. Send the body without Content-Encoding.")

/** A sentence with the type that was sent and the types that the route accepts. */
const otherType = (sent: string | undefined, types: ReadonlyArray<string>) => {
  const what = types.length === 1 ? "JSON" : "a form or JSON"
  const given = sent ? `it was sent as ${sent.slice(0, 100)}` : "it was sent without a Content-Type"
  return unsupported(`The body must be ${what}; ${given}. Send it with Content-Type: ${alternatives(types)}.`)
}

const jsonType = "application/json"

const isJson = /^application\/json\s*(;|$)/i

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

/** Reads by Node's events, at a tenth of the cost of a stream. Bytes beyond the limit are discarded. */
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
      onFailure: ({ reason }) =>
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge(limit) : unreadable,
      onSuccess: (buffer) => new Uint8Array(buffer)
    }),
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit))
  )

/** Reads a body, and waits for the caller's turn. Bytes beyond `limit` are discarded, so a caller still sending gets 413. */
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

/** Checks content type and size. Without a body, it returns undefined. Source: docs/reference/requests.md#order-of-checks. */
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
    if (read.byteLength === 0) return Effect.undefined
    return rejection === undefined ? Effect.succeed(decoded(read)) : Effect.fail(rejection)
  })
}

export const parse = (received: Received | undefined): Result.Result<Body | undefined, Failure> => {
  if (received === undefined) return Result.succeed(undefined)
  const { isUtf8, text } = received
  return isUtf8 ? Result.map(parseJson(text), (json) => ({ text, json })) : Result.fail(notUtf8())
}

export const read = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  types?: ReadonlyArray<string>
): Effect.Effect<Body | undefined, Failure> =>
  Effect.flatMap(receive(request, limit, types), (received) => Effect.fromResult(parse(received)))

/** The body of a POST that only reads, and ignores an Idempotency-Key. */
export const readOnly = Effect.flatMap(HttpServerRequest.HttpServerRequest, (sent) => read(sent, Limits.bodyBytes))

const formType = "application/x-www-form-urlencoded"

const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** The fields of a form, as browsers and OAuth clients send them, or of JSON. */
export const form = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isForm.test(request.headers["content-type"] ?? ""))
    return { json: (yield* read(request, Limits.bodyBytes, [jsonType, formType]))?.json ?? {} }
  const { isUtf8, text } = decoded(yield* bytes(request, Limits.bodyBytes))
  return isUtf8 ? { json: Object.fromEntries(new URLSearchParams(text)) } : yield* notUtf8()
})

const space = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in texts.
const textPart = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The end of the string that starts at `from`. If the string isn't valid, it is the index of its fault. */
const endOfText = (text: string, from: number): number => {
  let at = from + 1
  for (let end = endOf(textPart, text, at); end > at; end = endOf(textPart, text, at)) at = end
  return at
}

type Expected = "value" | "element" | "key" | "firstKey" | "colon" | "next"

/** The index of the first wrong character. If the text ends too early, it is the text's length. */
const faultAt = (text: string): number => {
  const open: Array<"]" | "}"> = []
  let expected = "value" as Expected
  let at = endOf(space, text, 0)
  for (; at < text.length; at = endOf(space, text, at)) {
    const c = text.charAt(at)
    const closes = c === open.at(-1) && (expected === "next" || expected === "element" || expected === "firstKey")
    if (closes) {
      open.pop()
      expected = "next"
      at++
    } else if (expected === "next") {
      if (c !== "," || open.length === 0) return at
      expected = open.at(-1) === "}" ? "key" : "value"
      at++
    } else if (expected === "colon") {
      if (c !== ":") return at
      expected = "value"
      at++
    } else if (c === '"') {
      at = endOfText(text, at)
      if (text.charAt(at) !== '"') return at
      expected = expected === "key" || expected === "firstKey" ? "colon" : "next"
      at++
    } else if (expected === "key" || expected === "firstKey") {
      return at
    } else if (c === "[" || c === "{") {
      open.push(c === "[" ? "]" : "}")
      expected = c === "[" ? "element" : "firstKey"
      at++
    } else {
      const end = endOf(scalar, text, at)
      if (end === at) return at
      expected = "next"
      at = end
    }
  }
  return at
}

/** Remedies for text that isn't JSON, by the character before the fault and the characters that follow. */
const remedies: ReadonlyArray<readonly [at: RegExp, remedy: string]> = [
  [/^.$/s, "It ends too early: send the rest"],
  [/^\^</, "This is XML or HTML: send JSON"],
  [/^.['`“”‘’]/, 'JSON takes double quotes, as in {"sku": "A1"}'],
  [/^.(?:True|False|None|NULL|TRUE|FALSE)/, "JSON writes true, false and null in lower case"],
  [/^.-?(?:NaN|Infinity)/, "JSON has no such number: send null, or leave the field out"],
  [/^["\]}\d](?:["[{]|\p{L})/u, "Put a comma or a colon before it"],
  [/^.[\p{L}_$]/u, "Put keys and text in double quotes; only true, false and null have none"],
  [/^,[\]}]/, "Remove the comma before it"],
  [/^.[\]}]/, "Add the value before it, or remove it"],
  [/^.[/#]/, "JSON has no comments: remove it"]
]

const grouped = new Intl.NumberFormat("en-US")

/** The fault of a text that JSON.parse rejected: its place (in UTF-16 code units), and what to do about it. */
export const jsonFault = (text: string): string => {
  const at = faultAt(text)
  const before = text.slice(0, at)
  const line = before.split("\n").length
  const column = at - before.lastIndexOf("\n")
  const [character] = text.slice(at, at + 2)
  const what = character === undefined ? "end" : JSON.stringify(character)
  const around = `${before.slice(-100).trimEnd().slice(-1) || "^"}${text.slice(at, at + 9)}`
  const [, remedy = "Correct it there"] = remedies.find(([pattern]) => pattern.test(around)) ?? []
  return `unexpected ${what} at line ${grouped.format(line)}, column ${grouped.format(column)}. ${remedy}.`
}

const quote = 0x22
const backslash = 0x5c
const isOpening = (c: number): boolean => c === 0x7b || c === 0x5b
const isClosing = (c: number): boolean => c === 0x7d || c === 0x5d
const isNumberStart = (c: number): boolean => (c >= 0x30 && c <= 0x39) || c === 0x2d
const isNumberPart = (c: number): boolean => isNumberStart(c) || c === 0x2e || c === 0x2b || c === 0x45 || c === 0x65

const endOfString = (text: string, from: number): number => {
  let at = text.indexOf('"', from + 1)
  while (at !== -1) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return at
    at = text.indexOf('"', at + 1)
  }
  return text.length
}

/** The number of significant digits. A pattern for trailing zeros would take quadratic time. */
const significantDigits = (literal: string): number => {
  const digits = literal.replace(/[eE].*/, "").replaceAll(/\D/g, "")
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return Math.max(0, end - digits.search(/[1-9]|$/))
}

/** Whether JSON.parse keeps the number exactly. Source: docs/reference/requests.md#numbers. */
const isExact = (literal: string): boolean => {
  const digits = significantDigits(literal)
  const isLost = digits > 0 && Number(literal) === 0
  return (digits <= 15 && !isLost) || (/^-?\d+$/.test(literal) && Number.isSafeInteger(Number(literal)))
}

/** Whether to reject a number literal. Short ones without an exponent are always exact. */
const isInexact = (literal: string): boolean =>
  (literal.length > 15 || /[eE]-/.test(literal)) && endOf(scalar, literal, 0) === literal.length && !isExact(literal)

/** Scans the text once, in linear time. Returns the start and end of each number to reject; undefined if it is too deep. */
const scan = (text: string): ReadonlyArray<readonly [number, number]> | undefined => {
  const inexact: Array<readonly [number, number]> = []
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === quote) at = endOfString(text, at)
    else if (isOpening(c)) {
      if (++depth > Limits.nesting) return undefined
    } else if (isClosing(c)) depth--
    else if (isNumberStart(c)) {
      const start = at
      while (at + 1 < text.length && isNumberPart(text.charCodeAt(at + 1))) at++
      if (isInexact(text.slice(start, at + 1))) inexact.push([start, at + 1])
    }
  }
  return inexact
}

/** Replaces inexact numbers by Infinity, which every schema of a number then rejects with the number's path. */
const withoutInexact = (text: string, places: ReadonlyArray<readonly [number, number]>): string => {
  let from = 0
  const parts: Array<string> = []
  for (const [start, end] of places) {
    parts.push(text.slice(from, start), "1e999")
    from = end
  }
  return places.length === 0 ? text : parts.join("") + text.slice(from)
}

/** Parts of forbidden keys, and the escape that could hide such a key. A text without any of these needs no search. */
const suspicious = ["__proto__", "prototype", "\\u"]

const hasForbiddenKey = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(hasForbiddenKey)
  return Object.entries(value).some(
    ([key, inner]) =>
      key === "__proto__" ||
      (key === "constructor" && typeof inner === "object" && inner !== null && Object.hasOwn(inner, "prototype")) ||
      hasForbiddenKey(inner)
  )
}

const reject = (code: AnswerCode, message: string) => Result.fail(new Failure({ code, message }))

export const parseJson = (text: string): Result.Result<unknown, Failure> => {
  const inexact = scan(text)
  if (inexact === undefined)
    return reject("TOO_DEEP", `The JSON is nested more than ${Limits.nesting} levels deep. Send it with less nesting.`)
  let value: unknown
  try {
    value = JSON.parse(withoutInexact(text, inexact))
  } catch {
    return reject("MALFORMED_JSON", `The body is not JSON: ${jsonFault(text)}`)
  }
  if (!suspicious.some((part) => text.includes(part)) || !hasForbiddenKey(value)) return Result.succeed(value)
  const forbidden = "The body has a key __proto__, or a key constructor that contains prototype. Rename or remove it."
  return reject("FORBIDDEN_KEY", forbidden)
}
