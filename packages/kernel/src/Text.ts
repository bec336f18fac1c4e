/** Rules of texts: length in code points, characters, order, words for messages. Source: docs/reference/requests.md#text. */
import * as Order from "effect/Order"

/** By default a text has at most this many characters. */
export const maxLength: number = 2000

/** A text or key inside a free-form object has at most this many characters. */
export const maxFreeFormLength = 20_000

const forbidden = /[^\P{Cc}\t\n\r]|\p{Cs}/u

/** Whether a text has an unpaired surrogate, or a control character other than tab, LF and CR. */
export const hasForbiddenCharacter = (text: string): boolean => forbidden.test(text)

/** The first forbidden character and its position, counted in characters from 1, or undefined. */
export const forbiddenCharacter = (text: string): string | undefined => {
  const found = forbidden.exec(text)
  if (found === null) return undefined
  const code = `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`
  const at = [...text.slice(0, found.index)].length + 1
  return /\p{Cc}/u.test(found[0])
    ? `the control character ${code} at position ${at}`
    : `half of a surrogate pair, ${code}, at position ${at}`
}

/** A regular expression for JSON Schema that matches texts without forbidden characters. */
export const permittedPattern = "^(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$"

/** A text for comparison. Texts that differ only in case, composition or width of their letters become equal. */
export const folded = (text: string): string =>
  // Greek has a special form of the letter sigma for the end of a word.
  text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll("ς", "σ")

/**
 * Whether a text has more than `max` characters. Characters are counted only if the length in UTF-16 code units doesn't decide.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Text } from "@crossdock/kernel"
 *
 * strictEqual("🎁🎁".length, 4)
 * strictEqual(Text.isLonger("🎁🎁", 2), false)
 * ```
 */
export const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max)

/** Characters are counted up to this number. More than twice as many UTF-16 code units surely exceed it. */
const maxCounted = 100_000

/** The number of a text's characters, for messages. A very long text isn't counted, since that would take milliseconds. */
export const lengthInWords = (text: string): string =>
  text.length > 2 * maxCounted ? `more than ${maxCounted}` : String([...text].length)

/** Whether a text has fewer than `min` characters. */
export const isShorter = (text: string, min: number): boolean =>
  min > 0 && (text.length < min || (text.length < 2 * min && [...text].length < min))

/** The number of bytes of a text in UTF-8. */
export const utf8Bytes = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // A surrogate pair is four bytes, so each half counts two.
    const isHalf = unit >= 0xd800 && unit <= 0xdfff
    if (unit >= 0x80) bytes += unit >= 0x800 && !isHalf ? 2 : 1
  }
  return bytes
}

/** Whether a text is a line of 1 to `max` characters, not blank, without control characters and unpaired surrogates. */
export const isLine = (text: unknown, max: number): text is string =>
  typeof text === "string" && text.trim() !== "" && !isLonger(text, max) && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)

const maxWrongLetters = 2

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "")

const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [y, letter] of [...from].entries()) {
    const next = [y + 1]
    for (const [x, other] of [...to].entries()) {
      const replaced = (row[x] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[x + 1] ?? 0) + 1, (next[x] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The name closest to `sent`, ignoring case, `_` and `-`, if at most two and less than half of its letters differ. */
export const nearestName = (names: ReadonlyArray<string>, sent: string): string | undefined => {
  const wanted = plain(sent)
  const found = names
    .filter((name) => Math.abs(plain(name).length - wanted.length) <= maxWrongLetters)
    .map((name) => ({ name, off: distance(wanted, plain(name)) }))
    .filter(({ name, off }) => off <= maxWrongLetters && off < plain(name).length / 2)
    .sort((a, b) => a.off - b.off)
  return found[0]?.name
}

/**
 * A sentence for each key of `given` that isn't among `names`. Class instances aren't checked.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Text } from "@crossdock/kernel"
 *
 * deepStrictEqual(Text.misnamed("hooks", { on: "place", befor: 1 }, ["on", "before"]), [
 *   "hooks has befor: did you mean before?"
 * ])
 * ```
 */
export const misnamed = (where: string, given: unknown, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof given !== "object" || given === null || Object.getPrototypeOf(given) !== Object.prototype
    ? []
    : Object.keys(given).flatMap((name) => {
        if (names.includes(name)) return []
        const nearest = nearestName(names, name)
        return [
          `${where} has ${name}: ${nearest === undefined ? `use ${names.join(", ")}` : `did you mean ${nearest}?`}`
        ]
      })

/** The kind of a JSON value, for messages about a value of the wrong type. */
export const jsonKind = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  return typeof value === "string" ? "text" : `a ${typeof value}`
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/** Sorts texts by code point, as SQL does. JavaScript compares UTF-16 code units, with U+10000 before U+E000. */
export const order: Order.Order<string> = Order.make((a, b) => {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (one === other) continue
    const beyond = Number(isSurrogate(one)) - Number(isSurrogate(other))
    return (beyond || one - other) < 0 ? -1 : 1
  }
  return Order.Number(a.length, b.length)
})
