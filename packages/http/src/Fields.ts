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
 * A query of which everything that is wrong is told at once.
 */
export const query = <F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })
