/** Draws a PDF file with its pages and glyphs. The result doesn't depend on time, place or randomness. */
import * as Effect from "effect/Effect"
import { PDFDocument, PDFName, type PDFPage, type PDFRef, PDFString } from "pdf-lib"
import type { PrintSize } from "../../DocumentRenderer.ts"
import type { Face, FontSet, PlacedGlyph, Run, Subset } from "../FontSet.ts"

interface PageSize {
  readonly width: number
  readonly height: number
}

export const pageSizes: { readonly [Size in PrintSize]: PageSize } = {
  a4: { width: 595.28, height: 841.89 },
  a6: { width: 297.64, height: 419.53 }
}

/** A page. Positions are in points from the lower left corner. */
export interface Page {
  readonly width: number
  readonly height: number
  readonly operators: Array<string>
  readonly fonts: FontSet
  readonly text: (runs: ReadonlyArray<Run>, x: number, y: number, size: number) => void
}

export interface PdfFile {
  readonly pages: ReadonlyArray<Page>
  readonly addPage: (width: number, height: number) => Page
  readonly bytes: Effect.Effect<Uint8Array>
}

interface Embedded {
  readonly face: Face
  readonly subset: Subset
  readonly glyphs: Map<number, { readonly text: string; readonly natural: number }>
}

/** A number in the content of a page. It is rounded to thousandths, which are finer than any printer. */
export const point = (value: number): string => String(Math.round(value * 1000) / 1000)

const hex = (value: number, digits = 4): string => value.toString(16).padStart(digits, "0")

const utf16 = (text: string): string => Array.from({ length: text.length }, (_, i) => hex(text.charCodeAt(i))).join("")

const isOff = (ems: number): boolean => Math.abs(ems) > 0.0005

/** The text operators that draw glyphs. If a glyph doesn't directly follow the previous one, the pen is moved first. */
const drawn = (glyphs: ReadonlyArray<PlacedGlyph>, codeOf: (glyph: PlacedGlyph) => number, size: number): string => {
  const parts: Array<string> = []
  let codes = ""
  let pending = ""
  const flush = () => {
    if (codes !== "") pending += `<${codes}>`
    codes = ""
  }
  const show = () => {
    flush()
    if (pending !== "") parts.push(`[${pending}] TJ`)
    pending = ""
  }
  const move = (ems: number) => {
    flush()
    pending += point(-1000 * ems)
  }
  for (const glyph of glyphs) {
    if (isOff(glyph.rise)) {
      show()
      parts.push(`${point(glyph.rise * size)} Ts`)
    }
    if (isOff(glyph.shift)) move(glyph.shift)
    codes += hex(codeOf(glyph))
    const back = glyph.advance - glyph.natural - glyph.shift
    if (isOff(back)) move(back)
    if (isOff(glyph.rise)) {
      show()
      parts.push("0 Ts")
    }
  }
  show()
  return parts.join(" ")
}

