/**
 * Fields of the wire: texts and numbers within the contract's bounds.
 */
import * as Schema from "effect/Schema"

/**
 * C0 but tab, LF and CR; DEL; C1; and lone surrogates (contract, Errors).
 */
const forbiddenText = /[^\P{Cc}\t\n\r]|\p{Cs}/u

const isLonger = (text: string, longest: number): boolean =>
  text.length > longest && (text.length > 2 * longest || [...text].length > longest)

/**
 * Text of at most `longest` code points. Its length is looked at before any pattern.
 */
export const text = (longest = 2000, shortest = 0) =>
  Schema.String.annotations({ message: () => "[INVALID_TYPE] must be text" }).pipe(
    Schema.filter(
      (value) => {
        if (isLonger(value, longest)) return `[TOO_LONG] may have ${longest} characters`
        if (value.length < shortest) return "[REQUIRED] must not be empty"
        return forbiddenText.test(value) ? "[INVALID_TEXT] must not hold control characters or half characters" : true
      },
      { jsonSchema: { maxLength: longest, ...(shortest > 0 ? { minLength: shortest } : {}) } }
    )
  )

/**
 * Text that names something: not empty.
 */
export const name = text(2000, 1)

const plainName = /^[\x20-\x7e]{1,2000}$/

/**
 * Whether a value is a `name` at the first glance: short and of printable ASCII only.
 */
export const isPlainName = (value: unknown): value is string => typeof value === "string" && plainName.test(value)

/**
 * Whether a value is an `integer` within these bounds.
 */
export const isInteger = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most

/**
 * A whole number of JSON within bounds.
 */
export const integer = (least: number, most: number) =>
  Schema.Number.annotations({ message: () => "[INVALID_TYPE] must be a whole number" }).pipe(
    Schema.filter(
      (value) => {
        if (!Number.isSafeInteger(value)) return "[INVALID_VALUE] must be a whole number that a double holds exactly"
        return value >= least && value <= most ? true : `[OUT_OF_RANGE] must be from ${least} to ${most}`
      },
      { jsonSchema: { type: "integer", minimum: least, maximum: most } }
    )
  )

/**
 * An amount of money as JSON has it. Its decimals are judged with its currency.
 */
export const amount = Schema.Number.annotations({ message: () => "[INVALID_TYPE] must be a number" }).pipe(
  Schema.filter((value) =>
    Number.isFinite(value) ? true : "[INVALID_VALUE] must be a finite number of at most 15 significant digits"
  )
)

export const flag = Schema.Boolean.annotations({ message: () => "[INVALID_TYPE] must be true or false" })

/**
 * One of a few words.
 */
export const oneOf = <const L extends readonly [string, ...Array<string>]>(...words: L) =>
  Schema.Literal(...words).annotations({
    message: () => ({ message: `[INVALID_VALUE] must be one of ${words.join(", ")}`, override: true })
  })

/**
 * A whole number in a query: decimal digits and nothing else.
 */
export const queryInteger = (least: number, most: number) =>
  Schema.transform(
    Schema.String.pipe(
      Schema.filter((value) =>
        /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most
          ? true
          : `[OUT_OF_RANGE] must be a whole number from ${least} to ${most}`
      )
    ),
    Schema.Number,
    { strict: true, decode: Number, encode: String }
  ).annotations({ jsonSchema: { type: "integer", minimum: least, maximum: most } })

/**
 * Comma-separated texts in a query, at most `most` of them; empty ones are left out.
 */
export const queryList = (most: number) =>
  Schema.transform(Schema.String, Schema.Array(text()), {
    strict: true,
    decode: (value) => value.split(",").filter((part) => part !== ""),
    encode: (parts) => parts.join(",")
  }).pipe(Schema.filter((parts) => (parts.length <= most ? true : `[OUT_OF_RANGE] takes ${most} values`)))

/**
 * Comma-separated whole numbers in a query, at most `most` of them; empty ones are left out.
 */
