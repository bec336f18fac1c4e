/**
 * Fields of the wire: texts and numbers within the contract's bounds.
 */
import { parseInstant, Text } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * Text of at most `longest` code points. Its length is looked at before any pattern.
 */
export const text = (longest = Text.longest, shortest = 0) =>
  Schema.String.annotate({ message: "[INVALID_TYPE] must be text" }).check(
    Schema.makeFilter(
      (value) => {
        if (Text.isLonger(value, longest)) return `[TOO_LONG] may have ${longest} characters`
        if (value.length < shortest) return "[REQUIRED] must not be empty"
        return Text.hasForbiddenCharacter(value)
          ? "[INVALID_TEXT] must not hold control characters or half characters"
          : true
      },
      { toJsonSchema: () => ({ maxLength: longest, ...(shortest > 0 ? { minLength: shortest } : {}) }) },
      true
    )
  )

/**
 * Where the first of these stands that appears earlier in the list; undefined when each is there once.
 */
export const repeatedAt = (values: ReadonlyArray<string>): number | undefined => {
  const seen = new Set<string>()
  const at = values.findIndex((value) => seen.size === seen.add(value).size)
  return at < 0 ? undefined : at
}

/**
 * Text that names something: not empty.
 */
export const name = text(Text.longest, 1)

/**
 * A whole number of JSON within bounds.
 */
export const integer = (minimum: number, maximum: number) =>
  Schema.Number.annotate({ message: "[INVALID_TYPE] must be a whole number" }).check(
    Schema.isInt({ message: "[INVALID_VALUE] must be a whole number that a double holds exactly" }),
    Schema.isBetween({ minimum, maximum }, { message: `[OUT_OF_RANGE] must be from ${minimum} to ${maximum}` })
  )

const number = Schema.Number.annotate({ message: "[INVALID_TYPE] must be a number" })

/**
 * An amount of money as JSON has it. Its decimals are judged with its currency.
 */
export const amount = number.check(
  Schema.isFinite({ message: "[INVALID_VALUE] must be a finite number of at most 15 significant digits" })
)

/**
 * Finite through its bounds; `isFinite` only keeps Infinity out of the OpenAPI document.
 */
const between = (minimum: number, maximum: number) =>
  number.check(
    Schema.isBetween({ minimum, maximum }, { message: `[OUT_OF_RANGE] must be from ${minimum} to ${maximum}` }),
    Schema.isFinite()
  )

/**
 * A length in centimetres or a weight in grams.
 */
export const measure = between(0, 1_000_000_000)

/**
 * A tax rate in percent.
 */
export const percent = between(0, 100)

export const flag = Schema.Boolean.annotate({ message: "[INVALID_TYPE] must be true or false" })

/**
 * One of a few words.
 */
export const oneOf = <const L extends readonly [string, ...Array<string>]>(...words: L) =>
  Schema.Literals(words).annotate({ message: `[INVALID_VALUE] must be one of ${words.join(", ")}` })

/**
 * Absent or null: not said.
 */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/**
 * `value` where the key is absent.
 */
export const withDefault = <S extends Schema.Top>(schema: S, value: S["Type"]) =>
  schema.pipe(Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(value)))

/**
 * Passed through unchecked: either the sender's own data, or ours that needs no second check.
 */
export const json: Schema.Codec<unknown> = Schema.Any

/**
 * An object of which no more is said.
 */
export const object = Schema.Record(Schema.String, json)

/**
 * A list that is not empty.
 */
export const list = <S extends Schema.Constraint>(schema: S) =>
  Schema.Array(schema).check(Schema.isMinLength(1, { message: "[REQUIRED] must not be empty" }))

/**
 * A whole number in a query: decimal digits and nothing else. Text on the wire, and a number in the OpenAPI document.
 */
