/** The fields of requests and answers, within the documented limits. Source: docs/reference/requests.md#text. */
import { Gstin } from "@crossdock/access"
import { Instant, Money, Text } from "@crossdock/kernel"
import { operationalStatuses } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Limits } from "../Limits.ts"

/** The fault of a text, if it has one. The length is checked before the characters. */
export const textFault = (value: string, longest: number): string | undefined => {
  if (Text.isLonger(value, longest))
    return `[TOO_LONG] must have at most ${longest} characters; this has ${Text.lengthInWords(value)}`
  const forbidden = Text.forbiddenCharacter(value)
  return forbidden === undefined ? undefined : `[INVALID_TEXT] has ${forbidden}; remove it`
}

/** A check that rejects values with a fault, or for which `fault` returns false. `keywords` are for the OpenAPI document. */
export const rule = <T>(fault: (value: T) => Schema.FilterOutput, keywords?: JsonSchema.JsonSchema) =>
  Schema.makeFilter<T>(fault, keywords && { toJsonSchema: () => keywords })

/** A field that is sent as `from` and decoded to `to`. */
const converted = <From extends Schema.Top, To extends Schema.Top>(
  from: From,
  to: To,
  decode: (sent: From["Type"]) => To["Encoded"],
  encode: (value: To["Encoded"]) => From["Type"]
) => from.pipe(Schema.decodeTo(to, SchemaTransformation.transform({ decode, encode })))

/** Text of at most `longest` code points, checked before any pattern. `keywords` are for the OpenAPI document alone. */
export const text = (longest: number = Limits.textLength, shortest = 0, keywords: JsonSchema.JsonSchema = {}) =>
  Schema.String.annotate({ message: "[INVALID_TYPE] must be text, in quotes" }).check(
    Schema.makeFilter(
      (value) => (value.length < shortest ? "[REQUIRED] must not be empty" : textFault(value, longest)),
      { toJsonSchema: () => ({ maxLength: longest, ...(shortest > 0 ? { minLength: shortest } : {}), ...keywords }) },
      true
    )
  )

/** Adds keywords to the encoded form of a field. */
const onWire = <S extends Schema.Top>(
  field: S,
  keywords: { readonly description?: string; readonly default?: unknown }
): S =>
  (field.ast.encoding === undefined
    ? field.annotateKey(keywords)
    : field.pipe(Schema.annotateEncoded<Schema.Top>(keywords))) as S

/** A field with its description in the OpenAPI document. Decoding is the same. */
export const field = <S extends Schema.Top>(schema: S, description: string): S => onWire(schema, { description })

/** An object with these fields, and its description. */
export const nested = <const F extends Schema.Struct.Fields>(description: string, fields: F) =>
  field(Schema.Struct(fields), description)

/** A field that may be absent. */
export const optionalField = <S extends Schema.Top>(schema: S, description: string) =>
  field(Schema.optionalKey(schema), description)

/** A field that may be absent or null. */
export const nullableField = <S extends Schema.Top>(schema: S, description: string) =>
  field(optional(schema), description)

/** A list of objects. */
export const nestedList = <const F extends Schema.Struct.Fields>(description: string, fields: F) =>
  field(Schema.Array(Schema.Struct(fields)), description)

export const nullableNested = <const F extends Schema.Struct.Fields>(description: string, fields: F) =>
  nullableField(Schema.Struct(fields), description)

export const nullableList = <const F extends Schema.Struct.Fields>(description: string, fields: F) =>
  nullableField(Schema.Array(Schema.Struct(fields)), description)

/** The index of the first repeated value; undefined when all are different. */
export const repeatedAt = (values: ReadonlyArray<string>): number | undefined => {
  const seen = new Set<string>()
  const at = values.findIndex((value) => seen.size === seen.add(value).size)
  return at < 0 ? undefined : at
}

/** A check that rejects a list in which two records have the same value of `key`. */
export const distinct = <K extends string>(key: K, issue: string) =>
  rule<ReadonlyArray<{ readonly [Key in K]: string }>>((records) => {
    const at = repeatedAt(records.map((one) => one[key]))
    return at === undefined ? undefined : { path: [at, key], issue }
  })

/** Text that is not empty. */
export const name = text(Limits.textLength, 1)

/** Text with more than blanks. */
export const visible = name.check(
  rule((value) => (value.trim() === "" ? "[REQUIRED] must not be empty" : true), { pattern: "\\S" })
)

/** The id of the shipment that a record is about. */
export const shipmentId = field(name, "Id of the shipment: 20 digits, as text")

/** A currency code. The check of the amount also checks that the currency exists, with an error code of its own. */
export const currency = text(Limits.textLength, 1, { enum: Money.currencies }).annotate({
  identifier: "Currency",
  description: "An ISO 4217 currency code"
})

/** One of the words that the OpenAPI document lists. The rule that reads the field rejects other words. */
export const word = (words: ReadonlyArray<string>) => text(Limits.textLength, 1, { enum: words })

