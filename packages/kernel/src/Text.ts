/**
 * The rules of every text that is sent: lengths in characters (Unicode code points), and the characters that no text may
 * contain. Source: docs/reference/requests.md#text.
 */

/**
 * The most characters of a text whose field has no limit of its own.
 */
export const longest: number = 2000

/**
 * The most characters of a text or key inside a free-form object.
 */
export const longestInFreeForm = 20_000

const forbidden = /[^\P{Cc}\t\n\r]|\p{Cs}/u

/**
 * Whether a text contains a control character other than tab, LF and CR, or half of a surrogate pair.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Text } from "@crossdock/kernel"
 *
 * const texts = ["1 Market Road\n560001 Bengaluru", "Tee\u0000", "Tee \ud83d"]
 * deepStrictEqual(texts.map(Text.hasForbiddenCharacter), [false, true, true])
 * ```
 */
export const hasForbiddenCharacter = (text: string): boolean => forbidden.test(text)

/**
 * The same rule as a regular expression for JSON Schema, which permitted texts match.
 */
export const permittedPattern = "^(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$"

/**
 * Whether a text has more than `most` characters. It only counts them when the length in UTF-16 leaves a doubt.
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
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most)

/**
 * The number of characters of a text.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Text } from "@crossdock/kernel"
 *
 * strictEqual(Text.lengthOf("🎁!"), 2)
 * ```
 */
export const lengthOf = (text: string): number => {
  let pairs = 0
  for (let at = 0; at + 1 < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) pairs++
  }
  return text.length - pairs
}

/**
 * Whether a text has fewer than `least` characters.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Text } from "@crossdock/kernel"
 *
 * strictEqual("🎁".length, 2)
 * strictEqual(Text.isShorter("🎁", 2), true)
 * ```
 */
export const isShorter = (text: string, least: number): boolean =>
  least > 0 && (text.length < least || (text.length < 2 * least && [...text].length < least))
