import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"
import { DocumentRendererNode } from "../src/node/index.ts"
import { DocumentRendererPdf, FontSet } from "../src/pdf/index.ts"
import { overlaps, pieces, texts } from "./PdfReading.ts"
import { buyer, invoice, label, line } from "./Samples.ts"

const fonts = FontSet.make(await Effect.runPromise(DocumentRendererNode.bundledFonts))

/** Letters that nothing else on a document has, one for each field, so that what is lost can be counted. */
const letters = [..."БГДЖЗИЛПФЦЧШЩЪЫЭЮЯбгджзилпфцчшщъыэюя"]

/** How a text of so many letters is made: one word, or words of a few letters. */
interface Shape {
  readonly length: number
  readonly word: number
}

const shape = FastCheck.record({
  length: FastCheck.oneof(FastCheck.integer({ min: 1, max: 60 }), FastCheck.integer({ min: 1, max: 2000 })),
  word: FastCheck.oneof(FastCheck.constant(2000), FastCheck.integer({ min: 1, max: 30 }))
})

const textOf = (letter: string, { length, word }: Shape): string =>
  letter
    .repeat(length)
    .replaceAll(new RegExp(`.{${word}}`, "gu"), "$& ")
    .trim()

const countOf = (letter: string, text: string): number => text.split(letter).length - 1

const fields = [
  "title",
  "number",
  "order",
  "irn",
  "reference name",
  "seller",
  "seller line",
  "seller tax name",
  "seller tax number",
  "buyer",
  "buyer line",
  "buyer phone",
  "buyer tax number",
  "ship to",
  "ship to line",
  "tax name",
  "line title",
  "line detail",
  "line code",
  "note"
] as const

type Field = (typeof fields)[number]

const letterOf = (field: Field): string => letters[fields.indexOf(field)] ?? ""

/** The sheets after the first one repeat how title and number begin, so these begin with what is not counted. */
const beginning = "0".repeat(130)

const invoiceOf = (shapes: ReadonlyArray<Shape>, shipsElsewhere: boolean) => {
  const of = (field: Field) => textOf(letterOf(field), shapes[fields.indexOf(field)] ?? { length: 1, word: 1 })
  return invoice({
    title: of("title"),
    number: `${beginning}${of("number")}`,
    references: [
      { name: "Order", value: of("order") },
      { name: of("reference name"), value: "1" },
      { name: "IRN", value: of("irn") }
    ],
    seller: {
      name: of("seller"),
      lines: ["1 Road", of("seller line")],
      phone: null,
      taxNumber: { name: of("seller tax name"), value: of("seller tax number") }
    },
    buyer: {
      name: of("buyer"),
      lines: [of("buyer line")],
      phone: of("buyer phone"),
      taxNumber: { name: "GSTIN", value: of("buyer tax number") }
    },
    shipTo: shipsElsewhere ? { name: of("ship to"), lines: [of("ship to line")], phone: null, taxNumber: null } : null,
    taxNames: [of("tax name"), "SGST"],
    lines: [line({ title: of("line title"), details: [of("line detail")], code: of("line code") }), line()],
    notes: [of("note")]
  })
}

const short: Shape = { length: 12, word: 2000 }

const isWhole = async (shapes: ReadonlyArray<Shape>, shipsElsewhere: boolean, size: "a4" | "a6") => {
  const one = invoiceOf(shapes, shipsElsewhere)
  const shown = await pieces(await Effect.runPromise(DocumentRendererPdf.invoices(fonts, [one], size)))
  const text = shown.map(({ text }) => text).join("")
  const lost = fields.flatMap((field, nth) => {
    if (field.startsWith("ship to") && !shipsElsewhere) return []
    const [put, seen] = [shapes[nth]?.length ?? 0, countOf(letterOf(field), text)]
    return seen < put ? [`${field}: ${seen} of ${put}`] : []
  })
  deepStrictEqual(lost, [])
  deepStrictEqual(overlaps(shown), [])
}

describe("an invoice loses no text", () => {
  for (const size of ["a4", "a6"] as const) {
    for (const field of fields) {
      it(`on ${size}: one word of 1,999 letters as its ${field} goes on over lines and pages`, () =>
        isWhole(
          fields.map((one) => (one === field ? { length: 1999, word: 2000 } : short)),
          true,
          size
        ))
    }

    it(`on ${size}: whatever the lengths of all its texts, every one is on the paper and none over another`, () =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(shape, { minLength: fields.length, maxLength: fields.length }),
          FastCheck.boolean(),
          (shapes, shipsElsewhere) => isWhole(shapes, shipsElsewhere, size)
        ),
        { numRuns: runs(15) }
      ))
  }
})

/** The text on the paper, in place of the text in the file. */
const bare = (all: ReadonlyArray<string>): number => all.join("").replaceAll(/\s/g, "").length