/** A whole number between two bounds, both included. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Number.annotate({ message: "[INVALID_TYPE] must be a whole number" }).check(
    Schema.isInt({ message: "[INVALID_VALUE] must be a whole number of at most 15 digits" }),
    Schema.isBetween({ minimum, maximum }, { message: `[OUT_OF_RANGE] must be from ${minimum} to ${maximum}` })
  )

/** A number of things in an answer, such as records or units. */
export const count = (most: number = Number.MAX_SAFE_INTEGER) => integer(0, most)

/** The id of a company, category or the like in an answer. */
export const uid = integer(0, Number.MAX_SAFE_INTEGER)

/** Text with keywords for the OpenAPI document, which are not checked here. */
const shown = (keywords: JsonSchema.JsonSchema) => Schema.String.check(rule(() => true, keywords))

/** A time in an answer, ISO 8601 in UTC. */
export const time = shown({ format: "date-time" })

/** A day in an answer, such as 2026-01-31. */
export const date = shown({ format: "date" })

/** A code in an answer. The list isn't checked here, because the rules determine the codes of an operation. */
export const code = (codes: ReadonlyArray<string>) => shown({ enum: [...new Set(codes)].sort() })

/** An operational status in an answer. A host may add others. */
export const status = shown({ enum: operationalStatuses })

const number = Schema.Number.annotate({ message: "[INVALID_TYPE] must be a number" })

const inexact = "[INVALID_VALUE] must be a number of at most 15 significant digits"

/** An amount of money as a decimal number. Its decimals are checked where its currency is known. */
export const amount = number.check(Schema.isFinite({ message: inexact }))

/** A number between two bounds, both included. `isFinite` only keeps Infinity out of the OpenAPI document. */
const between = (minimum: number, maximum: number) =>
  number.check(
    Schema.isBetween({ minimum, maximum }, { message: `[OUT_OF_RANGE] must be from ${minimum} to ${maximum}` }),
    Schema.isFinite()
  )

/** A length in centimetres or a weight in grams. */
export const measure = between(0, Limits.measure)

/** A tax rate in percent. */
export const percent = between(0, 100)

export const flag = Schema.Boolean.annotate({ message: "[INVALID_TYPE] must be true or false" })

/** One of a few words. */
export const oneOf = <const L extends readonly [string, ...Array<string>]>(...words: L) =>
  Schema.Literals(words).annotate({ message: `[INVALID_VALUE] must be one of ${words.join(", ")}` })

/** A field that may be absent or null. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A field that is null when it is absent. */
export const orNull = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefaultKey<Schema.NullOr<S>>(Effect.succeed(null)))

/** A field that is `value` when it is absent. */
export const withDefault = <S extends Schema.Top>(schema: S, value: S["Type"]) => {
  const field = schema.pipe(Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(value)))
  return Array.isArray(value) ? field : onWire(field, { default: value })
}

/** Any JSON, passed through unchecked: the sender's own data, or output that needs no second check. */
export const json: Schema.Codec<unknown> = Schema.Any

/** An object with any fields. */
export const object = Schema.Record(Schema.String, json)

/** The values of the host's own fields, which the rules judge. Without such fields, the OpenAPI documents omit the member. */
export const customFields = Schema.optionalKey(json)

/** A list that is not empty. */
export const list = <S extends Schema.Constraint>(schema: S) =>
  Schema.Array(schema).check(Schema.isMinLength(1, { message: "[REQUIRED] must not be empty" }))

/** The main list of a request. An empty one is a fault of the whole request: `EMPTY_REQUEST`. */
export const records = <S extends Schema.Constraint>(schema: S) =>
  Schema.Array(schema).check(Schema.isMinLength(1, { message: "[EMPTY_REQUEST] must not be empty" }))

/** Text in a certain form, such as an e-mail address or a tax number. Blank text is null. */
const formed = (isFormed: (value: string) => boolean, expected: string, keywords: JsonSchema.JsonSchema = {}) =>
  converted(
    text().check(
      rule((value) => value.trim() === "" || isFormed(value.trim()) || `[INVALID_VALUE] must be ${expected}`, keywords)
    ),
    Schema.NullOr(Schema.String),
    (value) => (value.trim() === "" ? null : value),
    (value) => value ?? ""
  )

export const email = formed((value) => /^[^\s@]+@[^\s@]+$/.test(value), "an e-mail address, such as name@example.com")

/** An Indian tax number. */
export const gstin = formed(Gstin.isGstin, "a GSTIN of 15 characters, such as 29ABCDE1234F1Z5")

