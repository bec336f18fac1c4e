/** The requirements on every answer. */
import { Edge } from "@crossdock/http"
import type { Answer } from "./Connection.ts"
import { isObject } from "./JsonText.ts"
import { judgesFields, judgesRecords, needsToken, type Operation } from "./Operation.ts"
import * as Request from "./Request.ts"
import * as Rules from "./Rules.ts"

/** Statuses with which the host's server may answer before any operation runs. */
const ofServer: ReadonlySet<number> = new Set([400, 417, 431])

/** Whether the host cuts the path, because a part of it looks like credentials. It may then be the path of another operation. */
const isCut = (request: Request.Request): boolean => {
  const [path = ""] = Request.targetOf(request).split("?")
  return (Edge.takeCredentials(path)?.url ?? path) !== path
}

const isRouted = (request: Request.Request): boolean =>
  request.target === undefined &&
  request.method === request.operation.method &&
  Object.values(request.path).every((value) => value !== "" && value.length <= 500) &&
  !isCut(request)

/** The body as the host reads it. It is undefined if it isn't JSON. */
const bodyOf = (request: Request.Request): unknown => {
  const bytes = Request.bytesOf(request)
  try {
    return bytes === undefined ? undefined : JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const leaks: ReadonlyArray<RegExp> = [
  /\bundefined\b/,
  /\[object \w+\]/,
  /\bNaN\b/,
  /\bat \S+ \(|\n\s+at /,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) [a-z_"]+ /,
  /sqlite|SQLITE_|postgres|constraint|crossdock_[a-z]/i,
  /node_modules|packages\/[a-z-]+\/(?:src|dist)|\.[jt]s:\d+/,
  /\bTypeError\b|\bRangeError\b|\bSyntaxError\b|\b(?:Schema|Parse|Sql|Storage)Error\b/,
  /Infinity|\$\{|\{\{/
]

/** The forbidden texts in a message. Texts that were sent may be repeated. */
const leaksOf = (message: string, sent: string): ReadonlyArray<string> =>
  leaks.flatMap((leak) => {
    const found = leak.exec(message)?.[0]
    return found === undefined || sent.includes(found)
      ? []
      : [`a message has ${JSON.stringify(found)}: ${message.slice(0, 300)}`]
  })

const sentText = (request: Request.Request): string => {
  const target = Request.targetOf(request)
  let plain = target
  try {
    plain = decodeURIComponent(target)
  } catch {}
  return `${target} ${plain} ${request.query.flat().join(" ")} ${Object.values(request.path).join(" ")} ${Object.values(Request.headersOf(request)).join(" ")} ${Request.bytesOf(request)?.toString() ?? ""}`
}

const faultsOfError = (request: Request.Request, answer: Answer): ReadonlyArray<string> => {
  const { json, status } = answer
  if (!isObject(json)) return ["an error has no JSON body"]
  const { code, errors = [], message, request_id: requestId } = json
  if (typeof code !== "string" || typeof message !== "string" || typeof requestId !== "string") {
    return ["an error lacks its message, code or request_id"]
  }
  const entries = Array.isArray(errors) ? errors.filter(isObject) : []
  const ofCode = isRouted(request)
    ? Rules.faultOfCode(request.operation, status, code)
    : /^(?:ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED)$/.test(code)
      ? undefined
      : Rules.faultOfCode(request.operation, status, code)
  const texts = [message, ...entries.flatMap(({ message: text, suggestion }) => [text, suggestion])]
  const sent = sentText(request)
  return [
    ...(ofCode === undefined ? [] : [ofCode]),
    ...(requestId === answer.headers["x-request-id"] || answer.headers["idempotent-replayed"] === "true"
      ? []
      : ["request_id and x-request-id differ"]),
    ...entries.flatMap((entry) => Rules.faultOfField(String(entry.code)) ?? []),
    ...(request.operation.body === undefined ? [] : faultsOfPaths(request.operation, bodyOf(request), entries)),
    ...texts.flatMap((text) => (typeof text === "string" ? leaksOf(text, sent) : [])),
    ...(message.length > 5_000 + Request.targetOf(request).length ? [`a message has ${message.length} characters`] : [])
  ]
}

/** Codes of missing values. A missing flag or a missing `pricing_type` has the same code as a wrong one. */
const codesOfMissing: ReadonlySet<string> = new Set([
  "REQUIRED",
  "INVALID_RECORD",
  "INVALID_VALUE",
  "VALIDATION_FAILED"
])

/** Faults of the paths in entries. A path must name a parameter or a place in the body, where the value may be missing. */
const faultsOfPaths = (
  { parameters }: Operation,
  body: unknown,
  entries: ReadonlyArray<Readonly<Record<string, unknown>>>
): ReadonlyArray<string> =>
  entries.flatMap(({ code, path }) => {
    const isOfQuery = code === "UNKNOWN_PARAMETER"
    if (typeof path !== "string" || path === "" || body === undefined || isOfQuery) return []
    const keys = path
      .slice(1)
      .split("/")
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    const place = (keep: number) =>
      keys
        .slice(0, keep)
        .reduce<unknown>(
          (at, key) =>
            typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined,
          body
        )
    const isThere = place(keys.length) !== undefined
    const isMissing = codesOfMissing.has(String(code)) && place(keys.length - 1) !== undefined
    return isThere || isMissing || parameters.some(({ name }) => name === keys[0])
      ? []
      : [`the path ${path} of ${String(code)} names nothing that was sent`]
  })

interface Counts {
  readonly total: unknown
  readonly success: unknown
  readonly failed: unknown
  readonly status: unknown
  readonly errors: ReadonlyArray<unknown>
}

const numbersOf = (json: unknown): Counts | undefined => {
  if (!isObject(json)) return undefined
  const { data, errors, failed, failedCount, meta, payloadCount, status, success, successCount, total } = json
  if (isObject(data) && isObject(meta) && Array.isArray(data.errors)) {
    return {
      total: data.payload_count,
      success: data.success_count,
      failed: data.failed_count,
      status: meta.status,
      errors: data.errors
    }
  }
  if (Array.isArray(errors)) return { total: payloadCount, success: successCount, failed: failedCount, status, errors }
  return isObject(errors) ? { total, success, failed, status, errors: Object.values(errors) } : undefined
}

/** The records in the body of a bulk. */
export const recordsOf = (body: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(body)) return body
  if (!isObject(body)) return []
  return Array.isArray(body.shipments) ? body.shipments : Array.isArray(body.products) ? body.products : []
}

/** The number of wrong records. The schema of the body doesn't cover the records of a bulk. */
const wrongRecords = ({ operation }: Request.Request, body: unknown): number =>
  recordsOf(body).filter((record) => {
    const alone = Array.isArray(body) ? [record] : { shipments: [record], products: [record] }
    const faults = operation.body?.validate(alone) ?? []
    return faults.some((fault) => !judgesFields(operation) || fault.includes("/custom_fields"))
  }).length

const faultsOfBulk = (request: Request.Request, body: unknown, counts: Counts): ReadonlyArray<string> => {
  const { errors, failed, status, success, total } = counts
  const sent = recordsOf(body).length
  const wrong = judgesRecords(request.operation) || judgesFields(request.operation) ? wrongRecords(request, body) : 0
  const word = failed === 0 ? "SUCCESS" : success === 0 ? "FAILED" : "PARTIAL_SUCCESS"
  const indexes = errors.map((error) => (isObject(error) ? error.index : undefined))
  const text = sentText(request)
  return [
    ...faultsOfPaths(request.operation, body, errors.filter(isObject)),
    ...(total === sent && Number(success) + Number(failed) === sent
      ? []
      : [`${sent} records were sent, the answer counts ${total}: ${success} and ${failed}`]),
    ...(errors.length === failed && new Set(indexes).size === errors.length
      ? []
      : [`${failed} failed with ${errors.length} errors`]),
    ...(indexes.every((index) => typeof index === "number" && index >= 0 && index < sent)
      ? []
      : ["an index is of no record"]),
    ...(status === word ? [] : [`the status is ${status}, by its counts ${word}`]),
    ...(Number(failed) >= wrong ? [] : [`${wrong} records break the document, but only ${failed} failed`]),
    ...errors.filter(isObject).flatMap((error) => {
      const { code, errors: inner, message } = error
      const fields = Array.isArray(inner) ? inner.filter(isObject) : []
      return [
        ...(Rules.faultOfRecord(request.operation, String(code)) === undefined
          ? []
          : [Rules.faultOfRecord(request.operation, String(code)) ?? ""]),
        ...fields.flatMap((field) => Rules.faultOfField(String(field.code)) ?? []),
        ...[message, ...fields.map((field) => field.message)].flatMap((one) => leaksOf(String(one), text))
      ]
    })
  ]
}

const parameterBreaks = (
  text: string,
  { enum: allowed, maxLength, maximum, minimum, type }: Readonly<Record<string, unknown>>
): boolean => {
  if (Array.isArray(allowed)) return !allowed.includes(text)
  if (type === "boolean") return text !== "true" && text !== "false"
  if (type === "integer") {
    return (
      !/^\d+$/.test(text) || Number(text) < Number(minimum ?? -Infinity) || Number(text) > Number(maximum ?? Infinity)
    )
  }
  return typeof maxLength === "number" && [...text].length > maxLength
}

/** Why the document forbids a request. The list is empty if the document allows it. */
const forbidden = (request: Request.Request, body: unknown): ReadonlyArray<string> => {
  const { operation, query } = request
  const given = (name: string) => query.filter(([key]) => key === name).map(([, value]) => value)
  const parameters = operation.parameters
    .filter((one) => one.in === "query")
    .flatMap(({ name, required, schema }) => {
      const values = given(name)
      if (values.length === 0) return required ? [`${name} is required`] : []
      return values.length === 1 && values[0] !== "" && parameterBreaks(values[0] ?? "", schema)
        ? [`${name} is not valid`]
        : []
    })
  const isJson = operation.body?.type === "application/json"
  const isWhole = isJson && !judgesRecords(operation) && needsToken(operation)
  const faults = isWhole ? (operation.body?.validate(body) ?? []) : []
  return [...parameters, ...faults.filter((fault) => !judgesFields(operation) || !fault.includes("/custom_fields"))]
}

const faultsOfSuccess = (request: Request.Request, answer: Answer): ReadonlyArray<string> => {
  const { operation } = request
  const declared = operation.answers.get(answer.status)
  const body = bodyOf(request)
  const counts = operation.method === "GET" ? undefined : numbersOf(answer.json)
  const wrong = request.headers["idempotency-key"] === undefined ? forbidden(request, body) : []
  return [
    ...(declared?.validate(answer.json) ?? []).map((fault) => `the answer does not match its schema: ${fault}`),
    ...(declared?.type === "application/pdf" && !answer.text.startsWith("%PDF-") ? ["the answer is not a PDF"] : []),
    ...(counts === undefined ? [] : faultsOfBulk(request, body, counts)),
    ...wrong.slice(0, 3).map((fault) => `the document forbids what was accepted: ${fault}`)
  ]
}

const faultsOfType = (request: Request.Request, answer: Answer): ReadonlyArray<string> => {
  const type = String(answer.headers["content-type"] ?? "").split(";")[0]
  const declared = answer.status < 400 ? request.operation.answers.get(answer.status)?.type : "application/json"
  return declared === undefined || type === declared ? [] : [`the content type is ${type}, not ${declared}`]
}

/** The faults of an answer. An answer may take at most `slowMillis`. */
export const faults = (request: Request.Request, answer: Answer, slowMillis: number): ReadonlyArray<string> => {
  const { headers, millis, status } = answer
  const { expected, method, operation } = request
  if (status === 0) return [`there was no answer: ${answer.text}`]
  const routed = isRouted(request)
  const code = isObject(answer.json) ? String(answer.json.code) : ""
  const isBusy = status === 503 && code === "DOCUMENTS_BUSY" && operation.answers.has(503)
  const isTooLong = status === 431 && Request.targetOf(request).length > 12_000
  const isOwn = operation.answers.has(status) || ofServer.has(status) || code === "ROUTE_NOT_FOUND"
  return [
    ...(status >= 500 && !isBusy ? [`the status is ${status} ${code}`] : []),
    ...(routed && !isOwn ? [`the document has no status ${status} (${code})`] : []),
    ...(expected === undefined || isTooLong || expected.includes(status)
      ? []
      : [`the status is ${status}, not ${expected.join(" or ")}`]),
    ...(millis > slowMillis ? [`it took longer than ${slowMillis} ms`] : []),
    ...(typeof headers["x-request-id"] === "string" ? [] : ["x-request-id is missing"]),
    ...(status === 405 && headers.allow === undefined ? ["a 405 has no Allow"] : []),
    ...(method === "HEAD"
      ? []
      : [
          ...faultsOfType(request, answer),
          ...(status >= 400 ? faultsOfError(request, answer) : routed ? faultsOfSuccess(request, answer) : [])
        ])
  ]
}
