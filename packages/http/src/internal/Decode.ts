/** Decodes callers' requests, and reports every violation with its place. */
import { type Bulk, pointer, Text, type Violation } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { alternatives, Failure, sentence, validationFailed } from "../Failure.ts"
import { Limits } from "../Limits.ts"

type Path = ReadonlyArray<PropertyKey>

/** A schema's message may begin with a code, `[INVALID_TEXT] …`. Otherwise the kind of the issue gives the code. */
const coded = /^\[([A-Z_]+)\] (.*)$/s

const violation = (path: Path, message: string, kind: string, more = ""): Violation => {
  const [, code = kind, text = message] = coded.exec(message) ?? []
  return { path: pointer(path), code, message: text + more }
}

/** The wrong number in words, if the number is exact. A schema's own message doesn't contain the number. */
const numberOf = ({ input }: SchemaIssue.Issue): string =>
  typeof input === "number" && Math.abs(input) <= Number.MAX_SAFE_INTEGER ? `; this is ${input}` : ""

const longestShown = 100

const wrappers = ["data", "payload", "body", "request", "records", "items", "order", "orders", "products"] as const

const isObject = (value: unknown): boolean => Text.jsonKind(value) === "an object"

/** Whether a value is a list of records. */
export const isRecords = (value: unknown): boolean => Array.isArray(value) && isObject(value[0])

/** The only key of an object, if it is a common name for a wrapper and its value is a request. */
export const wrapperOf = (input: unknown, isRequest: (value: unknown) => boolean): string | undefined => {
  if (!isObject(input)) return undefined
  const sent = input as Readonly<Record<string, unknown>>
  const wrapper = wrappers.find((name) => Object.hasOwn(sent, name) && isRequest(sent[name]))
  for (const key in sent) if (key !== wrapper) return undefined
  return wrapper
}

/** How to send the value as the expected type. It is empty if quotes, brackets or a wrapper aren't the problem. */
const rewritten = ({ _tag }: SchemaAST.AST, input: unknown): string => {
  const text = typeof input === "string" ? input : ""
  if (_tag === "Number" && /^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return `. Send ${text} without quotes`
  if (_tag === "Boolean" && /^(true|false)$/i.test(text)) return `. Send ${text.toLowerCase()} without quotes`
  if (_tag === "Objects" && Array.isArray(input) && input.length === 1) return ". Send its only element, without [ ]"
  if (_tag !== "Arrays" || !isObject(input)) return ""
  const wrapper = wrapperOf(input, isRecords)
  return wrapper === undefined ? ". Send a list of it, in [ ]" : `. Send the list in "${wrapper}" alone`
}

/** The expected fields and the sent type in words, for a field of another type. */
const sentInstead = (ast: SchemaAST.AST, input: unknown): string => {
  const shape = shapeOf(ast)
  const sent = input === undefined ? "" : `; this is ${Text.jsonKind(input)}${rewritten(ast, input)}`
  return `${/^[[{]/.test(shape) ? `: ${shape}` : ""}${sent}`
}

/** The maximum of unknown parameters or keys that are compared, since a request can have thousands. */
const mostShown = 10

/** The violation of a word that isn't allowed, with the closest allowed word. */
const misnamed = (ast: SchemaAST.Union, input: unknown, path: Path): ReadonlyArray<Violation> => {
  const words = ast.types.flatMap((type) => (SchemaAST.isLiteral(type) ? [String(type.literal)] : []))
  const suggestion =
    typeof input === "string" && input.length <= longestShown ? Text.nearestName(words, input) : undefined
  const more =
    suggestion !== undefined ? `. Did you mean ${suggestion}?` : words.length > 0 ? "" : sentInstead(ast, input)
  const found = violation(path, expected(ast), "INVALID_TYPE", more)
  return [{ ...found, ...(suggestion === undefined ? {} : { suggestion }) }]
}

const isNothing = ({ _tag }: SchemaAST.AST): boolean => _tag === "Null" || _tag === "Undefined"

const wordsOf: { readonly [T in SchemaAST.AST["_tag"]]?: string } = {
  String: "must be text, in quotes",
  Number: "must be a number",
  Boolean: "must be true or false",
  Arrays: "must be an array"
}

/** The expected value in words: the schema's own message if it has one. */
const expected = (ast: SchemaAST.AST): string => {
  const own = ast.annotations?.message
  if (typeof own === "string") return own
  if (!SchemaAST.isUnion(ast)) return wordsOf[ast._tag] ?? "must be an object"
  const first = ast.types.find((type) => !isNothing(type))
  return first === undefined ? "must be null" : expected(SchemaAST.toEncoded(first))
}

/** Names that callers often send in place of a field, including names of other interfaces. */
const otherNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  orderId: ["shipment_id", "shipmentId", "id"],
  order_id: ["shipment_id", "shipmentId", "id"],
  orderItemId: ["item_id", "itemId", "id"],
  location_id: ["location", "location_code", "locationCode", "store_id"],
  quantity: ["qty", "count", "units", "stock"],
  external_order_id: ["orderId", "order_id", "id"],
  external_shipment_id: ["shipmentId", "shipment_id", "orderId", "id"],
  ordering_currency: ["currency", "currency_code", "currencyCode"],
  mode: ["type", "method", "payment_mode", "paymentMode"],
  lines: ["orderItems", "order_items", "items", "line_items", "lineItems"],
  esp: ["price", "unit_price", "unitPrice", "selling_price", "amount"],
  awbNumber: ["awb", "trackingNumber", "tracking_number", "trackingId"],
  awb_number: ["awb", "trackingNumber", "tracking_number", "trackingId"],
  courierName: ["courier", "carrier", "courier_partner"],
  courier_name: ["courier", "carrier", "courierPartner"],
  address1: ["address", "line1", "street"],
  pincode: ["zip", "zip_code", "postal_code", "postalCode", "postcode"]
}

