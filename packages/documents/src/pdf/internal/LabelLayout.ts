/** The layout of a shipping label for A6 and 4×6 inches. On A4 it takes two thirds of the height, above its contents. */
import * as AmountInWords from "../../AmountInWords.ts"
import type { DocumentParty } from "../../DocumentParty.ts"
import type { PrintSize } from "../../DocumentRenderer.ts"
import { dayText } from "../../PrintedInvoice.ts"
import { codesOf, type ShippingLabel } from "../../ShippingLabel.ts"
import type { FontSet } from "../FontSet.ts"
import * as Bidi from "./Bidi.ts"
import { type Page, type PdfFile, pageSizes } from "./PdfFile.ts"
import type { Line, Style } from "./Typesetting.ts"
import { drawCode, drawLine, drawText, fill, frame, rule, widthOf, wrap, wrapAtMost } from "./Typesetting.ts"

interface Frame {
  readonly x: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly scale: number
}

/** The position of the label. A printer for 4×6 inches cuts off 4.8 points at the left and right of a centered A6 page. */
const frames: { readonly [Size in PrintSize]: Frame } = {
  a6: { x: 14, top: 407, width: 269.64, height: 395, scale: 1 },
  a4: { x: 42, top: 801, width: 511.28, height: 560, scale: 1.5 }
}

const boxWidth = 104

const captionStyle = (scale: number): Style => ({ size: 5.8 * scale, bold: true, gray: 0.35 })

interface Block {
  readonly lines: ReadonlyArray<{ readonly line: Line; readonly style: Style }>
  readonly height: number
}

interface Cut {
  readonly name: string
  readonly texts: ReadonlyArray<string>
}

const leading = 1.24

const block = (
  fonts: FontSet,
  texts: ReadonlyArray<{ readonly text: string; readonly style: Style }>,
  width: number
): Block => {
  const lines = texts.flatMap(({ style, text }) => wrap(fonts, text, width, style).map((line) => ({ line, style })))
  return { lines, height: lines.reduce((sum, { style }) => sum + style.size * leading, 0) }
}

const partyTexts = (party: DocumentParty, size: number) => [
  { text: party.name, style: { size: size * 1.18, bold: true } },
  ...party.lines.map((text) => ({ text, style: { size } })),
  ...(party.phone === null ? [] : [{ text: `Phone ${Bidi.leftToRight(party.phone)}`, style: { size } }])
]

const sizes = [10.5, 9.5, 8.5, 7.5, 6.5, 5.5, 4.5]

/**
 * Fits a party's text into a box, in the largest possible size. If it fits in none, its longest texts are cut and end with an
 * ellipsis. So the texts after a long street remain, such as the postal code.
 */
const fitted = (fonts: FontSet, party: DocumentParty, width: number, height: number, largest: number) => {
  const tries = sizes.map((size) => block(fonts, partyTexts(party, (size / 10.5) * largest), width))
  const fitting = tries.find((one) => one.height <= height)
  if (fitting !== undefined) return { lines: fitting.lines, isCut: false }
  const size = (Math.min(...sizes) / 10.5) * largest
  const texts = partyTexts(party, size).map((one) => ({ ...one, rows: wrap(fonts, one.text, width, one.style).length }))
  const heightOf = (most: number) =>
    texts.reduce((sum, { rows, style }) => sum + Math.min(rows, most) * style.size * leading, 0)
  let most = Math.floor(height / (size * leading))
  while (most > 1 && heightOf(most) > height) most--
  const lines = texts.flatMap(({ style, text }) =>
    wrapAtMost(fonts, text, width, style, most).map((line) => ({ line, style }))
  )
  // A party may have more texts than the box has lines.
  let room = height
  const kept = lines.filter(({ style }) => {
    room -= style.size * leading
    return room >= 0
  })
  const dots = kept.length === lines.length ? [] : wrap(fonts, "…", width, { size })
  return {
    lines: [...kept.slice(0, kept.length - dots.length), ...dots.map((line) => ({ line, style: { size } }))],
    isCut: true
  }
}

const weightText = (grams: number | null): string =>
  grams === null ? "–" : `${Math.round(grams * 1000) / 1_000_000} kg`

const paymentOf = (label: ShippingLabel, nth: number): { readonly title: string; readonly amount: string | null } => {
  if (label.journey === "return") return { title: "RETURN", amount: null }
  if (label.collect === null) return { title: "PREPAID", amount: null }
  // The cash for all parcels is collected once, with the first parcel.
  if (nth > 0) return { title: "COD", amount: "with parcel 1" }
  return { title: "COD", amount: AmountInWords.money(label.collect, label.currency) }
}

const articleText = ({ sku, title }: ShippingLabel["contents"][number]): string =>
  `${Bidi.isolated(title)} (${Bidi.isolated(sku)})`

const contentsText = (label: ShippingLabel): string =>
  label.contents.map((content) => `${content.quantity} × ${articleText(content)}`).join("; ")

type Code = ReturnType<typeof codesOf>[number]

