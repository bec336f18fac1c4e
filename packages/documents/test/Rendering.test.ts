import { readFile } from "node:fs/promises"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { DocumentRendererNode } from "../src/node/index.ts"
import { DocumentRendererPdf, FontSet } from "../src/pdf/index.ts"
import * as Bidi from "../src/pdf/internal/Bidi.ts"
import * as Typesetting from "../src/pdf/internal/Typesetting.ts"
import { codes, open, type Piece, picture, pieces, texts } from "./PdfReading.ts"
import { buyer, invoice, label, line } from "./Samples.ts"

const fonts = FontSet.make(await Effect.runPromise(DocumentRendererNode.bundledFonts))

const run = Effect.runPromise
const labels = (
  ...args: Parameters<typeof DocumentRendererPdf.labels> extends [unknown, ...infer Rest] ? Rest : never
) => run(DocumentRendererPdf.labels(fonts, ...args))
const invoices = (
  ...args: Parameters<typeof DocumentRendererPdf.invoices> extends [unknown, ...infer Rest] ? Rest : never
) => run(DocumentRendererPdf.invoices(fonts, ...args))

/**
 * A text like that of a signed e-invoice's QR code.
 */
const qrText = (length: number): string => {
  let text = "eyJhbGciOiJSUzI1NiJ9."
  for (let seed = 7; text.length < length; seed = (seed * 48_271) % 2_147_483_647) text += seed.toString(36)
  return text.slice(0, length)
}

/**
 * Text without the breaks of lines.
 */
const joined = (pages: ReadonlyArray<string>): string => pages.join(" ").replace(/\s+/g, " ")

describe("a label", () => {
  it("is one page of A6 with all that a courier needs, and well under 150 kB", async () => {
    const bytes = await labels([label()], "a6")
    assertTrue(bytes.length < 60_000, `${bytes.length} bytes`)
    const file = await open(bytes)
    strictEqual(file.numPages, 1)
    const [, , width = 0, height = 0] = (await file.getPage(1)).view
    deepStrictEqual([Math.round(width), Math.round(height)], [298, 420])
    const text = joined(await texts(bytes))
    for (const part of [
      "BlueDart",
      "PREPAID",
      "AWB1234567890",
      "A Customer",
      "Mumbai, Maharashtra",
      "India 400001",
      "+91 80 0000 0000",
      "MP674964020E8E174561",
      "17328629784861446350",
      "1.25 kg",
      "21 Nov 2026",
      "Acme Retail Private Limited",
      "Cotton T-Shirt, blue"
    ]) {
      assertInclude(text, part)
    }
  })

  for (const size of ["a4", "a6"] as const) {
    it(`on ${size} has its AWB as Code 128 that a scanner reads at a label printer's 203 dpi`, async () => {
      deepStrictEqual(await codes(await labels([label()], size)), ["Code128 AWB1234567890"])
    })

    it(`on ${size} has the shipment's id in place of an AWB that is not there yet`, async () => {
      const bytes = await labels([label({ awbNumbers: [], courier: null })], size)
      deepStrictEqual(await codes(bytes), ["Code128 17328629784861446350"])
      assertInclude(joined(await texts(bytes)), "NO AWB YET")
    })
  }

  it("is drawn within what a 4×6 inch label has of A6", async () => {
    const { data, height, width } = await picture(await labels([label()], "a6"), 1, 144)
    const cut = Math.ceil((width - 8 * 72) / 2)
    const inMargin = (x: number) => x < cut || x >= width - cut
    let ink = 0
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) if (inMargin(x) && (data[4 * (y * width + x)] ?? 255) < 200) ink++
    }
    strictEqual(ink, 0)
  })

  it("has the amount to collect, once however many parcels there are", async () => {
    const pages = await texts(await labels([label({ collect: 12_345_678_90, awbNumbers: ["A1", "A2"] })], "a6"))
    strictEqual(pages.length, 2)
    assertInclude(joined(pages.slice(0, 1)), "COD ₹1,23,45,678.90")
    assertTrue(!joined(pages.slice(1)).includes("₹"))
    assertInclude(joined(pages.slice(1)), "PARCEL 2 OF 2")
  })

  it("of a return goes back to the seller and collects nothing", async () => {
    const text = joined(await texts(await labels([label({ journey: "return" })], "a6")))
    assertInclude(text, "RETURN TO")
    assertTrue(!text.includes("PREPAID") && !text.includes("COD"))
  })

  it("has a QR code for an AWB that does not fit into bars", async () => {
    const long = qrText(300)
    deepStrictEqual(await codes(await labels([label({ awbNumbers: [long] })], "a6"), 1, 300), [`QRCode ${long}`])
    deepStrictEqual(await codes(await labels([label({ awbNumbers: ["संख्या १"] })], "a6")), ["QRCode संख्या १"])
  })

  it("fits names and addresses of any length, and empty ones", async () => {
    const long = "अत्यन्त ".repeat(280)
    const word = "x".repeat(2000)
    const receiver = { ...buyer, name: long, lines: [word, long, "", " "] }
    const one = label({ receiver, sender: receiver, courier: word, orderNumber: word, contents: [], weightGrams: null })
    strictEqual((await texts(await labels([one], "a6"))).length, 1)
    // On A4 the texts that the label has no room for are listed below it, on further sheets.
    assertTrue((await texts(await labels([one], "a4"))).length > 1)
    const empty = { name: "", lines: [], phone: null, taxNumber: null }
    const bare = label({ receiver: empty, sender: empty, courier: "", orderNumber: "", awbNumbers: [""] })
    strictEqual((await texts(await labels([bare], "a6"))).length, 1)
  })
})

