/** Sets lines of text. pdfkit, pdfmake and textkit don't order right-to-left text correctly. */
import * as Option from "effect/Option"
import type { FontSet, Run, Word } from "../FontSet.ts"
import { type Bars, code128, qrCode, type Square } from "./Barcode.ts"
import * as Bidi from "./Bidi.ts"
import { type Page, point } from "./PdfFile.ts"

/** The style of a text. `size` is in points. `gray` is between 0 (black) and 1. */
export interface Style {
  readonly size: number
  readonly bold?: boolean
  readonly gray?: number
}

interface PlacedWord {
  readonly word: Word
  readonly levels: Uint8Array
  /** The level of the blank before the word. The blank isn't drawn if the word begins a line. */
  readonly blank: number
}

export interface Line {
  /** The words in reading order. */
  readonly words: ReadonlyArray<PlacedWord>
  /** The width in points. */
  readonly width: number
}

interface Paragraph {
  readonly text: string
  readonly levels: Bidi.Levels
}

const paragraphOf = (text: string): Paragraph => {
  const clean = text.normalize("NFC").trim().replace(/\s+/g, " ")
  return { text: clean, levels: Bidi.levelsOf(clean) }
}

const blank = (fonts: FontSet, { bold = false, size }: Style): number => fonts.word(" ", bold).width * size

const lettersOf = (text: string): ReadonlyArray<string> =>
  Array.from(new Intl.Segmenter("und").segment(text), ({ segment }) => segment)

/** More UTF-16 code units than fit in any line. Since shaping is slow, a longer word is cut before it is shaped. */
const longestWord = 1000

/** Cuts a word that is wider than a line into pieces that fit. Marks remain with their letters. */
const broken = (fonts: FontSet, whole: string, levels: Uint8Array, width: number, { bold = false, size }: Style) => {
  if (whole.length <= longestWord || width === Number.POSITIVE_INFINITY) {
    const word = fonts.word(whole, bold, levels)
    if (word.width * size <= width) return [{ word, levels }]
  }
  const ends: Array<number> = []
  let [at, sum] = [0, 0]
  for (const letter of lettersOf(whole)) {
    const wide = fonts.word(letter, bold).width * size
    if (at > 0 && sum + wide > width) {
      ends.push(at)
      sum = 0
    }
    sum += wide
    at += letter.length
  }
  return [...ends, whole.length].map((end, nth) => {
    const from = ends[nth - 1] ?? 0
    const part = levels.slice(from, end)
    return { word: fonts.word(whole.slice(from, end), bold, part), levels: part }
  })
}

/** Breaks a text into at least one line. The directions are determined for the whole text. */
export const wrap = (fonts: FontSet, text: string, width: number, style: Style): ReadonlyArray<Line> => {
  const paragraph = paragraphOf(text)
  const gap = blank(fonts, style)
  const lines: Array<Line> = []
  let words: Array<PlacedWord> = []
  let filled = 0
  let at = 0
  for (const part of paragraph.text.split(" ")) {
    const levels = paragraph.levels.of.slice(at, at + part.length)
    const before = paragraph.levels.of[at - 1] ?? paragraph.levels.base
    at += part.length + 1
    if (part === "") continue
    broken(fonts, part, levels, width, style).forEach((piece, nth) => {
      const wide = piece.word.width * style.size
      const longer = words.length === 0 ? wide : filled + gap + wide
      // Each piece of a cut word has its own line, since there is no blank between the pieces.
      if (words.length > 0 && (nth > 0 || longer > width)) {
        lines.push({ words, width: filled })
        words = []
        filled = wide
      } else filled = longer
      words.push({ ...piece, blank: before })
    })
  }
  return [...lines, { words, width: filled }]
}

export const wrapAtMost = (fonts: FontSet, text: string, width: number, style: Style, most: number) => {
  const lines = wrap(fonts, text, width, style)
  if (lines.length <= most) return lines
  const { base } = paragraphOf(text).levels
  const bold = style.bold ?? false
  const levels = new Uint8Array([base])
  const dots = { word: fonts.word("…", bold, levels), levels, blank: base }
  const gap = blank(fonts, style)
  let words = lines.slice(most - 1, most + 1).flatMap((line, nth) => (nth === 0 ? line.words : line.words.slice(0, 1)))
  const widthOfWords = () =>
    words.reduce((sum, { word }) => sum + word.width * style.size + gap, dots.word.width * style.size)
  while (words.length > 0 && widthOfWords() > width) {
    const last = words.at(-1)
    const shorter = last === undefined ? [] : [withoutLastLetter(fonts, last, bold)]
    words = [...words.slice(0, -1), ...shorter.filter(({ word }) => word.text !== "")]
  }
  return [...lines.slice(0, most - 1), { words: [...words, dots], width: widthOfWords() }]
}

/** A word without its last letter. A letter includes its marks. */
const withoutLastLetter = (fonts: FontSet, { blank, levels, word }: PlacedWord, bold: boolean): PlacedWord => {
  const text = lettersOf(word.text).slice(0, -1).join("")
  const left = levels.slice(0, text.length)
  return { blank, levels: left, word: fonts.word(text, bold, left) }
}

interface LinePart {
  readonly level: number
  readonly run: Run | null
}

