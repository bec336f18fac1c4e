/// <reference path="./libraries.d.ts" />
/** Bidirectional text (Unicode Annex 9): each character's direction, and the visual order. */
import bidiFactory from "bidi-js"

const bidi = bidiFactory()

/** Hebrew, Arabic, Syriac, Thaana, NKo and the like, and invisible characters that turn text leftwards. */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Marks, embeddings, overrides and isolates: they order surrounding text and aren't drawn. */
export const isControl = (character: string) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(character)

const beyondBasicPlane = /[\u{10000}-\u{10ffff}]/gu

/** The library looks up single UTF-16 units, so a pair becomes a unit of its kind. */
const inBasicPlane = (text: string): string =>
  text.replace(beyondBasicPlane, (character) => {
    if (rightToLeft.test(character)) return "\u07ca\u07ca"
    return /[\p{L}\p{M}\p{N}]/u.test(character) ? "LL" : "\u2606\u2606"
  })

/** Longer text is ordered in parts: with many isolates, the library's time is quadratic. */
const longest = 1000

/** Text with its own direction, which doesn't affect its surroundings. */
export const isolated = (text: string): string => `\u2068${text}\u2069`

/** A number read from left to right in any digits, such as a phone number. */
export const leftToRight = (text: string): string => `\u202d${text}\u202c`

export interface Levels {
  /** The text's own level: 1 if its first letter is right-to-left, else 0. */
  readonly base: number
  /** Each UTF-16 unit's level: even to the right, odd to the left. */
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

/** Orders elements from left to right: reverses runs of each level, from the highest (rule L2). */
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

/** Text with mirrored brackets, as drawn from right to left (rule L4). */
export const mirrored = (text: string): string =>
  Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character).join("")
