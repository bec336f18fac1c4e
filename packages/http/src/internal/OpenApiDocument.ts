/** The parts of an OpenAPI document that no endpoint declares: titles, headers of answers, the Idempotency-Key. */

import { Idempotency } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { isObject } from "effect/Predicate"
import * as Record from "effect/Record"
import { type AnswerCode, answerCodes } from "../Failure.ts"
import { Limits } from "../Limits.ts"

type Json = Readonly<Record<string, unknown>>

/** The key under which an operation has its own error codes while the document is made. */
const ownCodes = "x-codes"

/** An operation's own error codes, besides those of its kind of call. */
export const codes = (...own: ReadonlyArray<AnswerCode>) => OpenApi.annotations({ override: { [ownCodes]: own } })

const shared =
  "docs/reference/requests.md has the rules for all requests, such as limits, the order of checks and the Idempotency-Key. docs/reference/errors.md, also served at /docs/errors of the host, lists every error with its remedy. In a body, unknown fields are ignored, and null in an optional field counts as absent."

const always = (description: string, schema: Json = { type: "string" }) => ({ description, required: true, schema })

const headers = {
  "x-request-id": always("Id of the request: the caller's own when it sent one of 1 to 128 characters of A-Za-z0-9._-"),
  "retry-after": {
    description: "Send the request again after this many seconds",
    schema: { type: "integer", minimum: 1 }
  },
  "idempotent-replayed": {
    description: "true on an answer that was given before to the same Idempotency-Key; nothing was done again",
    schema: { type: "string", enum: ["true"] }
  },
  "x-total-count": always("Shipments on all pages", { type: "integer", minimum: 0 }),
  "cache-control": always("no-store: the answer is a secret or short-lived"),
  "content-disposition": always("Shows the document in a browser, and names its file"),
  "content-security-policy": always("The page loads nothing and sends its form nowhere else"),
  "referrer-policy": always("no-referrer: the address is a secret"),
  location: always("Where the browser goes next: the return_url with the outcome")
}

type Header = keyof typeof headers

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: Limits.idempotencyKeyLength },
  description: `Makes a retry safe: for ${Limits.idempotencyHours} hours, the same key with the same query and body gives the first answer again and changes nothing`
}

const isMediaType = (response: Json, type: string): boolean => isObject(response.content) && type in response.content

const headersOf = (status: string, response: Json, hasKey: boolean, isSignIn: boolean): ReadonlyArray<Header> => [
  "x-request-id",
  ...(status === "429" || status === "503" ? ["retry-after" as const] : []),
  ...(hasKey && Idempotency.isKept(Number(status)) ? ["idempotent-replayed" as const] : []),
  ...(isSignIn ? ["cache-control" as const] : []),
  ...(isMediaType(response, "application/pdf") ? (["cache-control", "content-disposition"] as const) : []),
  ...(isMediaType(response, "text/html")
    ? (["cache-control", "referrer-policy", "content-security-policy"] as const)
    : []),
  ...(status === "303" ? (["cache-control", "referrer-policy", "location"] as const) : [])
]

const withHeaders = (response: Json, names: ReadonlyArray<Header>): Json => ({
  ...response,
  headers: {
    ...(isObject(response.headers) ? response.headers : {}),
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  }
})

const withSuccess =
  (change: (success: Json) => Json) =>
  (operation: Json): Json => {
    const responses = isObject(operation.responses) ? operation.responses : {}
    return {
      ...operation,
      responses: { ...responses, 200: change(isObject(responses["200"]) ? responses["200"] : {}) }
    }
  }

/** Declares that an operation's answer has the total of all pages in a header. */
export const withTotalCount = withSuccess((success) => withHeaders(success, ["x-total-count"]))

/** Links an operation to other operations that need a part of its answer, such as an id. */
export const withLinks = (links: Readonly<Record<string, string>>) =>
  withSuccess((success) => ({
    ...success,
    links: Record.map(links, (description, operationId) => ({ operationId, description }))
  }))

/** Declares sign-in by HTTP Basic. If `isRequired` is false, it is one of several ways, and the body is optional. */
export const withBasic =
  (isRequired: boolean) =>
  (one: Json): Json => ({
    ...one,
    security: isRequired ? [{ basic: [] }] : [{ basic: [] }, {}],
    ...(isObject(one.requestBody) ? { requestBody: { ...one.requestBody, required: isRequired } } : {})
  })