/** The state of drawing a label. `cut` collects the texts that didn't fit. `inner` is the width within the padding. */
interface Drawing {
  readonly page: Page
  readonly label: ShippingLabel
  readonly nth: number
  readonly code: Code
  readonly frame: Frame
  readonly pad: number
  readonly inner: number
  readonly cut: Array<Cut>
}

const atMost = ({ cut, page }: Drawing, name: string, text: string, room: number, style: Style, rows: number) => {
  if (wrap(page.fonts, text, room, style).length > rows) cut.push({ name, texts: [text] })
  return wrapAtMost(page.fonts, text, room, style, rows)
}

/** Draws a party under its caption in a box; `largest` is the size of its text if all of it fits. */
const drawParty = (
  { cut, frame: { scale, x }, pad, page }: Drawing,
  caption: string,
  party: DocumentParty,
  box: { readonly top: number; readonly width: number; readonly height: number },
  largest: number
): void => {
  drawText(page, caption, x + pad, box.top - 10 * scale, captionStyle(scale))
  const { isCut, lines } = fitted(page.fonts, party, box.width, box.height - 17 * scale, largest * scale)
  if (isCut) cut.push({ name: caption, texts: partyTexts(party, 1).map(({ text }) => text) })
  let y = box.top - 13 * scale
  for (const { line, style } of lines) {
    y -= style.size * leading
    drawLine(page, line, x + pad, y + style.size * 0.28, style)
  }
}

const drawPayment = ({ frame: { scale, top, width, x }, label, nth, page }: Drawing, head: number): void => {
  const payment = paymentOf(label, nth)
  const box = boxWidth * scale
  fill(page, x + width - box, top - head, box, head, payment.title === "COD" ? 0 : 0.9)
  const onBox = { bold: true, gray: payment.title === "COD" ? 1 : 0 }
  const middle = x + width - box / 2
  if (payment.amount === null) {
    const title = { size: 15 * scale, ...onBox }
    drawText(page, payment.title, middle, top - head / 2 - 5.2 * scale, title, "center")
    return
  }
  drawText(page, payment.title, middle, top - 14 * scale, { size: 10 * scale, ...onBox }, "center")
  const amount = wrapAtMost(page.fonts, payment.amount, Number.POSITIVE_INFINITY, { size: 14, bold: true }, 1)[0]
  const fits = Math.min(14 * scale, ((box - 8) / Math.max(1, amount?.width ?? 1)) * 14)
  drawText(page, payment.amount, middle, top - 30 * scale, { size: fits, ...onBox }, "center")
}

const drawCourier = (drawing: Drawing): void => {
  const { frame, inner, label, pad, page } = drawing
  const { scale, top, x } = frame
  drawText(page, "COURIER", x + pad, top - 11 * scale, captionStyle(scale))
  const style = { size: 13 * scale, bold: true }
  const room = inner - boxWidth * scale
  const courier = atMost(drawing, "COURIER", label.courier ?? "Not assigned yet", room, style, 1)[0]
  if (courier !== undefined) drawLine(page, courier, x + pad, top - 28 * scale, style)
}

const drawScanCode = (drawing: Drawing, top: number): void => {
  const { code, frame, inner, label, nth, page } = drawing
  const { scale, width, x } = frame
  const parcels = label.awbNumbers.length > 1 ? `   ·   PARCEL ${nth + 1} OF ${label.awbNumbers.length}` : ""
  drawText(page, `${code.name}${parcels}`, x + width / 2, top - 10 * scale, captionStyle(scale), "center")
  drawCode(page, code.text, x + 4, top - 72 * scale, width - 8, 57 * scale, 1.7 * scale)
  const style = { size: 13 * scale, bold: true }
  const short = wrap(page.fonts, code.text, inner, style)
  if (short.length === 1 && short[0] !== undefined) {
    drawLine(page, short[0], x + width / 2, top - 87 * scale, style, "center")
    return
  }
  const small = { size: 6 * scale }
  atMost(drawing, code.name, code.text, inner, small, 2).forEach((line, row) => {
    drawLine(page, line, x + width / 2, top - (82 + row * 7.5) * scale, small, "center")
  })
}

const factsOf = (label: ShippingLabel) => [
  [
    ["ORDER", label.orderNumber],
    ["SHIPMENT", label.shipmentId]
  ],
  [
    ["ORDER DATE", dayText(label.orderDate)],
    ["WEIGHT", weightText(label.weightGrams)],
    ["PACKAGES", String(label.packages)]
  ]
]

const drawFacts = (drawing: Drawing, top: number): void => {
  const { frame, inner, label, pad, page } = drawing
  const { scale, x } = frame
  factsOf(label).forEach((row, line) => {
    const wide = inner / row.length
    row.forEach(([name = "", value = ""], column) => {
      const left = x + pad + column * wide
      drawText(page, name, left, top - (9.5 + line * 26) * scale, captionStyle(scale))
      const style = { size: 8.5 * scale, bold: true }
      const fitting = [8.5, 7.5, 6.5]
        .map((one) => ({ ...style, size: one * scale }))
        .find((one) => wrap(page.fonts, value, wide - 4, one).length === 1)
      const used = fitting ?? { ...style, size: 5.5 * scale }
      atMost(drawing, name, value, wide - 4, used, 2).forEach((text, row) => {
        drawLine(page, text, left, top - (19.5 + line * 26) * scale - row * used.size * 1.1, used)
      })
    })
  })
}