const hebrewContents = [
  { quantity: 2, sku: "H-1", title: "כובע" },
  { quantity: 3, sku: "H-2", title: "Shirt" }
]

describe("text of many scripts", () => {
  const names = {
    Devanagari: "राष्ट्रीय हिन्दी कर्म श्री क्षत्रिय",
    Bengali: "বাংলা ক্ষেত্র",
    Tamil: "தமிழ்நாடு கொழும்பு",
    Telugu: "తెలుగు క్షేత్రం",
    Kannada: "ಕನ್ನಡ ಕ್ಷೇತ್ರ",
    Malayalam: "മലയാളം ശ്രീ",
    Gujarati: "ગુજરાતી ક્ષેત્ર",
    Gurmukhi: "ਪੰਜਾਬੀ ਸਿੰਘ",
    Odia: "ଓଡ଼ିଆ କ୍ଷେତ୍ର",
    Arabic: "محمد عبد الله الأحمد مُحَمَّد",
    Urdu: "پاکستان ٹیکسٹائل",
    Hebrew: "שלום תל־אביב",
    Thai: "ถนนสุขุมวิท",
    Latin: "Łódź Ñandú Đặng Œuvre",
    Greek: "Αθήνα",
    Cyrillic: "Київ",
    currencies: "₹ € £ ¥ $"
  }

  for (const [script, name] of Object.entries(names)) {
    it(`has a glyph for every character of ${script}`, () => {
      const glyphs = [false, true].flatMap((bold) =>
        name.split(" ").flatMap((word) => fonts.word(word, bold).runs.flatMap((one) => one.glyphs))
      )
      assertTrue(glyphs.length > 0)
      deepStrictEqual(
        glyphs.filter(({ id }) => id === 0),
        []
      )
    })
  }

  it("puts the vowel sign before its letter and joins letters, as Devanagari requires", () => {
    const glyphs = (text: string) => fonts.word(text, false).runs.flatMap((one) => one.glyphs)
    deepStrictEqual(
      glyphs("कि").map(({ text }) => text),
      ["ि", "क"]
    )
    strictEqual(glyphs("क्ष").length, 1)
    strictEqual(glyphs("ष्ट्र").length, 1)
  })

  it("joins Arabic letters from right to left, together with their points", () => {
    const runs = fonts.word("محمد", false).runs
    deepStrictEqual(
      runs.map(({ text }) => text),
      ["محمد"]
    )
    deepStrictEqual(
      runs.flatMap((one) => one.glyphs.map(({ text }) => text)),
      ["د", "م", "ح", "م"]
    )
    const alone = fonts.word("م", false).runs.flatMap((one) => one.glyphs)
    const ids = runs.flatMap((one) => one.glyphs.map(({ id }) => id))
    assertTrue(alone.every(({ id }) => !ids.includes(id)))
  })

  it("keeps numbers and Latin letters in their order among text from right to left, and turns brackets", () => {
    const shown = (text: string) =>
      Typesetting.wrap(fonts, text, 100, { size: 1 })
        .flatMap(Typesetting.visualOrder)
        .flatMap(({ run }) => (run === null ? [] : [run.glyphs.map(({ text }) => text).join("")]))
    deepStrictEqual(shown("שלום12"), ["12", "םולש"])
    deepStrictEqual(shown("(שלום)"), ["(", "םולש", ")"])
    deepStrictEqual(shown("שלום/XL"), ["XL", "/", "םולש"])
    deepStrictEqual(shown("(12)"), ["(12)"])
  })

  it("sets the words of a line as a reader of its first letter expects", () => {
    const ordered = (text: string, levels: string) =>
      Bidi.visualOrder(Array.from(text, (letter, nth) => ({ letter, level: Number(levels[nth]) })))
        .map(({ letter }) => letter)
        .join("")
    strictEqual(ordered("aBC1d", "01120"), "a1CBd")
    strictEqual(ordered("ABcD", "1121"), "DcBA")
    const [line = { words: [], width: 0 }] = Typesetting.wrap(fonts, "Flat שלום עולם 7", 100, { size: 1 })
    deepStrictEqual(
      Typesetting.visualOrder(line).map(({ run }) => run?.text ?? " "),
      ["Flat", " ", "7", " ", "עולם", " ", "שלום"]
    )
  })

  const inkOf = async (bytes: Uint8Array, { size, text, width, x, y }: Piece): Promise<ReadonlyArray<number>> => {
    const scale = 4
    const page = await picture(bytes, 1, 72 * scale)
    const wide = width / text.length
    return Array.from(text, (_, nth) => {
      let ink = 0
      for (let row = Math.round((y - size * 0.2) * scale); row < (y + size * 0.9) * scale; row++) {
        for (let column = Math.round((x + nth * wide) * scale); column < (x + (nth + 1) * wide) * scale; column++) {
          if ((page.data[4 * ((page.height - row) * page.width + column)] ?? 255) < 128) ink++
        }
      }
      return ink
    })
  }

  for (const [script, name] of [
    ["Chinese", "北京市朝阳区建国路"],
    ["Japanese", "東京都港区芝公園さくらビル"],
    ["Korean", "서울특별시강남구김철수"]
  ] as const) {
    it(`prints ${script} in a font that the host adds`, async () => {
      const bytes = new Uint8Array(await readFile(new URL("./fixtures/DroidSansFallback-sample.ttf", import.meta.url)))
      const more = FontSet.make([...(await run(DocumentRendererNode.bundledFonts)), { bytes, bold: false }])
      const receiver = { ...buyer, name, lines: [] }
      const onLabel = await run(DocumentRendererPdf.labels(more, [label({ receiver })], "a6"))
      const onInvoice = await run(DocumentRendererPdf.invoices(more, [invoice({ buyer: receiver })], "a4"))
      for (const file of [onLabel, onInvoice]) {
        const shown = (await pieces(file)).find(({ text }) => text === name)
        assertTrue(shown !== undefined)
        const ink = await inkOf(file, shown)
        assertTrue(
          ink.every((pixels) => pixels > 25),
          ink.join()
        )
      }
    })
  }

  it("prints a phone number from left to right in any digits, and a parcel's contents in the order of the label", async () => {
    const receiver = { ...buyer, lines: [], phone: "+٩٦٦ ٥٠ ١٢٣" }
    const one = await labels([label({ receiver, contents: hebrewContents })], "a6")
    const shown = [...(await pieces(one))].sort((a, b) => a.x - b.x)
    const isOrdered = (texts: ReadonlyArray<string>) =>
      deepStrictEqual(
        shown.flatMap(({ text }) => texts.filter((one) => text.includes(one))),
        texts
      )
    isOrdered(["٩٦٦", "٥٠", "١٢٣"])
    isOrdered(["2 ×", "כובע", "(H-1);", "3 ×"])
  })

  it("draws nothing for a mark of direction, and joins the letters around it", () => {
    const shown = (text: string) => fonts.word(text, false).runs.map(({ glyphs, text }) => [text, glyphs.length])
    deepStrictEqual(shown("\u200fمح\u200fمد\u2069"), shown("محمد"))
    deepStrictEqual(shown("\u202dab\u202cc"), shown("abc"))
  })

  it("draws a visible mark for a character that no font has, and does not lose it", async () => {
    const word = fonts.word("日😀", false)
    deepStrictEqual(
      word.runs.flatMap((one) => one.glyphs.map(({ id }) => id)),
      [0, 0]
    )
    assertTrue(word.width > 0.5)
    deepStrictEqual(
      word.runs.map(({ spoken, text }) => [spoken, text]),
      [
        [true, "日"],
        [true, "😀"]
      ]
    )
    strictEqual((await texts(await labels([label({ courier: "日本😀" })], "a6"))).length, 1)
  })

  it("never fails, whatever the characters", async () => {
    const all = Array.from({ length: 700 }, (_, nth) => String.fromCodePoint(nth * 97 + 1))
    const odd = all.filter((one) => !/\p{Cs}/u.test(one)).join("")
    const bytes = await invoices([invoice({ lines: [line({ title: odd })], notes: ["\ud800 \u200d\u0301 क्‍"] })], "a4")
    assertTrue((await texts(bytes)).length >= 1)
  })
})