const basic = { type: "http", scheme: "basic", description: "The credentials of the account that signs in" }

/** An operation's kind of call, from which most of its codes follow. */
const callOf = (one: Json, responses: Json) => {
  const isSignIn = String(one.operationId).startsWith("token.")
  const hasToken = !isSignIn && Array.isArray(one.security) && one.security.length > 0
  return { hasBody: "requestBody" in one, hasKey: "422" in responses, hasToken, isSignIn }
}

type Call = ReturnType<typeof callOf>

const commonCodes: ReadonlyArray<AnswerCode> = [
  "VALIDATION_FAILED",
  "NOT_FOUND",
  "TOO_MANY_REQUESTS",
  "INTERNAL_SERVER_ERROR",
  "STORAGE_UNAVAILABLE"
]

/** All codes that can answer a call. The operation has those of its declared statuses. */
const codesOf = ({ hasBody, hasKey, hasToken, isSignIn }: Call, own: unknown): ReadonlyArray<AnswerCode> => [
  ...commonCodes,
  ...(hasBody
    ? (["MALFORMED_JSON", "TOO_DEEP", "FORBIDDEN_KEY", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const)
    : []),
  ...(hasKey ? (["IDEMPOTENCY_IN_FLIGHT", "IDEMPOTENCY_MISMATCH"] as const) : []),
  ...(hasToken ? (["UNKNOWN_PARAMETER", "TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "FORBIDDEN"] as const) : []),
  ...(isSignIn ? (["CREDENTIALS_INVALID", "TOO_MANY_ATTEMPTS"] as const) : []),
  ...(Array.isArray(own) ? own : [])
]

/** The example body of a code. Its message is the cause and the remedy, where a host's message would name the fault. */
const errorExample = (code: AnswerCode): Json => {
  const { cause, fix } = answerCodes[code]
  const faults = [{ path: "/quantity", code: "REQUIRED", message: "Is required." }]
  const errors = code === "VALIDATION_FAILED" ? { errors: faults } : {}
  const request_id = "9f1c4e0a-6b1d-4c53-8f0e-2a7d5b3c9e11"
  return { summary: cause, value: { message: `${cause} ${fix}`, code, request_id, ...errors } }
}

/** An answer outside 2xx with its codes, so that clients can switch on the code, and an example of each code. */
const withCodes = (response: Json, codes: ReadonlyArray<AnswerCode>): Json => {
  const error = { $ref: "#/components/schemas/Error" }
  const schema = { allOf: [error, { type: "object", properties: { code: { description: "The fault", enum: codes } } }] }
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  return { ...response, content: { "application/json": { schema, examples } } }
}

/** Removes statuses without a code. They are in shared lists of errors but can't occur. Adds 429 to every operation. */
const responsesOf = (responses: Json, call: Call, own: unknown): Json => {
  const declared: Json = { ...responses, 429: responses["429"] ?? { description: "Too many requests" } }
  const all = codesOf(call, own)
  return Object.fromEntries(
    Object.entries(declared).flatMap(([status, response]) => {
      if (!isObject(response)) return []
      const codes = all.filter((code) => String(answerCodes[code].status) === status).sort()
      if (Number(status) >= 400 && codes.length === 0) return []
      const whole = codes.length === 0 ? response : withCodes(response, codes)
      return [[status, withHeaders(whole, headersOf(status, whole, call.hasKey, call.isSignIn))]]
    })
  )
}

const operationOf = ({ [ownCodes]: own, ...one }: Json, responses: Json): Json => {
  const call = callOf(one, responses)
  const parameters = [
    ...(Array.isArray(one.parameters) ? one.parameters : []),
    ...(call.hasKey ? [idempotencyKey] : [])
  ]
  return { ...one, parameters, responses: responsesOf(responses, call, own) }
}

/** Merges the schemas of `allOf` into one, unless two of them have the same keyword. */
const merged = ({ allOf, ...schema }: Json): Json => {
  if (!Array.isArray(allOf)) return schema
  const parts = allOf.filter(isObject)
  const keys = [...Object.keys(schema), ...parts.flatMap((part) => Object.keys(part))]
  return new Set(keys).size === keys.length ? Object.assign({}, ...parts, schema) : { ...schema, allOf }
}

/** Moves the description of a parameter from its schema to the parameter. */
const parameterOf = ({ schema, ...parameter }: Json): Json => {
  const { description, ...rest } = isObject(schema) ? schema : {}
  return { ...parameter, ...(description === undefined ? {} : { description }), schema: rest }
}

/** Adjusts a part of the document: objects allow unknown fields, and operations get their codes and Idempotency-Key. */
const adjusted = (key: string, value: unknown): unknown => {
  if (key === "additionalProperties" && value === false) return undefined
  // Custom fields are added later, to the document of a host that declares them.
  if (key === "custom_fields" || key === "order_custom_fields") return undefined
  if (!isObject(value)) return value
  if (isObject(value.responses)) return operationOf(value, value.responses)
  if ("in" in value && "schema" in value) return parameterOf(value)
  return "allOf" in value ? merged(value) : value
}

/** The components of one kind to which the document refers. */
const used = (document: string, kind: string, components: ReadonlyArray<readonly [name: string, Json]>): Json =>
  Object.fromEntries(components.filter(([name]) => document.includes(`"#/components/${kind}/${name}"`)))

const errorExamples = Object.entries(Record.map(answerCodes, (_, code) => errorExample(code)))

const transform = (document: Json): Json => {
  const whole: Json = JSON.parse(JSON.stringify(document), adjusted)
  const components = isObject(whole.components) ? whole.components : {}
  const schemes = isObject(components.securitySchemes) ? components.securitySchemes : {}
  const text = JSON.stringify(whole)
  return {
    ...whole,
    components: {
      ...components,
      headers: used(text, "headers", Object.entries(headers)),
      examples: used(text, "examples", errorExamples),
      securitySchemes: { ...schemes, basic }
    }
  }
}

type Words = Readonly<Record<string, string>>

/** The words of a document apart from its contract, by the names of operations, tags, schemas and fields. */
export interface Texts {
  readonly description: string
  /** Titles and descriptions. In all texts, a name in braces such as `{confirmHours}` means that limit. */
  readonly operations: Readonly<Record<string, ReadonlyArray<string>>>
  readonly tags?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly schemas?: Words
  /** Descriptions of a field in every schema, or of `Schema.field` in one schema. */
  readonly fields?: Words
}

/** The texts, in which names of limits are replaced by the limits. */
const filled = (texts: Texts): Texts =>
  JSON.parse(JSON.stringify(texts).replaceAll(/\{(\w+)\}/g, (_, limit: keyof typeof Limits) => String(Limits[limit])))

const withTexts = (document: Json, { fields = {}, operations, schemas = {}, tags = {} }: Texts): unknown =>
  JSON.parse(JSON.stringify(document), (key, value) => {
    if (!isObject(value)) return value
    const { name, operationId, properties, tags: own } = value
    const [title, description] = (Array.isArray(own) ? operations[String(operationId)] : tags[String(name)]) ?? []
    if (Array.isArray(own) && description !== undefined)
      return { ...value, tags: own.map((tag) => tags[tag]?.[0] ?? tag), summary: title, description }
    if ("in" in value) return { ...value, description: fields[String(name)] ?? value.description }
    if (description !== undefined) return { name: title, description }
    if (!isObject(properties)) return value
    const of = ([field, one]: readonly [string, unknown]) => {
      const said = isObject(one) && (one.description ?? JSON.stringify(one.allOf)?.includes('"description"'))
      const description = fields[`${key}.${field}`] ?? (said ? undefined : fields[field])
      return [field, isObject(one) && description !== undefined ? { ...one, description } : one] as const
    }
    const said = schemas[key] ?? value.description
    return { ...value, description: said, properties: Object.fromEntries(Object.entries(properties).map(of)) }
  })

/** Adds the title, version and description of an interface, and the parts that all interfaces share. */
export const annotations = (title: string, version: string, texts: Texts) =>
  OpenApi.annotations({
    title,
    version,
    description: `${texts.description}\n\n${shared}`,
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: "/", description: "The host that serves this document" }],
    transform: (document: Json) => transform(withTexts(document, filled(texts)) as Json)
  }).pipe(Context.add(HttpApi.ParseOptions, { errors: "all" }))