export const queryIntegers = (most: number) =>
  Schema.transform(
    queryList(most).pipe(
      Schema.filter((parts) =>
        parts.every((part) => /^\d{1,15}$/.test(part)) ? true : "[INVALID_VALUE] must be whole numbers"
      )
    ),
    Schema.Array(Schema.Number),
    { strict: true, decode: (parts) => parts.map(Number), encode: (numbers) => numbers.map(String) }
  )

/**
 * `true` or `false` in a query.
 */
export const queryFlag = Schema.transform(oneOf("true", "false"), Schema.Boolean, {
  strict: true,
  decode: (word) => word === "true",
  encode: (value) => (value ? "true" : "false")
}).annotations({ jsonSchema: { type: "boolean" } })

/**
 * A query of which everything that is wrong is told at once.
 */
export const query = <F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

/**
 * Absent or null: not said.
 */
export const optional = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { exact: true })

/**
 * A list that is not empty.
 */
export const list = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.Array(schema).pipe(
    Schema.filter((items) => (items.length > 0 ? true : "[REQUIRED] must not be empty"), {
      jsonSchema: { minItems: 1 }
    })
  )

/**
 * A length in centimetres or a weight in grams.
 */
export const measure = Schema.Number.annotations({ message: () => "[INVALID_TYPE] must be a number" }).pipe(
  Schema.filter((value) =>
    Number.isFinite(value) && value >= 0 && value <= 1_000_000_000
      ? true
      : "[OUT_OF_RANGE] must be from 0 to 1000000000"
  )
)

/**
 * An instant as ISO 8601 text with its offset, in epoch milliseconds.
 */
export const instant = Schema.transform(
  text(64).pipe(
    Schema.filter((value) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(value) &&
      !Number.isNaN(Date.parse(value))
        ? true
        : "[INVALID_VALUE] must be an ISO 8601 date and time with its offset"
    )
  ),
  Schema.Number,
  { strict: true, decode: (value) => Date.parse(value), encode: (value) => new Date(value).toISOString() }
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
export const day = Schema.transform(
  Schema.String.pipe(
    Schema.filter((value) => (Number.isNaN(startOfDay(value)) ? "[INVALID_VALUE] must be a day as dd-mm-yyyy" : true))
  ),
  Schema.Number,
  {
    strict: true,
    decode: startOfDay,
    encode: (millis) => new Date(millis).toISOString().slice(0, 10).split("-").reverse().join("-")
  }
)

/**
 * A tax rate in percent.
 */
export const percent = Schema.Number.annotations({ message: () => "[INVALID_TYPE] must be a number" }).pipe(
  Schema.filter((value) => (value >= 0 && value <= 100 ? true : "[OUT_OF_RANGE] must be from 0 to 100"))
)

const longestInside = 20_000

/**
 * Where in a free-form value something stands that JSON can't carry back exactly; undefined when all is well.
 */
const faultIn = (value: unknown, path: ReadonlyArray<PropertyKey>): Schema.FilterIssue | undefined => {
  if (typeof value === "number") {
    return Number.isFinite(value)
      ? undefined
      : { path, message: "[INVALID_VALUE] must be a number that a double holds" }
  }
  if (typeof value === "string") {
    if (isLonger(value, longestInside)) return { path, message: `[TOO_LONG] may have ${longestInside} characters` }
    return forbiddenText.test(value)
      ? { path, message: "[INVALID_TEXT] must not hold control characters or half characters" }
      : undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const fault =
      forbiddenText.test(key) || isLonger(key, longestInside)
        ? { path, message: "[INVALID_TEXT] has a key that is too long or holds control characters" }
        : faultIn(inner, [...path, key])
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * An object whose keys and values are the sender's own, given back unchanged.
 */
export const freeForm = Schema.Record({ key: Schema.String, value: Schema.Unknown }).pipe(
  Schema.filter((value) => faultIn(value, []))
)