const isInPlace = async (shapes: ReadonlyArray<Shape>, quantity: number, size: "a4" | "a6") => {
  const of = (nth: number, letter = letters[nth] ?? "") => textOf(letter, shapes[nth] ?? short)
  const party = (from: number) => ({
    name: of(from),
    lines: [of(from + 1), of(from + 2)],
    phone: of(from + 3),
    taxNumber: null
  })
  const one = label({
    sender: party(0),
    receiver: party(4),
    courier: of(8),
    orderNumber: of(9, "W"),
    shipmentId: of(10),
    awbNumbers: [of(11, "7"), "AWB2"],
    packages: quantity,
    collect: 9_007_199_254_740_991,
    contents: [{ quantity, sku: of(12), title: of(13) }]
  })
  const bytes = await Effect.runPromise(DocumentRendererPdf.labels(fonts, [one], size))
  const shown = await pieces(bytes)
  strictEqual(bare(shown.map(({ text }) => text)), bare(await texts(bytes)))
  deepStrictEqual(overlaps(shown), [])
}

describe("a label keeps its texts apart and on the paper", () => {
  for (const size of ["a4", "a6"] as const) {
    it(`on ${size}, whatever their lengths`, () =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(shape, { minLength: 14, maxLength: 14 }),
          FastCheck.constantFrom(1, 1_000_000, Number.MAX_SAFE_INTEGER),
          (shapes, quantity) => isInPlace(shapes, quantity, size)
        ),
        { numRuns: runs(25) }
      ))

    it(`on ${size}, a street of 2,000 characters is cut with an ellipsis, and city, postal code and phone stay`, async () => {
      const party = { ...buyer, lines: ["Ъ".repeat(2000), "Ж ".repeat(1000), "Mumbai, Maharashtra", "India 400001"] }
      const one = label({ receiver: party, sender: party })
      const shown = await pieces(await Effect.runPromise(DocumentRendererPdf.labels(fonts, [one], size)))
      // On A4, the cut texts follow in full.
      const [text = ""] = shown
        .map(({ text }) => text)
        .join("\n")
        .split("In full")
      for (const whole of [buyer.name, "Mumbai, Maharashtra", "India 400001", buyer.phone ?? ""])
        strictEqual(text.split(whole).length, 3, `${whole} in ${text}`)
      strictEqual(text.split("…").length, 5)
      deepStrictEqual(overlaps(shown), [])
    })

    it(`on ${size}, an address of a hundred lines is cut with an ellipsis`, async () => {
      const receiver = { ...buyer, lines: Array.from({ length: 100 }, (_, nth) => `Ъ${nth}`) }
      const shown = await pieces(
        await Effect.runPromise(DocumentRendererPdf.labels(fonts, [label({ receiver })], size))
      )
      strictEqual(shown.filter(({ page, text }) => page === 1 && text === "…").length, 1)
      deepStrictEqual(overlaps(shown), [])
    })

    it(`on ${size}, an address that does not fit fills its place and ends in an ellipsis`, async () => {
      const receiver = { ...buyer, lines: ["Ъ".repeat(2000)] }
      const shown = await pieces(
        await Effect.runPromise(DocumentRendererPdf.labels(fonts, [label({ receiver })], size))
      )
      const rows = shown.filter(({ text }) => text.includes("Ъ"))
      const dots = shown.find(({ text }) => text.includes("…"))
      const facts = shown.find(({ text }) => text === "ORDER")
      const left = Math.min(...rows.map(({ y }) => y)) - (facts?.y ?? 0)
      assertTrue(rows.length > 0 && dots !== undefined)
      assertTrue(left < 40, `${left} points are left`)
    })
  }
})

describe("a label on A4", () => {
  it("has in full, below its contents and on further sheets, the texts that the label cut off", async () => {
    const texts = letters.slice(0, 8).map((letter) => letter.repeat(1999))
    const [name = "", address = "", phone = "", from = "", courier = "", order = "", awb = "", shipmentId = ""] = texts
    const one = label({
      receiver: { name, lines: [address], phone, taxNumber: null },
      sender: { name: from, lines: [], phone: null, taxNumber: null },
      courier,
      orderNumber: `${beginning}${order}`,
      shipmentId,
      awbNumbers: [awb]
    })
    const shown = await pieces(await Effect.runPromise(DocumentRendererPdf.labels(fonts, [one], "a4")))
    const text = shown.map(({ text }) => text).join("")
    const lost = texts.filter((one) => countOf(one.slice(0, 1), text) < 1999).map((one) => one.slice(0, 1))
    deepStrictEqual(lost, [])
    deepStrictEqual(overlaps(shown), [])
    // Texts that fit are not repeated.
    const plain = await pieces(await Effect.runPromise(DocumentRendererPdf.labels(fonts, [label()], "a4")))
    strictEqual(plain.filter(({ text }) => text.includes("Mumbai, Maharashtra")).length, 1)
    strictEqual(Math.max(...plain.map(({ page }) => page)), 1)
  })
})

describe("what a sheet that goes on begins with", () => {
  for (const size of ["a4", "a6"] as const) {
    it(`on ${size} says how a number of 1,999 digits begins`, async () => {
      const one = invoice({ number: "12345678".repeat(250) })
      const shown = await pieces(await Effect.runPromise(DocumentRendererPdf.invoices(fonts, [one], size)))
      const foot = shown.filter(({ page, y }) => page === 1 && y < 45).map(({ text }) => text)
      assertTrue(foot.join("").includes("Tax invoice 1234567812345678"), foot.join("|"))
    })
  }
})