const statedPattern =
  /^(?:(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?|(\d{2})-(\d{2})-(\d{4}))$/

const statedKeywords = { pattern: statedPattern.source, examples: ["2026-01-31", "2026-01-31T12:00:00Z", "31-01-2026"] }

const isStated = (value: string): boolean => {
  const found = statedPattern.exec(value)
  if (found === null) return false
  const [, isoDay, time = "00:00", offset = "Z", day, month, year] = found
  return Instant.parse(`${isoDay ?? `${year}-${month}-${day}`}T${time}${offset}`) !== undefined
}

/** An existing date, or date and time with an offset, that a courier states. The text is kept as it was sent. */
export const statedDate = formed(
  isStated,
  "an existing date, such as 2026-01-31, or a date and time, such as 2026-01-31T12:00:00Z",
  statedKeywords
)

/** A stated date in an answer, as it was sent. */
export const statedDateSent = shown(statedKeywords)

/** A whole number in a query: decimal digits only. A query contains text, but the OpenAPI document shows a number. */
export const queryInteger = (minimum: number, maximum: number) =>
  converted(
    json.check(
      rule(
        (value) => {
          if (typeof value !== "string") return "[INVALID_TYPE] must be text, in quotes"
          const isWithin = /^\d{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
          return isWithin || `[OUT_OF_RANGE] must be a whole number from ${minimum} to ${maximum}, in digits`
        },
        { type: "integer", minimum, maximum }
      )
    ),
    Schema.Number,
    Number,
    String
  )

/** Comma-separated texts in a query, at most `most`. Empty items are ignored. */
export const queryList = (most: number) =>
  converted(
    Schema.String,
    Schema.Array(text()),
    (value) => value.split(",").filter((part) => part !== ""),
    (parts) => parts.join(",")
  ).check(Schema.isMaxLength(most, { message: `[OUT_OF_RANGE] must have at most ${most} values, separated by commas` }))

/** Comma-separated whole numbers in a query, at most `most`. Empty items are ignored. */
export const queryIntegers = (most: number) =>
  converted(
    queryList(most).check(
      rule(
        (parts) =>
          parts.every((part) => /^\d{1,15}$/.test(part)) || "[INVALID_VALUE] must be whole numbers, separated by commas"
      )
    ),
    Schema.Array(Schema.Number),
    (parts) => parts.map(Number),
    (numbers) => numbers.map(String)
  )

/** `true` or `false` in a query. A query contains text, but the OpenAPI document shows a boolean. */
export const queryFlag = converted(
  json.check(
    rule((value) => value === "true" || value === "false" || "[INVALID_VALUE] must be true or false", {
      type: "boolean"
    })
  ),
  Schema.Boolean,
  (word) => word === "true",
  String
)

/** An instant, ISO 8601 text with an offset, decoded to epoch milliseconds. */
export const instant = converted(
  text(64).check(
    rule(
      (value) =>
        Instant.parse(value) !== undefined ||
        "[INVALID_VALUE] must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z",
      { format: "date-time", examples: ["2026-01-31T12:00:00Z"] }
    )
  ),
  Schema.Number,
  Date.parse,
  (value) => iso(value)
)

const dayPattern = /^(\d{2})-(\d{2})-(\d{4})$/

const startOfDay = (value: string): number => {
  const [, day, month, year] = dayPattern.exec(value) ?? []
  return Instant.parse(`${year}-${month}-${day}T00:00Z`) ?? Number.NaN
}

/** A day in a query, dd-mm-yyyy, decoded to the epoch milliseconds of its start in UTC. */
export const day = converted(
  Schema.String.check(
    rule(
      (value) =>
        !Number.isNaN(startOfDay(value)) ||
        "[INVALID_VALUE] must be an existing date as dd-mm-yyyy, such as 31-01-2026",
      { pattern: dayPattern.source, examples: ["31-01-2026"] }
    )
  ),
  Schema.Number,
  startOfDay,
  (millis) => iso(millis).slice(0, 10).split("-").reverse().join("-")
)

/** The first value inside a free-form value that JSON can't express exactly. It is undefined if there is no such value. */
const faultIn = (value: unknown, path: ReadonlyArray<PropertyKey>): Schema.FilterOutput => {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path, issue: inexact }
  if (typeof value === "string") {
    const issue = textFault(value, Limits.freeFormTextLength)
    return issue === undefined ? undefined : { path, issue }
  }
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const issue = textFault(key, Limits.freeFormTextLength)?.replace("] ", "] has a wrong key: ")
    const fault = issue === undefined ? faultIn(inner, [...path, key]) : { path, issue }
    if (fault !== undefined) return fault
  }
  return undefined
}

/** An object with the sender's own keys and values, returned unchanged. */
export const freeForm = object.check(rule((value) => faultIn(value, [])))

export const iso = (millis: number): string => new Date(millis).toISOString()

/** The text of an instant in epoch milliseconds. It is null for null. */
export const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))

type Present<A> = { [K in keyof A]?: Exclude<A[K], null | undefined> }

/** The fields that are neither null nor undefined. */
export const presentFields = <A extends object>(fields: A): Present<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as Present<A>
