/// <reference path="./libraries.d.ts" />
/** Bidirectional text (Unicode Annex 9): the direction of each character, and the visual order. */
import bidiFactory from "bidi-js"

const bidi = bidiFactory()

/** Matches characters of right-to-left scripts, and invisible ones that change the direction to the left. */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether a character is a mark, embedding, override or isolate. They affect the order and aren't drawn. */
export const isControl = (character: string) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(character)

const beyondBasicPlane = /[\u{10000}-\u{10ffff}]/gu

/** Replaces each surrogate pair by two characters of its kind, since the library reads single code units. */
const inBasicPlane = (text: string): string =>
  text.replace(beyondBasicPlane, (character) => {
    if (rightToLeft.test(character)) return "\u07ca\u07ca"
    return /[\p{L}\p{M}\p{N}]/u.test(character) ? "LL" : "\u2606\u2606"
  })

/** A text that is longer than this is ordered in parts, since the library's time can grow with the square of the length. */
const longest = 1000

/** Gives a text its own direction, which doesn't affect the surrounding text. */
export const isolated = (text: string): string => `\u2068${text}\u2069`

/** Makes a text, such as a phone number, run from left to right. Its digits may be of any script. */
export const leftToRight = (text: string): string => `\u202d${text}\u202c`

export interface Levels {
  /** The level of the text itself. It is 1 if the first letter is of a right-to-left script, and otherwise 0. */
  readonly base: number
  /** The level of each UTF-16 code unit. Units with an even level run to the right, and units with an odd level to the left. */
  readonly of: Uint8Array
}

export const levelsOf = (text: string): Levels => {
  const levels = new Uint8Array(text.length)
  if (!rightToLeft.test(text)) return { base: 0, of: levels }
  const plain = inBasicPlane(text)
  const [first] = bidi.getEmbeddingLevels(plain.slice(0, longest)).paragraphs
  const base = first?.level ?? 0
  for (let from = 0; from < plain.length; from += longest) {
    const part = bidi.getEmbeddingLevels(plain.slice(from, from + longest), base === 1 ? "rtl" : "ltr")
    levels.set(part.levels, from)
  }
  return { base, of: levels }
}

/** Sorts elements from left to right. The runs of each level are reversed, starting with the highest level (rule L2). */
export const visualOrder = <A extends { readonly level: number }>(things: ReadonlyArray<A>): ReadonlyArray<A> => {
  const ordered = [...things]
  const highest = ordered.reduce((most, { level }) => Math.max(most, level), 0)
  const turn = (from: number, to: number) => {
    const row = ordered.slice(from, to).reverse()
    for (const [at, one] of row.entries()) ordered[from + at] = one
  }
  for (let least = highest; least > 0; least--) {
    let from = 0
    for (let at = 0; at <= ordered.length; at++) {
      if ((ordered[at]?.level ?? 0) >= least) continue
      turn(from, at)
      from = at + 1
    }
  }
  return ordered
}

/** A text with mirrored brackets, for drawing from right to left (rule L4). */
export const mirrored = (text: string): string =>
  Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character).join("")