describe("an invoice", () => {
  for (const size of ["a4", "a6"] as const) {
    it(`on ${size} has parties, lines, taxes and totals`, async () => {
      const text = joined(await texts(await invoices([invoice()], size)))
      for (const part of [
        "Tax invoice",
        "INV-2026-000123",
        "21 Nov 2026",
        "Acme Retail Private Limited",
        "GSTIN 29AAAAA0000A1Z5",
        "A Customer",
        "MP674964020E8E174561",
        "a5c12dca80e743321740b001fd70953e8738d109865d28ba4013750f2046f229",
        "Cotton T-Shirt, blue",
        "610910",
        "499.00",
        "50.00",
        "882.15",
        "CGST 6% 52.92",
        "SGST 6% 52.93",
        "₹988.00",
        "Rupees Nine Hundred Eighty-Eight Only",
        "Page 1 of"
      ]) {
        assertInclude(text, part)
      }
    })

    it(`on ${size} has a QR code of 2,900 characters that a scanner reads`, async () => {
      const qrCode = qrText(2900)
      const bytes = await invoices([invoice({ qrCode })], size)
      const pages = await texts(bytes)
      deepStrictEqual(await codes(bytes, pages.length, 300), [`QRCode ${qrCode}`])
    })
  }

  it("has a small QR code as well, of any script", async () => {
    deepStrictEqual(await codes(await invoices([invoice({ qrCode: "बीजक ₹1" })], "a4")), ["QRCode बीजक ₹1"])
  })

  it("says so when the text does not fit into a QR code", async () => {
    const text = joined(await texts(await invoices([invoice({ qrCode: "क".repeat(2900) })], "a4")))
    assertInclude(text, "is not printed")
  })

  it("of 500 lines has all of them, its head of columns on every page, and its total on the last", async () => {
    for (const size of ["a4", "a6"] as const) {
      const lines = Array.from({ length: 500 }, (_, nth) => line({ title: `Article number ${nth + 1}.` }))
      const pages = await texts(await invoices([invoice({ lines })], size))
      const text = joined(pages)
      for (let nth = 1; nth <= 500; nth++) assertInclude(text, `Article number ${nth}.`)
      for (const page of pages.slice(0, -1)) assertInclude(page, "Description")
      assertInclude(joined(pages.slice(-1)), "₹4,94,000.00")
      assertInclude(joined(pages.slice(-1)), `Page ${pages.length} of ${pages.length}`)
    }
  })

  it("loses nothing of long names, addresses and serial numbers", async () => {
    const serials = Array.from({ length: 400 }, (_, nth) => `IMEI${nth}.`)
    const one = invoice({
      number: "N".repeat(2000),
      buyer: { ...buyer, name: "Long ".repeat(400), lines: ["Lane ".repeat(400)] },
      lines: [line({ title: "Title ".repeat(300), details: [serials.join(", ")] })]
    })
    for (const size of ["a4", "a6"] as const) {
      const text = joined(await texts(await invoices([one], size)))
      for (const serial of serials) assertInclude(text, serial)
      strictEqual(text.split("Title").length - 1, 300)
      strictEqual(text.split("Lane").length - 1, 400)
    }
  })

  it("of a service has no taxes, no codes, and negative amounts", async () => {
    const lines = [
      line({ title: "Plan growth", details: [], code: null, quantity: 1, rate: 499_900, discount: 0, charges: 0 }),
      line({ title: "Coupon", details: [], code: null, quantity: 1, rate: -49_990, discount: 0, charges: 0 })
    ].map((one) => ({ ...one, taxes: [], taxRate: null, total: one.rate }))
    const text = joined(await texts(await invoices([invoice({ title: "Invoice", taxNames: [], lines })], "a4")))
    assertInclude(text, "₹4,499.10")
    assertInclude(text, "−499.90")
    assertTrue(!text.includes("GST 6") && !text.includes("HSN") && !text.includes("Taxable"))
  })

  it("with the largest amounts stays within its page", async () => {
    const huge = 999_999_999_999_999
    const one = invoice({ lines: [line({ rate: huge, quantity: 1, discount: huge, charges: huge, total: huge })] })
    const { data, height, width } = await picture(await invoices([one], "a4"), 1, 72)
    let ink = 0
    for (let y = 0; y < height; y++) {
      for (let x = width - 30; x < width; x++) if ((data[4 * (y * width + x)] ?? 255) < 200) ink++
    }
    strictEqual(ink, 0)
  })
})