const namedIn = (ast: SchemaAST.AST) => (SchemaAST.isObjects(ast) ? ast.propertySignatures : [])

/** The fields that a list or an object must have, such as `[{ sku, quantity }]`; empty for a number or a text. */
const shapeOf = (type: SchemaAST.AST): string => {
  const ast = SchemaAST.toEncoded(type)
  if (SchemaAST.isLiteral(ast)) return JSON.stringify(ast.literal)
  if (SchemaAST.isBoolean(ast)) return "true or false"
  if (SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)) return ""
  if (SchemaAST.isUnion(ast)) return shapeOf(ast.types.find((one) => !isNothing(one)) ?? SchemaAST.null)
  if (SchemaAST.isArrays(ast)) return shapeOf(ast.rest[0] ?? SchemaAST.null).replace(/.+/, "[$&]")
  if (!SchemaAST.isObjects(ast)) return ""
  const required = ast.propertySignatures.filter((field) => !SchemaAST.isOptional(field.type))
  const fields = required.map((field) => [String(field.name), shapeOf(field.type)].filter(Boolean).join(": "))
  return fields.length === 0 ? "" : `{ ${fields.join(", ")} }`
}

/** Where a caller finds the value of a missing field, or an example of it. */
const sources: Readonly<Record<string, string>> = {
  orderItems: " with the items of GET /oms/v3/shipment?orderId=…",
  orderItemId: "; it is in GET /oms/v3/shipment?orderId=…",
  trace_id: "; it is in the answer to the write",
  amount: ": money, such as 106.92"
}

/** What to do about a missing field: rename a similar key, move the keys that belong in it, or send its fields. */
const remedyOf = (required: string, shape: string, others: ReadonlyArray<string>): string => {
  const similar = otherNames[required]?.find((name) => others.includes(name)) ?? Text.nearestName(others, required)
  const fields = shape && `: ${shape}`
  if (similar !== undefined) return `; rename your ${similar} to ${required}${fields}`
  const inside = others.filter((name) => shape.match(/\w+/g)?.includes(name))
  return `${fields}${inside.length === 0 ? "" : `. Move ${inside.join(", ")} into it`}${sources[required] ?? ""}`
}

