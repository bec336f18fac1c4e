/// <reference path="./internal/libraries.d.ts" />
/** The fonts of a host, and the glyphs of texts. */
import * as fontkit from "fontkit"
import * as Bidi from "./internal/Bidi.ts"

/** A TrueType or OpenType font. Each character gets the first font that has it, beginning with those of its weight. */
export interface FontFile {
  readonly bytes: Uint8Array
  readonly bold: boolean
}

/** A font as the font library represents it. Lengths are in font units. */
export interface Font {
  readonly unitsPerEm: number
  readonly postscriptName: string | null
  readonly bbox: { readonly minX: number; readonly minY: number; readonly maxX: number; readonly maxY: number }
  readonly ascent: number
  readonly descent: number
  readonly capHeight: number
  /** Present if the font has PostScript outlines instead of TrueType outlines. */
  readonly "CFF "?: unknown
  readonly hasGlyphForCodePoint: (code: number) => boolean
  readonly glyphForCodePoint: (code: number) => Glyph
  readonly getGlyph: (id: number) => Glyph
  /** Selects the glyphs of a text, from left to right. The library chooses those arguments that are undefined. */
  readonly layout: (
    text: string,
    features: undefined,
    script: undefined,
    language: undefined,
    direction: "ltr" | "rtl"
  ) => { readonly glyphs: ReadonlyArray<Glyph>; readonly positions: ReadonlyArray<GlyphPosition> }
  readonly createSubset: () => Subset
}

/** A glyph, with the characters that it represents. */
export interface Glyph {
  readonly id: number
  readonly advanceWidth: number
  readonly codePoints: ReadonlyArray<number>
}

/** The position of a glyph relative to the pen, and the distance by which the pen then advances. */
export interface GlyphPosition {
  readonly xAdvance: number
  readonly xOffset: number
  readonly yOffset: number
}

/** A part of a font that has only some glyphs, with new numbers. */
export interface Subset {
  readonly includeGlyph: (id: number) => number
  readonly encode: () => Uint8Array
}

/** A font of the set. */
export interface Face {
  readonly font: Font
  readonly bold: boolean
  /** The index of the font, by which pages refer to the font. */
  readonly index: number
  /** The length of a font unit in ems. */
  readonly scale: number
}

/** A glyph in ems. `shift` and `rise` are relative to the pen, which moves by `advance`. The font's advance is `natural`. */
export interface PlacedGlyph {
  readonly id: number
  readonly text: string
  readonly natural: number
  readonly advance: number
  readonly shift: number
  readonly rise: number
}

/** Glyphs of one face, from left to right. If `spoken`, the file must contain `text`, since glyphs alone don't give it. */
export interface Run {
  readonly face: Face
  readonly glyphs: ReadonlyArray<PlacedGlyph>
  readonly text: string
  readonly spoken: boolean
  /** The level in the paragraph (Unicode Annex 9). Even levels run to the right, and odd ones to the left. */
  readonly level: number
  /** The width in ems. */
  readonly width: number
}

/** The glyphs of a text that can't be broken into lines. */
export interface Word {
  readonly text: string
  /** The runs in reading order. */
  readonly runs: ReadonlyArray<Run>
  /** The width in ems. */
  readonly width: number
}

/** The fonts of a host. A set of fonts turns words into glyphs. */
export interface FontSet {
  readonly faces: ReadonlyArray<Face>
  /** Returns the glyphs of an unbreakable text. `levels` are those of its UTF-16 code units in a longer text. */
  readonly word: (text: string, bold: boolean, levels?: Uint8Array) => Word
}

/** Matches text whose letters are drawn one by one. In these scripts, only marks need shaping. */
const plain =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}]*$/u

const clings = /[\p{M}\p{Cf}\p{Script=Inherited}]/u

/** Matches invisible characters that draw nothing. Line breaks and tabs were replaced by blanks before. */
const unseen = /[\p{Cc}\u200b\ufeff]/u

const mostWords = 20_000

/** The most UTF-16 code units of a piece. The time to shape marks grows with the square of their number. */
const longestPiece = 200

interface Piece {
  readonly face: Face | undefined
  readonly level: number
  text: string
}

/**
 * Makes the set of these fonts. It caches the glyphs of words, so make it once and reuse it.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { DocumentRendererNode } from "@crossdock/documents/node"
 * import { FontSet } from "@crossdock/documents/pdf"
 * import { Effect } from "effect"
 *
 * const fonts = FontSet.make(await Effect.runPromise(DocumentRendererNode.bundledFonts))
 * // the vowel sign is written after its consonant, and drawn before it
 * strictEqual(fonts.word("हिन्दी", false).runs[0]?.glyphs[0]?.text, "ि")
 * // a character that no font has is drawn as a box
 * strictEqual(fonts.word("漢", false).runs[0]?.glyphs[0]?.id, 0)
 * ```
 */
