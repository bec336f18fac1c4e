import { describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import { Effect } from "effect"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { DocumentRendererNode } from "../src/node/index.ts"
import { DocumentRendererPdf, FontSet } from "../src/pdf/index.ts"
import * as Typesetting from "../src/pdf/internal/Typesetting.ts"
import { invoice, label } from "./Samples.ts"

const fonts = FontSet.make(await Effect.runPromise(DocumentRendererNode.bundledFonts))

type Shape = readonly [what: string, text: (size: number) => string]

const times = (part: string, size: number): string => part.repeat(Math.floor(size / part.length))

const parts: ReadonlyArray<readonly [what: string, part: string]> = [
  ["a word of Latin", "x"],
  ["a word of Arabic", "محمد"],
  ["a word of Devanagari", "क्ष"],
  ["a word of Hebrew", "שלום"],
  ["a word of Thai", "ถนน"],
  ["characters without a glyph", "漢字"],
  ["emoji", "😀"],
  ["emoji that are joined", "👩\u200d"],
  ["letters of another plane", "\u{10a00}"],
  ["a word of both directions", "aש1ב("],
  ["words of both directions", "a ב 1 ١٢ "],
  ["blanks", " \t"],
  ["opening brackets", "א("],
  ["invisible marks", "א\u200f"],
  ["overrides that never end", "\u202dמ"],
  ["embeddings that never end", "\u202bא"],
  ["isolates that never end", "\u2067א"],
  ["isolates that end", "\u2067א\u2069"]
]

const shapes: ReadonlyArray<Shape> = [
  ...parts.map(([what, part]): Shape => [what, (size) => times(part, size)]),
  ["marks of one Latin letter", (size) => `x${"\u0301".repeat(size)}`],
  ["marks of one Arabic letter", (size) => `م${"\u064e".repeat(size)}`],
  ["vowel signs of one Devanagari letter", (size) => `क${"ि".repeat(size)}`],
  ["Devanagari letters in one syllable", (size) => times("क्", size)],
  ["joiners", (size) => `م${"\u200d".repeat(size)}`],
  ["brackets in brackets", (size) => `א${"(".repeat(size / 2)}${")".repeat(size / 2)}`],
  ["isolates without a letter", (size) => `א${"\u2068".repeat(size)}`],
  [
    "numbers that are all different",
    (size) => Array.from({ length: size / 8 }, (_, nth) => `א${100_000 + nth}`).join(" ")
  ]
]

const millisOf = async (run: () => unknown): Promise<number> => {
  const started = processorMillis()
  await run()
  return processorMillis() - started
}

/**
 * For sixteen times the size, linear work takes sixteen times as long and quadratic work 256 times. Less than 5 ms says more
 * about the machine than about the work. Three sizes that differ, for the fonts keep the words that they have drawn.
 */
const grows = async (textOf: (size: number) => string, size: number, bound: number, run: (text: string) => unknown) => {
  await run(textOf(size / 16 - 64))
  const before = await millisOf(() => run(textOf(size / 16)))
  const took = await millisOf(() => run(textOf(size)))
  const found = `${took.toFixed(0)} ms, and ${before.toFixed(1)} ms for a sixteenth`
  assertTrue(took < bound && took < 64 * Math.max(before, 5), found)
}

// Another process may take the processor during a measurement; a quadratic time fails every time.
describe("the time to set a text grows with its length", { retry: 2 }, () => {
  for (const [what, textOf] of shapes) {
    it(`of ${what}`, () =>
      grows(textOf, 2 ** 15, 10_000, (text) => {
        Typesetting.wrap(fonts, text, 200, { size: 10 }).forEach(Typesetting.visualOrder)
        Typesetting.wrapAtMost(fonts, text, 200, { size: 10 }, 3).forEach(Typesetting.visualOrder)
      }))
  }
})

describe("the time to draw a document grows with its texts", { retry: 2 }, () => {
  const run = Effect.runPromise

  it("when a name is one word of 1 MiB", () =>
    grows(
      (size) => "x".repeat(size),
      2 ** 20,
      20_000,
      (name) => run(DocumentRendererPdf.invoices(fonts, [invoice({ notes: [name] })], "a4"))
    ))

  it("when a label has a name of 64 KiB in two directions", () =>
    grows(
      (size) => times("שלום a (12) ١٢ ", size),
      2 ** 16,
      20_000,
      (name) => {
        const party = { name, lines: [], phone: null, taxNumber: null }
        return run(DocumentRendererPdf.labels(fonts, [label({ receiver: party })], "a6"))
      }
    ))

  it("when an invoice has 2,000 notes in two directions", () =>
    grows(
      (size) => times("שלום Flat (12), قميص ١٢ ۳۴ XL|", size),
      60_000,
      20_000,
      (text) => run(DocumentRendererPdf.invoices(fonts, [invoice({ notes: text.split("|") })], "a4"))
    ))
})
