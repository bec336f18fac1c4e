/**
 * The fonts of a host, and the conversion of text to their glyphs.
 */
import "./internal/Regenerator.ts"
import fontkit from "@pdf-lib/fontkit"
import * as Bidi from "./internal/Bidi.ts"

/**
 * A TrueType font. The first font that has a character draws it; for bold text, `bold` fonts come first.
 */
export interface FontFile {
  readonly bytes: Uint8Array
  readonly bold: boolean
}

/**
 * A font as the font library reads it.
 */
export type Font = ReturnType<typeof fontkit.create>

/**
 * A font of the set.
 */
export interface Face {
  readonly font: Font
  readonly bold: boolean
  /** Its index among the fonts, by which pages name it. */
  readonly index: number
  /** Ems of one unit of the font. */
  readonly scale: number
}

/**
 * Ems. `shift` and `rise` are from where the pen is; `natural` is the glyph's own width, `advance` how far the pen goes.
 */
export interface PlacedGlyph {
  readonly id: number
  readonly text: string
  readonly natural: number
  readonly advance: number
  readonly shift: number
  readonly rise: number
}

/**
 * Glyphs of one face. `spoken` is set when the text can't be derived from the single glyphs, because their order or number
 * differs.
 */
export interface Run {
  readonly face: Face
  readonly glyphs: ReadonlyArray<PlacedGlyph>
  readonly text: string
  readonly spoken: boolean
}

/**
 * A text without breaks, as glyphs.
 */
export interface Word {
  readonly text: string
  /** From left to right. */
  readonly runs: ReadonlyArray<Run>
  /** Ems. */
  readonly width: number
}

/**
 * The fonts of a host, and the words that they draw.
 */
export interface FontSet {
  readonly faces: ReadonlyArray<Face>
  /** A text without any break in it. */
  readonly word: (text: string, bold: boolean) => Word
}

/**
 * Scripts whose letters are drawn one by one, and need shaping only for marks.
 */
const plain =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}]*$/u

const clings = /[\p{M}\p{Cf}\p{Script=Inherited}]/u

/**
 * Line breaks and tabs are blanks already; other invisible characters draw nothing.
 */
const unseen = /[\p{Cc}\u200b\u200e\u200f\ufeff]/gu

const mostWords = 20_000

interface Piece {
  readonly face: Face | undefined
  readonly level: number
  text: string
}

/**
 * The set of these TrueType or OpenType fonts, in the order in which they are asked for a character. It keeps shaped words,
 * so make it once and draw with it often.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Fonts } from "@crossdock/documents/node"
 * import { FontSet } from "@crossdock/documents/pdf"
 * import { Effect } from "effect"
 *
 * const fonts = FontSet.make(await Effect.runPromise(Fonts.bundled))
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

  /**
   * Pieces, each of one face and direction. A character that no font has is its own piece, without a face.
   */
  const pieces = (text: string, bold: boolean): ReadonlyArray<Piece> => {
    const found: Array<Piece> = []
    const levels = Bidi.levelsOf(text)
    let at = 0
    for (const character of text) {
      const last = found.at(-1)
      const face = faceOf(character, bold, last?.face)
      const level = levels[at] ?? 0
      at += character.length
      if (last !== undefined && face !== undefined && last.face === face && last.level === level) last.text += character
      else found.push({ face, level, text: character })
    }
    return found
  }

  const shape = (text: string, bold: boolean): Word => {
    const seen = text.normalize("NFC").replace(unseen, "")
    const runs = Bidi.fromLeft(pieces(seen, bold), ({ level }) => level).flatMap(({ face, level, text }) => {
      if (face !== undefined) {
        if (!plain.test(text)) return [shaped(face, text)]
        return [level % 2 === 0 ? letters(face, text) : { ...letters(face, Bidi.turned(text)), text, spoken: true }]
      }
      const [fallback] = order[bold ? 1 : 0]
      // A joiner asks for a form that the fonts do not have, so it draws nothing.
      return fallback === undefined || /\p{Cf}/u.test(text) ? [] : [missing(fallback, text)]
    })
    const width = runs.reduce((sum, { glyphs }) => glyphs.reduce((more, { advance }) => more + advance, sum), 0)
    return { text: seen, runs, width }
  }

  return {
    faces,
    word: (text, bold) => {
      const known = words[bold ? 1 : 0]
      const found = known.get(text)
      if (found !== undefined) return found
      const made = shape(text, bold)
      if (known.size >= mostWords) known.clear()
      known.set(text, made)
      return made
    }
  }
}

const letters = (face: Face, text: string): Run => ({
  face,
  text,
  spoken: false,
  glyphs: [...text].map((character) => {
    const glyph = face.font.glyphForCodePoint(character.codePointAt(0) ?? 0)
    const advance = glyph.advanceWidth * face.scale
    return { id: glyph.id, text: character, natural: advance, advance, shift: 0, rise: 0 }
  })
})

const shaped = (face: Face, text: string): Run => {
  const { glyphs, positions } = face.font.layout(text)
  return {
    face,
    text,
    spoken: true,
    glyphs: glyphs.map((glyph, nth) => {
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
  }
}

/**
 * The font's own glyph for a missing character, a box. Readers of the file still get the character.
 */
const missing = (face: Face, text: string): Run => {
  const advance = face.font.getGlyph(0).advanceWidth * face.scale
  return { face, text, spoken: true, glyphs: [{ id: 0, text: "\ufffd", natural: advance, advance, shift: 0, rise: 0 }] }
}