export const make = (files: ReadonlyArray<FontFile>): FontSet => {
  const faces = files.map(({ bold, bytes }, index): Face => {
    const font = fontkit.create(bytes)
    return { font, bold, index, scale: 1 / font.unitsPerEm }
  })
  const preferred = (bold: boolean) => [...faces].sort((a, b) => Number(b.bold === bold) - Number(a.bold === bold))
  const order = [preferred(false), preferred(true)] as const
  const words = [new Map<string, Word>(), new Map<string, Word>()] as const

  const faceOf = (character: string, bold: boolean, before: Face | undefined): Face | undefined => {
    const code = character.codePointAt(0) ?? 0
    if (before !== undefined && clings.test(character) && before.font.hasGlyphForCodePoint(code)) return before
    return order[bold ? 1 : 0].find(({ font }) => font.hasGlyphForCodePoint(code))
  }

  /** Divides a text into pieces, each with one face and direction. A character that no font has is a piece without a face. */
  const pieces = (text: string, bold: boolean, levels: Uint8Array): ReadonlyArray<Piece> => {
    const found: Array<Piece> = []
    let at = 0
    for (const character of text) {
      const level = levels[at] ?? 0
      at += character.length
      if (unseen.test(character) || Bidi.isControl(character)) continue
      const last = found.at(-1)
      const face = faceOf(character, bold, last?.face)
      const continues =
        last !== undefined && last.face === face && last.level === level && last.text.length < longestPiece
      if (continues && face !== undefined) last.text += character
      else found.push({ face, level, text: character })
    }
    return found
  }

  const runOf = ({ face, level, text }: Piece, bold: boolean): ReadonlyArray<Run> => {
    if (face !== undefined) return [plain.test(text) ? letters(face, text, level) : shaped(face, text, level)]
    const [fallback] = order[bold ? 1 : 0]
    // A joiner selects a form that the fonts don't have, so it draws nothing.
    return fallback === undefined || /\p{Cf}/u.test(text) ? [] : [missing(fallback, text, level)]
  }

  const shape = (text: string, bold: boolean, levels: Uint8Array): Word => {
    const runs = pieces(text, bold, levels).flatMap((piece) => runOf(piece, bold))
    return { text, runs, width: runs.reduce((sum, { width }) => sum + width, 0) }
  }

  const word: FontSet["word"] = (text, bold, levels) => {
    if (levels === undefined) {
      const composed = text.normalize("NFC")
      return word(composed, bold, Bidi.levelsOf(composed).of)
    }
    const known = words[bold ? 1 : 0]
    // As a part of other text, the same letters may be in another order.
    const key = levels.some((level) => level > 0) ? `${text}\u0000${levels}` : text
    const found = known.get(key)
    if (found !== undefined) return found
    const made = shape(text, bold, levels)
    if (known.size >= mostWords) known.clear()
    known.set(key, made)
    return made
  }

  return { faces, word }
}

const widthOf = (glyphs: Run["glyphs"]): number => glyphs.reduce((sum, { advance }) => sum + advance, 0)

const isLeftwards = (level: number): boolean => level % 2 === 1

const letters = (face: Face, text: string, level: number): Run => {
  const drawn = isLeftwards(level) ? [...Bidi.mirrored(text)].reverse() : [...text]
  const glyphs = drawn.map((character) => {
    const glyph = face.font.glyphForCodePoint(character.codePointAt(0) ?? 0)
    const advance = glyph.advanceWidth * face.scale
    return { id: glyph.id, text: character, natural: advance, advance, shift: 0, rise: 0 }
  })
  return { face, text, spoken: isLeftwards(level), level, glyphs, width: widthOf(glyphs) }
}

/** Selects the glyphs in the direction of the level. The library alone would reverse Arabic digits. */
const layout = (face: Face, text: string, level: number) => {
  const drawn = isLeftwards(level) ? Bidi.mirrored(text) : text
  return face.font.layout(drawn, undefined, undefined, undefined, isLeftwards(level) ? "rtl" : "ltr")
}

const shaped = (face: Face, text: string, level: number): Run => {
  const { glyphs: found, positions } = layout(face, text, level)
  const glyphs = found.map((glyph, nth) => {
    const natural = glyph.advanceWidth * face.scale
    const position = positions[nth]
    return {
      id: glyph.id,
      text: String.fromCodePoint(...glyph.codePoints),
      natural,
      advance: position === undefined ? natural : position.xAdvance * face.scale,
      shift: (position?.xOffset ?? 0) * face.scale,
      rise: (position?.yOffset ?? 0) * face.scale
    }
  })
  return { face, text, spoken: true, level, glyphs, width: widthOf(glyphs) }
}

/** The box that a font draws for a character that it lacks. Text copied from the file still has the character. */
const missing = (face: Face, text: string, level: number): Run => {
  const advance = face.font.getGlyph(0).advanceWidth * face.scale
  const glyphs = [{ id: 0, text: "\ufffd", natural: advance, advance, shift: 0, rise: 0 }]
  return { face, text, spoken: true, level, glyphs, width: advance }
}