const missingIn = (whole: SchemaIssue.Composite, issue: SchemaIssue.Issue, path: Path) => {
  if (issue._tag !== "Pointer" || issue.issue._tag !== "MissingKey" || issue.path.length !== 1) return undefined
  const [required = ""] = issue.path.map(String)
  const missing = (more: string) => [violation([...path, required], "is required", "REQUIRED", more)]
  const wrapper = wrapperOf(whole.input, (value) => Predicate.hasProperty(value, required))
  if (wrapper !== undefined) return missing(`; it is in "${wrapper}": send the value of "${wrapper}" alone`)
  const fields = new Map(namedIn(whole.ast).map(({ name, type }) => [name, type]))
  const sent = Object.keys(fields.size === 0 ? {} : Object(whole.input))
  const unknown = sent.filter((key) => !fields.has(key) && key.length <= longestShown)
  return missing(remedyOf(required, shapeOf(fields.get(required) ?? SchemaAST.null), unknown.slice(0, mostShown)))
}

/** The violations of an issue, one for each place. A filter with its own message replaces the issues inside it. */
const violationsIn = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<Violation> => {
  switch (issue._tag) {
    case "Pointer":
      return violationsIn(issue.issue, [...path, ...issue.path])
    case "Filter": {
      const own = issue.filter.annotations?.message
      if (typeof own === "string") return [violation(path, own, "INVALID_VALUE", numberOf(issue))]
      return violationsIn(issue.issue, path)
    }
    case "Encoding":
      return violationsIn(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((one) => missingIn(issue, one, path) ?? violationsIn(one, path))
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((one) => violationsIn(one, path))
        : misnamed(issue.ast, issue.input, path)
    case "InvalidType":
      return [violation(path, expected(issue.ast), "INVALID_TYPE", sentInstead(issue.ast, issue.input))]
    case "MissingKey":
      return [violation(path, "is required", "REQUIRED")]
    default: {
      const own = issue._tag === "InvalidValue" ? issue.annotations?.message : undefined
      return [violation(path, String(own ?? "is not a valid value for this field"), "INVALID_VALUE")]
    }
  }
}

/** The violations of an issue: the first one of each place. `root` is the path of the value within the request. */
export const violations = (issue: SchemaIssue.Issue, root: Path = []): ReadonlyArray<Violation> => {
  const found = new Map<string, Violation>()
  for (const one of violationsIn(issue, root)) if (!found.has(one.path)) found.set(one.path, one)
  return [...found.values()]
}

/** An endpoint's own message for an invalid query. By default, the message is the first violation. */
export const InvalidQuery = Context.Reference<string | undefined>("@crossdock/http/InvalidQuery", {
  defaultValue: () => undefined
})

/** The violations of a query. If a parameter was sent repeatedly, and so is a list in `sent`, its violation says that. */
export const withRepeated = (
  violations: ReadonlyArray<Violation>,
  sent: Readonly<Record<string, unknown>>
): ReadonlyArray<Violation> =>
  violations.map((one) => {
    const value = sent[one.path.slice(1)]
    return Array.isArray(value)
      ? { path: one.path, code: one.code, message: `is sent ${value.length} times; send it once` }
      : one
  })

/** Shortens lists to `Limits.errorEntries` elements in all. Checking half a million elements would take seconds. */
const beginning = (value: unknown): unknown => {
  let left: number = Limits.errorEntries
  const cut = (one: unknown): unknown => {
    if (typeof one !== "object" || one === null) return one
    if (!Array.isArray(one)) {
      const changed = Object.entries(one).flatMap(([key, inner]) => {
        const shorter = cut(inner)
        return shorter === inner ? [] : [[key, shorter] as const]
      })
      return changed.length === 0 ? one : { ...one, ...Object.fromEntries(changed) }
    }
    const kept: Array<unknown> = []
    for (const element of one) {
      if (left <= 0 && kept.length > 0) break
      left--
      kept.push(cut(element))
    }
    return kept.length === one.length && kept.every((element, at) => element === one[at]) ? one : kept
  }
  return cut(value)
}

/** A decoder that reports all violations at once. In a long list, it reports only violations within `beginning`. */
export const all = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema)
  const decodeAll = Schema.decodeUnknownResult(schema, { errors: "all", reportInput: true })
  return (value: unknown, root?: Path): Result.Result<A, ReadonlyArray<Violation>> =>
    Result.mapError(decode(value), (first) => {
      const found = decodeAll(beginning(value))
      return violations(Result.isFailure(found) ? found.failure.issue : first.issue, root)
    })
}