export const visualOrder = ({ words }: Line): ReadonlyArray<LinePart> =>
  Bidi.visualOrder(
    words.flatMap(({ blank, word }, nth): ReadonlyArray<LinePart> => {
      const runs = word.runs.map((run) => ({ level: run.level, run }))
      return nth === 0 ? runs : [{ level: blank, run: null }, ...runs]
    })
  )

export const widthOf = (fonts: FontSet, text: string, style: Style): number =>
  wrap(fonts, text, Number.POSITIVE_INFINITY, style)[0]?.width ?? 0

export type Align = "left" | "center" | "right"

/** Draws a line. Depending on `align`, `x` is its left end, its middle or its right end. `y` is the baseline. */
export const drawLine = (page: Page, line: Line, x: number, y: number, style: Style, align: Align = "left"): void => {
  const gap = blank(page.fonts, style)
  let at = align === "left" ? x : align === "right" ? x - line.width : x - line.width / 2
  if (style.gray !== undefined) page.operators.push(`${point(style.gray)} g`)
  let runs: Array<Run> = []
  let width = 0
  const draw = () => {
    page.text(runs, at, y, style.size)
    at += width
    runs = []
    width = 0
  }
  for (const { run } of visualOrder(line)) {
    if (run === null) {
      draw()
      at += gap
      continue
    }
    runs.push(run)
    width += run.width * style.size
  }
  draw()
  if (style.gray !== undefined) page.operators.push("0 g")
}

export const drawText = (page: Page, text: string, x: number, y: number, style: Style, align: Align = "left"): void => {
  const [line] = wrap(page.fonts, text, Number.POSITIVE_INFINITY, style)
  if (line !== undefined) drawLine(page, line, x, y, style, align)
}

export const fill = (page: Page, x: number, y: number, width: number, height: number, gray = 0): void => {
  page.operators.push(`${point(gray)} g ${point(x)} ${point(y)} ${point(width)} ${point(height)} re f 0 g`)
}

export const frame = (page: Page, x: number, y: number, width: number, height: number, thick = 0.8): void => {
  page.operators.push(`${point(thick)} w ${point(x)} ${point(y)} ${point(width)} ${point(height)} re S`)
}

export const rule = (page: Page, x: number, y: number, width: number, thick = 0.5, gray = 0): void =>
  fill(page, x, y - thick / 2, width, thick, gray)

/** The quiet zones in modules. Scanners need this free space beside a code (ISO/IEC 15417 and 18004). */
const quiet = { bars: 10, square: 4 } as const

/** The width in points of the narrowest bar that a 203 dpi label printer prints readably (0.19 mm). */
const finestBar = 0.54

/** A comfortable width of a module on paper, in points (0.4 mm). Phones read at least 0.25 mm. */
const comfortable = 1.13

const drawBars = (page: Page, { modules, widths }: Bars, x: number, y: number, module: number, height: number) => {
  let at = x - (modules * module) / 2
  const bars: Array<string> = []
  widths.forEach((width, nth) => {
    if (nth % 2 === 0) bars.push(`${point(at)} ${point(y)} ${point(width * module)} ${point(height)} re`)
    at += width * module
  })
  page.operators.push(`0 g ${bars.join(" ")} f`)
}

const drawSquare = (page: Page, { isDark, side }: Square, x: number, top: number, module: number): void => {
  const dark: Array<string> = []
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      if (!isDark(row, column)) continue
      let end = column
      while (end + 1 < side && isDark(row, end + 1)) end++
      const y = top - (row + 1) * module
      dark.push(`${point(x + column * module)} ${point(y)} ${point((end - column + 1) * module)} ${point(module)} re`)
      column = end
    }
  }
  page.operators.push(`0 g ${dark.join(" ")} f`)
}

/** A square code with its size. `side` includes the quiet zone. */
export interface PlacedSquare {
  readonly side: number
  /** Draws the code. `x` and `top` are its upper left corner. */
  readonly draw: (page: Page, x: number, top: number) => void
}

export const placeQr = (text: string, least: number, most: number): Option.Option<PlacedSquare> =>
  Option.map(qrCode(text), (square) => {
    const modules = square.side + 2 * quiet.square
    const side = Math.min(most, Math.max(least, modules * comfortable))
    const module = side / modules
    return {
      side,
      draw: (page, x, top) => drawSquare(page, square, x + quiet.square * module, top - quiet.square * module, module)
    }
  })

/**
 * Draws a text as Code 128, or as a QR code if that doesn't fit, in the center of a box with the lower left corner (x, y).
 * The modules of the Code 128 are at most `widest` wide. Returns false if neither code can represent the text.
 */
export const drawCode = (
  page: Page,
  text: string,
  x: number,
  y: number,
  width: number,
  height: number,
  widest: number
): boolean => {
  const bars = Option.filter(code128(text), ({ modules }) => width / (modules + 2 * quiet.bars) >= finestBar)
  if (Option.isSome(bars)) {
    const module = Math.min(widest, width / (bars.value.modules + 2 * quiet.bars))
    drawBars(page, bars.value, x + width / 2, y, module, height)
    return true
  }
  const square = placeQr(text, height, height)
  if (Option.isSome(square)) square.value.draw(page, x + (width - height) / 2, y + height)
  return Option.isSome(square)
}