/** Maps glyphs to their text, for searching and copying (PDF 32000-1, 9.10.3). */
const toUnicode = ({ glyphs }: Embedded): string => {
  const lines = [...glyphs].map(([code, { text }]) => `<${hex(code)}> <${utf16(text)}>`)
  const blocks = Array.from({ length: Math.ceil(lines.length / 100) }, (_, nth) => {
    const block = lines.slice(nth * 100, nth * 100 + 100)
    return `${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`
  })
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join("\n")}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
`
}

const thousandths = (face: Face, units: number): number => Math.round(units * face.scale * 1000)

const embed = (file: PDFDocument, one: Embedded): PDFRef => {
  const { face, glyphs } = one
  const { context } = file
  const { font } = face
  const isCff = font["CFF "] !== undefined
  const name = `CROSSD+${(font.postscriptName ?? "Font").replace(/[^A-Za-z0-9-]/g, "")}`
  const programRef = context.register(
    context.flateStream(one.subset.encode(), isCff ? { Subtype: "CIDFontType0C" } : {})
  )
  const descriptor = context.register(
    context.obj({
      Type: "FontDescriptor",
      FontName: name,
      Flags: 4,
      FontBBox: [font.bbox.minX, font.bbox.minY, font.bbox.maxX, font.bbox.maxY].map((_) => thousandths(face, _)),
      ItalicAngle: 0,
      Ascent: thousandths(face, font.ascent),
      Descent: thousandths(face, font.descent),
      CapHeight: thousandths(face, font.capHeight || font.ascent),
      StemV: face.bold ? 140 : 80,
      [isCff ? "FontFile3" : "FontFile2"]: programRef
    })
  )
  const widths = [...glyphs].flatMap(([code, { natural }]) => [code, [Math.round(natural * 1000)]])
  const descendant = context.register(
    context.obj({
      Type: "Font",
      Subtype: isCff ? "CIDFontType0" : "CIDFontType2",
      BaseFont: name,
      CIDSystemInfo: { Registry: PDFString.of("Adobe"), Ordering: PDFString.of("Identity"), Supplement: 0 },
      FontDescriptor: descriptor,
      W: widths,
      ...(isCff ? {} : { CIDToGIDMap: "Identity" })
    })
  )
  return context.register(
    context.obj({
      Type: "Font",
      Subtype: "Type0",
      BaseFont: name,
      Encoding: "Identity-H",
      DescendantFonts: [descendant],
      ToUnicode: context.register(context.flateStream(toUnicode(one)))
    })
  )
}

export const make = (fonts: FontSet, title: string): PdfFile => {
  const pages: Array<Page> = []
  const embedded = new Map<number, Embedded>()

  const embeddedOf = (face: Face): Embedded => {
    const known = embedded.get(face.index)
    if (known !== undefined) return known
    const made = { face, subset: face.font.createSubset(), glyphs: new Map() }
    embedded.set(face.index, made)
    return made
  }

  const run = ({ face, glyphs, spoken, text }: Run, size: number): string => {
    const { glyphs: used, subset } = embeddedOf(face)
    const codeOf = ({ id, natural, text }: PlacedGlyph): number => {
      const code = subset.includeGlyph(id)
      if (!used.has(code)) used.set(code, { text, natural })
      return code
    }
    const shown = drawn(glyphs, codeOf, size)
    const set = `/F${face.index} ${point(size)} Tf`
    return spoken ? `${set} /Span <</ActualText <feff${utf16(text)}>>> BDC ${shown} EMC` : `${set} ${shown}`
  }

  const bytes = Effect.gen(function* () {
    const file = yield* Effect.promise(() => PDFDocument.create({ updateMetadata: false }))
    file.setTitle(title)
    file.setProducer("Crossdock")
    const { context } = file
    const faces: Record<string, PDFRef> = {}
    for (const one of [...embedded.values()].sort((a, b) => a.face.index - b.face.index))
      faces[`F${one.face.index}`] = embed(file, one)
    const resources = context.register(context.obj({ Font: faces }))
    for (const { height, operators, width } of pages) {
      const page: PDFPage = file.addPage([width, height])
      const contents = context.register(context.flateStream(operators.join("\n")))
      page.node.set(PDFName.of("Contents"), contents)
      page.node.set(PDFName.of("Resources"), resources)
    }
    return yield* Effect.promise(() => file.save({ addDefaultPage: false, objectsPerTick: Number.POSITIVE_INFINITY }))
  })

  const addPage = (width: number, height: number): Page => {
    const operators: Array<string> = []
    const text: Page["text"] = (runs, x, y, size) => {
      if (runs.length === 0) return
      operators.push(`BT ${point(x)} ${point(y)} Td ${runs.map((one) => run(one, size)).join(" ")} ET`)
    }
    const page = { width, height, operators, fonts, text }
    pages.push(page)
    return page
  }

  return { pages, addPage, bytes }
}