describe("rendering", () => {
  it("gives the same bytes for the same input, even from fonts that were used before", async () => {
    const fresh = FontSet.make(await run(DocumentRendererNode.bundledFonts))
    for (const size of ["a4", "a6"] as const) {
      const [one, other] = [
        await labels([label()], size),
        await run(DocumentRendererPdf.labels(fresh, [label()], size))
      ]
      assertTrue(Buffer.from(one).equals(other))
      const [first, second] = [
        await invoices([invoice({ qrCode: "x" })], size),
        await run(DocumentRendererPdf.invoices(fresh, [invoice({ qrCode: "x" })], size))
      ]
      assertTrue(Buffer.from(first).equals(second))
    }
  })

  it("starts every shipment on its own page, in order", async () => {
    const many = Array.from({ length: 20 }, (_, nth) => label({ awbNumbers: [`AWB-${nth}`] }))
    const pages = await texts(await labels(many, "a6"))
    strictEqual(pages.length, 20)
    pages.forEach((page, nth) => {
      assertInclude(page, `AWB-${nth}`)
    })
  })

  it("rejects more pages than its limit", async () => {
    const limits = { pages: 3, time: "1 minute" } as const
    const result = await run(Effect.result(DocumentRendererPdf.labels(fonts, Array(4).fill(label()), "a6", limits)))
    strictEqual(result._tag === "Failure" ? result.failure._tag : "Right", "DocumentTooLarge")
    strictEqual((await texts(await labels(Array(3).fill(label()), "a6", limits))).length, 3)
  })

  it("gives up when its time is over", async () => {
    const result = await run(
      Effect.result(
        DocumentRendererPdf.labels(fonts, Array(500).fill(label()), "a6", { pages: 1000, time: "1 millis" })
      )
    )
    strictEqual(result._tag === "Failure" ? result.failure._tag : "Right", "DocumentTooSlow")
  })
})