export const queryInteger = (minimum: number, maximum: number) =>
  json.pipe(
    Schema.check(
      Schema.makeFilter(
        (value) => {
          if (typeof value !== "string") return "[INVALID_TYPE] must be text"
          const isWithin = /^\d{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
          return isWithin ? true : `[OUT_OF_RANGE] must be a whole number from ${minimum} to ${maximum}`
        },
        { toJsonSchema: () => ({ type: "integer", minimum, maximum }) }
      )
    ),
    Schema.decodeTo(Schema.Number, SchemaTransformation.transform<number, unknown>({ decode: Number, encode: String }))
  )

/**
 * Comma-separated texts in a query, at most `most` of them; empty ones are left out.
 */
export const queryList = (most: number) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.Array(text()),
      SchemaTransformation.transform<ReadonlyArray<string>, string>({
        decode: (value) => value.split(",").filter((part) => part !== ""),
        encode: (parts) => parts.join(",")
      })
    ),
    Schema.check(Schema.isMaxLength(most, { message: `[OUT_OF_RANGE] takes ${most} values` }))
  )

/**
 * Comma-separated whole numbers in a query, at most `most` of them; empty ones are left out.
 */
export const queryIntegers = (most: number) =>
  queryList(most).pipe(
    Schema.check(
      Schema.makeFilter((parts) =>
        parts.every((part) => /^\d{1,15}$/.test(part)) ? true : "[INVALID_VALUE] must be whole numbers"
      )
    ),
    Schema.decodeTo(
      Schema.Array(Schema.Number),
      SchemaTransformation.transform<ReadonlyArray<number>, ReadonlyArray<string>>({
        decode: (parts) => parts.map(Number),
        encode: (numbers) => numbers.map(String)
      })
    )
  )

/**
 * `true` or `false` in a query: text on the wire, and a boolean in the OpenAPI document.
 */
export const queryFlag = json.pipe(
  Schema.check(
    Schema.makeFilter(
      (value) => value === "true" || value === "false" || "[INVALID_VALUE] must be one of true, false",
      { toJsonSchema: () => ({ type: "boolean" }) }
    )
  ),
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, unknown>({ decode: (word) => word === "true", encode: String })
  )
)

/**
 * An instant as ISO 8601 text with its offset, in epoch milliseconds.
 */
export const instant = text(64).pipe(
  Schema.check(
    Schema.makeFilter(
      (value) =>
        parseInstant(value) !== undefined || "[INVALID_VALUE] must be an ISO 8601 date and time with its offset"
    )
  ),
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({
      decode: (value) => Date.parse(value),
      encode: (value) => new Date(value).toISOString()
    })
  )
)

const dayPattern = /^(\d{2})-(\d{2})-(\d{4})$/

const startOfDay = (value: string): number => {
  const [, day, month, year] = dayPattern.exec(value) ?? []
  const millis = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // Date.UTC carries 31-02 over into March and 01-13 into the next year; a day that does not exist must not become another.
  const isSame = !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(`${year}-${month}-${day}`)
  return isSame ? millis : Number.NaN
}

/**
 * A day of a query, dd-mm-yyyy, as the epoch milliseconds of its beginning in UTC.
 */
export const day = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((value) =>
      Number.isNaN(startOfDay(value)) ? "[INVALID_VALUE] must be a day as dd-mm-yyyy" : true
    )
  ),
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({
      decode: startOfDay,
      encode: (millis) => new Date(millis).toISOString().slice(0, 10).split("-").reverse().join("-")
    })
  )
)

/**
 * Where in a free-form value something stands that JSON can't carry back exactly; undefined when all is well.
 */
const faultIn = (value: unknown, path: ReadonlyArray<PropertyKey>): Schema.FilterOutput => {
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : { path, issue: "[INVALID_VALUE] must be a number that a double holds" }
  }
  if (typeof value === "string") {
    if (Text.isLonger(value, Text.longestInFreeForm))
      return { path, issue: `[TOO_LONG] may have ${Text.longestInFreeForm} characters` }
    return Text.hasForbiddenCharacter(value)
      ? { path, issue: "[INVALID_TEXT] must not hold control characters or half characters" }
      : undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const fault =
      Text.hasForbiddenCharacter(key) || Text.isLonger(key, Text.longestInFreeForm)
        ? { path, issue: "[INVALID_TEXT] has a key that is too long or holds control characters" }
        : faultIn(inner, [...path, key])
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * An object whose keys and values are the sender's own, given back unchanged.
 */
export const freeForm = object.pipe(Schema.check(Schema.makeFilter((value) => faultIn(value, []))))
