/// <reference path="./bidi-js.d.ts" />
/**
 * Text of two directions (Unicode Standard Annex 9): the direction of each character, and the visual order.
 */
import bidiFactory from "bidi-js"

const bidi = bidiFactory()

/** Hebrew, Arabic, Syriac, Thaana, NKo and similar scripts. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

export const isRightToLeft = (text: string): boolean => rightToLeft.test(text)

/**
 * The level of each UTF-16 unit: even ones go to the right, odd ones to the left. The first letter gives the text its own
 * direction.
 */
export const levelsOf = (text: string): ArrayLike<number> =>
  isRightToLeft(text) ? bidi.getEmbeddingLevels(text).levels : new Uint8Array(text.length)

/**
 * Puts things into their order from left to right: from the highest level down, each run of at least that level is reversed
 * (rule L2).
 */
export const fromLeft = <A>(things: ReadonlyArray<A>, levelOf: (thing: A) => number): ReadonlyArray<A> => {
  const ordered = things.map((thing) => ({ thing, level: levelOf(thing) }))
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
  return ordered.map(({ thing }) => thing)
}

/**
 * Reverses characters that run from right to left, and mirrors their brackets (rule L4).
 */
export const turned = (text: string): string =>
  [...text]
    .reverse()
    .map((character) => bidi.getMirroredCharacter(character) ?? character)
    .join("")