const drawContents = ({ label, page }: Drawing, x: number, top: number, width: number, height: number): void => {
  drawText(page, "CONTENTS", x, top - 10, captionStyle(1))
  const style = { size: 6.2 }
  const rows = Math.floor((height - 18) / (style.size * leading))
  wrapAtMost(page.fonts, contentsText(label), width, style, rows).forEach((line, row) => {
    drawLine(page, line, x, top - 19 - row * style.size * leading, style)
  })
}

const drawLabel = (file: PdfFile, label: ShippingLabel, nth: number, code: Code, size: PrintSize): void => {
  const { height, scale, top, width, x } = frames[size]
  const page = file.addPage(pageSizes[size].width, pageSizes[size].height)
  const pad = 7 * scale
  const inner = width - 2 * pad
  const drawing: Drawing = { page, label, nth, code, frame: frames[size], pad, inner, cut: [] }
  frame(page, x, top - height, width, height, 1)

  const head = 38 * scale
  drawPayment(drawing, head)
  drawCourier(drawing)
  rule(page, x, top - head, width, 0.8)

  const codeTop = top - head
  const codeHeight = 96 * scale
  drawScanCode(drawing, codeTop)
  rule(page, x, codeTop - codeHeight, width, 0.8)

  // The receiver's address gets the remaining height.
  const facts = 56 * scale
  const from = (size === "a6" ? 84 : 76) * scale
  const toTop = codeTop - codeHeight
  const toHeight = height - head - codeHeight - facts - from
  const isReturn = label.journey === "return"
  const to = { top: toTop - scale, width: inner, height: toHeight }
  drawParty(drawing, isReturn ? "RETURN TO" : "SHIP TO", label.receiver, to, 10.5)
  rule(page, x, toTop - toHeight, width)

  const factsTop = toTop - toHeight
  drawFacts(drawing, factsTop)
  rule(page, x, factsTop - facts, width)

  const fromTop = factsTop - facts
  const half = size === "a6" ? inner * 0.52 : inner
  const sender = { top: fromTop, width: half - 6, height: from }
  drawParty(drawing, isReturn ? "PICKED UP FROM" : "FROM", label.sender, sender, 7)
  if (size === "a6") drawContents(drawing, x + pad + half, fromTop, width - pad * 2 - half, from)
  else drawBelow(file, drawing)
}

/** Draws the contents, and the texts that didn't fit on the label. It uses as many sheets as needed. */
const drawBelow = (file: PdfFile, { cut, frame: { height, top, width, x }, label, page: first }: Drawing): void => {
  let page = first
  let y = top - height - 30
  const style = { size: 8.5 }
  const heading = (text: string) => {
    const title = { size: 11, bold: true }
    const order = { size: 8, gray: 0.35 }
    drawText(page, text, x, y, title)
    const room = width - widthOf(page.fonts, text, title) - 20
    const [line] = wrapAtMost(page.fonts, `Order ${label.orderNumber}`, room, order, 1)
    if (line !== undefined) drawLine(page, line, x + width, y, order, "right")
    rule(page, x, y - 6, width, 0.8)
    y -= 19
  }
  /** Draws rows, with the text `beside` to the left of the first row. A new sheet repeats the heading `under`. */
  const list = (under: string, beside: string, text: string, indent: number) => {
    wrap(page.fonts, text, width - indent - 16, style).forEach((line, row) => {
      if (y < 46) {
        page = file.addPage(pageSizes.a4.width, pageSizes.a4.height)
        y = 790
        heading(under)
      }
      if (row === 0) drawText(page, beside, x + indent, y, { ...style, bold: true }, "right")
      drawLine(page, line, x + indent + 8, y, style)
      y -= style.size * 1.35
    })
    y -= 3
  }
  const indentOf = (least: number, names: ReadonlyArray<string>) =>
    Math.max(least, ...names.map((name) => widthOf(page.fonts, name, { ...style, bold: true })))

  heading("Contents")
  const counts = label.contents.map(({ quantity }) => `${quantity} ×`)
  const indent = indentOf(34, counts)
  label.contents.forEach((content, nth) => {
    list("Contents", counts[nth] ?? "", articleText(content), indent)
  })
  if (cut.length === 0) return
  y -= 16
  // If only the heading fits at the bottom of the sheet, it is drawn on the next sheet.
  if (y < 80) y = 0
  else heading("In full")
  const names = cut.map(({ name }) => name)
  const wide = indentOf(34, names)
  for (const { name, texts } of cut)
    texts.forEach((text, nth) => {
      list("In full", nth === 0 ? name : "", text, wide)
    })
}

export const draw = (file: PdfFile, label: ShippingLabel, size: PrintSize): void => {
  for (const [nth, code] of codesOf(label).entries()) drawLabel(file, label, nth, code, size)
}
