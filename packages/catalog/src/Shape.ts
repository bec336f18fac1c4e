/**
 * The shape of a value, as data. The check, the JSON Schema, the form and the reference page are all made from this data.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Shape, ShapeCheck } from "@crossdock/catalog"
 *
 * const shape = Shape.group({
 *   name: Shape.required(Shape.text({ max: 3 })),
 *   color: Shape.required(Shape.words("Black", "White")),
 *   pack_of: Shape.optional(Shape.integer(1, 60))
 * })
 * const found = ShapeCheck.violations(ShapeCheck.checkOf(shape), { name: "Teas", color: " black", pack_of: null })
 * deepStrictEqual(found.map(({ code, path, suggestion }) => [path, code, suggestion]), [
 *   ["/name", "TOO_LONG", undefined],
 *   ["/color", "INVALID_VALUE", "Black"]
 * ])
 * ```
 */
import { frozen, Text as PlainText } from "@crossdock/kernel"

/** The limits of products; other texts have those of kernel's `Text`. Source: docs/reference/catalog.md#shape-faults. */
export const Limits = /* @__PURE__ */ frozen({
  /** The check of a product's lists and free-form values ends after this many faults. */
  faults: 1_000,
  /** The largest measure or price, which has 15 digits. Source: docs/reference/requests.md#money. */
  amount: 999_999_999_999_999,
  /** The most characters of the name of a product or brand. */
  name: 300,
  shortDescription: 50,
  description: 5000
} as const)

export interface Text {
  readonly _tag: "Text"
  /** The fewest and the most characters (Unicode code points). */
  readonly min: number
  readonly max: number
  readonly pattern?: { readonly source: string; readonly message: string }
  readonly words?: ReadonlyArray<string>
  /** Returns the value that was probably meant, if there is an obvious correction. */
  readonly suggest?: (value: string) => string
}

/** A number. */
export interface Amount {
  readonly _tag: "Amount"
  readonly min: number
  readonly max: number
  readonly whole: boolean
  readonly words?: ReadonlyArray<number>
}

/** A boolean. */
export interface Flag {
  readonly _tag: "Flag"
}

/** A time as text. `day` means the form yyyy-mm-dd. `instant` means ISO 8601 with an offset. */
export interface Time {
  readonly _tag: "Time"
  readonly of: "day" | "instant"
}

/** A list with at least `min` items. */
export interface List {
  readonly _tag: "List"
  readonly item: Shape
  readonly min: number
}

/** An object with known fields. Other fields are ignored. */
export interface Group {
  readonly _tag: "Group"
  readonly fields: Fields
}

/** An object with any keys and values. The known fields have shapes of their own. */
export interface Free {
  readonly _tag: "Free"
  readonly fields: Fields
}

/** A value that has one of several shapes. `message` is reported for any other value. */
export interface Either {
  readonly _tag: "Either"
  readonly shapes: ReadonlyArray<Shape>
  readonly message: string
}

/** Any of the shapes. */
export type Shape = Text | Amount | Flag | Time | List | Group | Free | Either

/** A field of an object. If it is optional, null means that it is absent. `what` is its label in forms and references. */
export interface Field {
  readonly shape: Shape
  readonly required: boolean
  readonly what?: string
  readonly example?: unknown
}

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>

/** A text. It has at most `Text.maxLength` characters, unless `more` has another limit. */
export const text = (more: Partial<Omit<Text, "_tag">> = {}): Text => ({
  _tag: "Text",
  min: 0,
  max: PlainText.maxLength,
  ...more
})
/** A text that must not be empty. */
export const name = text({ min: 1 })

/** Removes accents, and replaces other characters than letters and digits by hyphens. */
const slugOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

/** Words of lower-case letters and digits, joined by single hyphens. Source: docs/reference/catalog-rules.md#a-create. */
export const slug = /* @__PURE__ */ frozen(
  text({
    min: 1,
    pattern: {
      source: "^[a-z0-9]+(?:-[a-z0-9]+)*$",
      message: "must be lower-case letters and digits, joined by single hyphens"
    },
    suggest: slugOf
  })
)

/** A text that is one of these words. */
export const words = (...words: ReadonlyArray<string>): Text => text({ words })

/** A number within these bounds. */
export const amount = (min: number = -Limits.amount, max: number = Limits.amount): Amount => ({
  _tag: "Amount",
  min,
  max,
  whole: false
})

/** A whole number within these bounds. */
export const integer = (min: number, max: number): Amount => ({ _tag: "Amount", min, max, whole: true })
/** A boolean. */
export const flag: Flag = { _tag: "Flag" }
/** A day as yyyy-mm-dd. */
export const day: Time = /* @__PURE__ */ frozen({ _tag: "Time", of: "day" })
/** An instant in ISO 8601 with an offset. */
export const instant: Time = /* @__PURE__ */ frozen({ _tag: "Time", of: "instant" })

/** A list with at least `min` items. */
export const list = (item: Shape, min = 0): List => ({ _tag: "List", item, min })

/** An object with these fields. Other fields are ignored. */
export const group = (fields: Fields): Group => ({ _tag: "Group", fields })

/** A free-form object. These fields have shapes of their own. */
export const free = (fields: Fields = {}): Free => ({ _tag: "Free", fields })

/** A value of any of these shapes. `message` is reported for any other value. */
export const either = (message: string, ...shapes: ReadonlyArray<Shape>): Either => ({
  _tag: "Either",
  shapes,
  message
})

const field =
  (required: boolean) =>
  (shape: Shape, what?: string, example?: unknown): Field => ({
    shape,
    required,
    ...(what === undefined ? {} : { what }),
    ...(example === undefined ? {} : { example })
  })

export const required = field(true)

/** A field that may be absent or null. */
export const optional = field(false)

/** Regular expressions of times. Whether the day exists is checked separately. */
export const timePatterns = /* @__PURE__ */ frozen({
  day: "^\\d{4}-\\d{2}-\\d{2}$",
  instant:
    "^\\d{4}-\\d{2}-\\d{2}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$"
} as const)