const ofLists = ["EMPTY_REQUEST", "TOO_MANY_RECORDS"] as const

/** The rejection for these violations. If the only fault is an empty or too long list, the rejection has that code. */
const rejected = (found: ReadonlyArray<Violation>, text?: string): Failure => {
  const { errors, message, ...failed } = validationFailed(found, text)
  const code = ofLists.find((one) => found.every((fault) => fault.code === one)) ?? failed.code
  return new Failure({ code, message, errors })
}

/** A decoder of a whole request. It fails with all violations, as a 400. `message` replaces the default message. */
export const whole = <A>(schema: Schema.Codec<A, unknown>, message?: string) => {
  const decode = all(schema)
  return (value: unknown): Effect.Effect<A, Failure> =>
    Effect.fromResult(Result.mapError(decode(value), (found) => rejected(found, message)))
}

const summaryOf = (found: ReadonlyArray<Violation>): string => {
  const named = found.slice(0, 100).map(({ message, path }) => `${path}: ${sentence(message)}`)
  return named.join(" ") + (found.length > 100 ? ` (and ${found.length - 100} more)` : "")
}

/** Decodes one record of a bulk. Its faults reject only this record. Source: docs/reference/bulk.md#entries. */
export const record = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = all(schema)
  return (value: unknown, root: Path): Result.Result<A, Bulk.Rejection> =>
    Result.mapError(decode(value, root), (found) => ({
      code: found[0]?.code === "INVALID_TEXT" ? "INVALID_TEXT" : "INVALID_RECORD",
      message: summaryOf(found),
      path: found[0]?.path ?? pointer(root)
    }))
}

const unknownParameter = (names: ReadonlyArray<string>, sent: string): Violation => {
  const suggestion = Text.nearestName(names, sent)
  const longer = sent.length < 3 ? [] : names.filter((name) => name.toLowerCase().startsWith(sent.toLowerCase()))
  const shown = sent.length > longestShown ? `${sent.slice(0, longestShown)}…` : sent
  const meant = suggestion ?? alternatives(longer.length > 0 ? longer : names)
  const hint = names.length === 0 ? "This route takes none." : `Did you mean ${meant}?`
  return {
    path: pointer([shown]),
    code: "UNKNOWN_PARAMETER",
    message: `There is no query parameter ${JSON.stringify(shown)}. ${hint}`,
    ...(suggestion === undefined ? {} : { suggestion })
  }
}

/** Finds the unknown parameters of a query. The parameters in `more` are known in addition to its fields. */
export const unknownParameters = (query: Schema.Top | undefined, more: ReadonlyArray<string> = []) => {
  const fields = query === undefined ? [] : namedIn(SchemaAST.toEncoded(query.ast))
  const names = [...fields.map(({ name }) => String(name)), ...more]
  return (sent: Readonly<Record<string, unknown>>): Failure | undefined => {
    const errors = Object.keys(sent)
      .filter((name) => !names.includes(name))
      .slice(0, mostShown)
      .map((name) => unknownParameter(names, name))
    const [first] = errors
    return first === undefined ? undefined : new Failure({ code: "UNKNOWN_PARAMETER", message: first.message, errors })
  }
}
