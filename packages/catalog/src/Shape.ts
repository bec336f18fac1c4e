/**
 * What a value must look like, as data: the verdict, the JSON Schema, the form and the page of rules are all made from it.
 */

export interface Text {
  readonly _tag: "Text"
  /** In characters (Unicode code points). */
  readonly least: number
  readonly most: number
  readonly pattern?: { readonly source: string; readonly message: string }
  readonly words?: ReadonlyArray<string>
  /** The value that was probably meant, when a fix is mechanical. */
  readonly suggest?: (value: string) => string
}

export interface Amount {
  readonly _tag: "Amount"
  readonly least: number
  readonly most: number
  readonly whole: boolean
  readonly words?: ReadonlyArray<number>
}

export interface Flag {
  readonly _tag: "Flag"
}

/** `day`: yyyy-mm-dd. `instant`: ISO 8601 with its offset. */
export interface Time {
  readonly _tag: "Time"
  readonly of: "day" | "instant"
}

export interface List {
  readonly _tag: "List"
  readonly item: Shape
  readonly least: number
}

/** An object with known fields; others are ignored. */
export interface Group {
  readonly _tag: "Group"
  readonly fields: Fields
}

/** An object whose keys and values are the sender's own, but for the known ones. */
export interface Free {
  readonly _tag: "Free"
  readonly fields: Fields
}

/** Any of several; `message` says what they have in common. */
export interface Either {
  readonly _tag: "Either"
  readonly shapes: ReadonlyArray<Shape>
  readonly message: string
}

export type Shape = Text | Amount | Flag | Time | List | Group | Free | Either

/**
 * An optional field may be null, which says nothing. `what` is for the form and the page of rules.
 */
export interface Field {
  readonly shape: Shape
  readonly required: boolean
  readonly what?: string
  readonly example?: unknown
  readonly source?: string
}

export type Fields = Readonly<Record<string, Field>>

/** The longest text where no document gives one, and inside a free-form object (contract, Errors). */
export const longest = 2000
export const longestInside = 20_000

/** The largest measure or price: 15 digits (contract, Errors). */
export const largest = 999_999_999_999_999

export const text = (more: Partial<Omit<Text, "_tag">> = {}): Text => ({
  _tag: "Text",
  least: 0,
  most: longest,
  ...more
})
export const name = text({ least: 1 })
export const words = (...words: ReadonlyArray<string>): Text => text({ words })
export const amount = (least = -largest, most = largest): Amount => ({ _tag: "Amount", least, most, whole: false })
export const integer = (least: number, most: number): Amount => ({ _tag: "Amount", least, most, whole: true })
export const flag: Flag = { _tag: "Flag" }
export const day: Time = { _tag: "Time", of: "day" }
export const instant: Time = { _tag: "Time", of: "instant" }
export const list = (item: Shape, least = 0): List => ({ _tag: "List", item, least })
export const group = (fields: Fields): Group => ({ _tag: "Group", fields })
export const free = (fields: Fields = {}): Free => ({ _tag: "Free", fields })
export const either = (message: string, ...shapes: ReadonlyArray<Shape>): Either => ({
  _tag: "Either",
  shapes,
  message
})

export const required = (shape: Shape, more: Omit<Field, "shape" | "required"> = {}): Field => ({
  shape,
  required: true,
  ...more
})
export const optional = (shape: Shape, more: Omit<Field, "shape" | "required"> = {}): Field => ({
  shape,
  required: false,
  ...more
})

/** No control characters but tab, LF and CR, no half characters (contract, Errors). */
export const soundText = "^(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$"

/** Shapes of time as patterns; that the day exists is judged beside them. */
export const timePatterns = {
  day: "^\\d{4}-\\d{2}-\\d{2}$",
  instant:
    "^\\d{4}-\\d{2}-\\d{2}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$"
} as const
