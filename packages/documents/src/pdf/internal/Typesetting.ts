/**
 * Sets words into lines, and draws lines, rules and codes onto pages.
 */
import * as Option from "effect/Option"
import type { FontSet, Word } from "../FontSet.ts"
import { type Bars, code128, qrCode, type Square } from "./Barcode.ts"
import * as Bidi from "./Bidi.ts"
import { type Page, type PdfFile, point } from "./PdfFile.ts"

/**
 * How text is set. `size` is in points; `gray` goes from 0, black, to 1.
 */
export interface Style {
  readonly size: number
  readonly bold?: boolean
  readonly gray?: number
}

export interface Line {
  readonly words: ReadonlyArray<Word>
  /** Points. */
  readonly width: number
}

const empty: Line = { words: [], width: 0 }

const blank = (fonts: FontSet, { bold = false, size }: Style): number => fonts.word(" ", bold).width * size

/**
 * Cuts a word that is wider than a line into pieces that fit. Letters stay with their marks.
 */
const broken = (fonts: FontSet, text: string, width: number, { bold = false, size }: Style): ReadonlyArray<Word> => {
  const whole = fonts.word(text, bold)
  if (whole.width * size <= width) return [whole]
  const pieces: Array<string> = []
  let sum = 0
  for (const { segment } of new Intl.Segmenter("und").segment(text)) {
    const wide = fonts.word(segment, bold).width * size
    const last = pieces.at(-1)
    if (last === undefined || sum + wide > width) {
      pieces.push(segment)
      sum = wide
    } else {
      pieces[pieces.length - 1] = last + segment
      sum += wide
    }
  }
  return pieces.map((piece) => fonts.word(piece, bold))
}

/**
 * The words of a line in their order from left to right.
 */
export const fromLeft = (words: Line["words"]): Line["words"] => {
  const text = words.map((word) => word.text).join(" ")
  if (!Bidi.isRightToLeft(text)) return words
  const levels = Bidi.levelsOf(text)
  let at = 0
  const placed = words.map((word) => {
    const level = levels[at] ?? 0
    at += word.text.length + 1
    return { word, level }
  })
  return Bidi.fromLeft(placed, ({ level }) => level).map(({ word }) => word)
}

/**
 * Text in as many lines as it needs, at least one.
 */
export const wrap = (fonts: FontSet, text: string, width: number, style: Style): ReadonlyArray<Line> => {
  const gap = blank(fonts, style)
  const lines: Array<Line> = []
  let line = empty
  for (const part of text.split(/\s+/).filter((part) => part !== "")) {
    for (const word of broken(fonts, part, width, style)) {
      const wide = word.width * style.size
      const longer = line.words.length === 0 ? wide : line.width + gap + wide
      if (line.words.length > 0 && longer > width) {
        lines.push(line)
        line = { words: [word], width: wide }
      } else line = { words: [...line.words, word], width: longer }
    }
  }
  return [...lines, line]
}

/**
 * Text in at most so many lines; omitted text shows as an ellipsis.
 */
export const wrapAtMost = (
  fonts: FontSet,
  text: string,
  width: number,
  style: Style,
  most: number
): ReadonlyArray<Line> => {
  const lines = wrap(fonts, text, width, style)
  if (lines.length <= most) return lines
  const bold = style.bold ?? false
  const dots = fonts.word("…", bold)
  const gap = blank(fonts, style)
  const before = lines.slice(0, most - 1)
  // The next word continues in this line as far as there is room.
  let words = lines.slice(most - 1, most + 1).flatMap((line, nth) => (nth === 0 ? line.words : line.words.slice(0, 1)))
  const widthOfWords = () => words.reduce((sum, word) => sum + word.width * style.size + gap, dots.width * style.size)
  while (words.length > 0 && widthOfWords() > width) {
    const shorter = withoutLastLetter(words.at(-1)?.text ?? "")
    words = [...words.slice(0, -1), ...(shorter === "" ? [] : [fonts.word(shorter, bold)])]
  }
  return [...before, { words: [...words, dots], width: widthOfWords() }]
}

/** A letter with its marks. */
const withoutLastLetter = (text: string): string =>
  Array.from(new Intl.Segmenter("und").segment(text), ({ segment }) => segment)
    .slice(0, -1)
    .join("")

export const widthOf = (fonts: FontSet, text: string, style: Style): number =>
  wrap(fonts, text, Number.POSITIVE_INFINITY, style)[0]?.width ?? 0

export type Align = "left" | "center" | "right"

/**
 * Draws a line of text. `x` is its left end, middle or right end, by `align`; `y` is its baseline.
 */
export const drawLine = (
  file: PdfFile,
  page: Page,
  line: Line,
  x: number,
  y: number,
  style: Style,
  align: Align = "left"
): void => {
  const gap = blank(file.fonts, style)
  let at = align === "left" ? x : align === "right" ? x - line.width : x - line.width / 2
  if (style.gray !== undefined) page.operators.push(`${point(style.gray)} g`)
  for (const word of fromLeft(line.words)) {
    file.word(page, word, at, y, style.size)
    at += word.width * style.size + gap
  }
  if (style.gray !== undefined) page.operators.push("0 g")
}

/**
 * Draws text on one line, however long it is.
 */
export const drawText = (
  file: PdfFile,
  page: Page,
  text: string,
  x: number,
  y: number,
  style: Style,
  align: Align = "left"
): void => {
  const [line] = wrap(file.fonts, text, Number.POSITIVE_INFINITY, style)
  if (line !== undefined) drawLine(file, page, line, x, y, style, align)
}

export const fill = (page: Page, x: number, y: number, width: number, height: number, gray = 0): void => {
  page.operators.push(`${point(gray)} g ${point(x)} ${point(y)} ${point(width)} ${point(height)} re f 0 g`)
}

export const frame = (page: Page, x: number, y: number, width: number, height: number, thick = 0.8): void => {
  page.operators.push(`${point(thick)} w ${point(x)} ${point(y)} ${point(width)} ${point(height)} re S`)
}

export const rule = (page: Page, x: number, y: number, width: number, thick = 0.5, gray = 0): void =>
  fill(page, x, y - thick / 2, width, thick, gray)

/**
 * Quiet zones, in modules: the free space that a scanner needs beside a code (ISO/IEC 15417 and 18004).
 */
const quiet = { bars: 10, square: 4 } as const

/**
 * The finest bars that a label printer of 203 dpi prints for scanners: 0.19 mm.
 */
const finestBar = 0.54

/**
 * The finest module that a phone reads from paper, 0.25 mm, and one that it reads easily, 0.4 mm.
 */
const comfortable = 1.13

const drawBars = (
  page: Page,
  { modules, widths }: Bars,
  x: number,
  y: number,
  module: number,
  height: number
): void => {
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

/**
 * A square code as it is drawn on the page; `side` includes its quiet zone.
 */
export interface PlacedSquare {
  readonly side: number
  /** `x` and `top` are its upper left corner. */
  readonly draw: (page: Page, x: number, top: number) => void
}

/**
 * Places a QR code; none when the text does not fit into one.
 */
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
 * Draws a code of `text` in the middle of a box whose lower left corner is (x, y): Code 128, or a QR code when the text is
 * too long for bars of that width or has characters that Code 128 lacks. `widest` is the widest module. Returns false when
 * the text fits into neither.
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
