import { readFile } from "node:fs/promises"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { DocumentRendererNode } from "../src/node/index.ts"
import { FontSet } from "../src/pdf/index.ts"
import * as Bidi from "../src/pdf/internal/Bidi.ts"
import * as Typesetting from "../src/pdf/internal/Typesetting.ts"

const fonts = FontSet.make(await Effect.runPromise(DocumentRendererNode.bundledFonts))

/** A text as a browser sets it in the fonts of this package (fixtures/visual-order.mjs). */
interface Shown {
  readonly text: string
  /** The width of a line in ems; without it, the text has one line. */
  readonly ems?: number
  /** The width of the text in ems. */
  readonly width: number
  /** The letters of each line, with their marks, from left to right. */
  readonly lines: ReadonlyArray<ReadonlyArray<string>>
}

const shown: ReadonlyArray<Shown> = JSON.parse(
  await readFile(new URL("./fixtures/visual-order.json", import.meta.url), "utf8")
)

const wrapped = (text: string, ems = Number.POSITIVE_INFINITY) => Typesetting.wrap(fonts, text, ems, { size: 1 })

/** Letters that differ only in their points: the font draws them with one glyph, and does not say for which of them. */
const alike = ["بتثنيىئپٹی", "حجخچ", "دذڈ", "رزڑژ", "سش", "صض", "طظ", "عغ", "فق", "كکگ", "اأإآٱ", "هةەۀھ", "وؤ"]

const likened = new Map([
  ...alike.flatMap((group) => Array.from(group, (letter): [string, string] => [letter, group.slice(0, 1)])),
  ...Array.from("۰۱۲۳۴۵۶۷۸۹", (digit, nth): [string, string] => [digit, "٠١٢٣٤٥٦٧٨٩".charAt(nth)])
])

/** Marks and invisible characters are where their letter is. */
const letters = (text: string): string =>
  Array.from(
    text.normalize("NFC").replaceAll(/[\p{M}\p{Cf}\s]/gu, ""),
    (character) => likened.get(character) ?? character
  ).join("")

const back = (text: string): string => [...text].reverse().join("")

/** Scripts that put some letters of a syllable before or after others, all from left to right. */
const reorders = /[\u0900-\u0d7f]/

const drawn = (run: FontSet.Run): string => {
  if (run.level % 2 === 0) return reorders.test(run.text) ? run.text : run.glyphs.map(({ text }) => text).join("")
  return run.glyphs.map(({ text }) => back(Bidi.mirrored(text))).join("")
}

const drawnLine = (line: Typesetting.Line): string =>
  letters(
    Typesetting.visualOrder(line)
      .map(({ run }) => (run === null ? "" : drawn(run)))
      .join("")
  )

const visible = (text: string): string =>
  text.replaceAll(/[\p{Cf}\s]/gu, (character) =>
    character === " " ? " " : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

describe("a document", () => {
  for (const { ems, lines, text, width } of shown) {
    const name = ems === undefined ? visible(text) : `${visible(text)} in lines of ${ems} ems`
    it(`has letters in the order in which a browser has them: ${name}`, () => {
      const set = wrapped(text, ems)
      deepStrictEqual(
        set.map(drawnLine),
        lines.map((line) => letters(line.join("")))
      )
      if (ems !== undefined) return
      const [line] = set
      // The browser moved no pairs of letters closer.
      assertTrue(Math.abs((line?.width ?? 0) - width) < 0.1, `${line?.width} and ${width} ems`)
    })
  }
})
