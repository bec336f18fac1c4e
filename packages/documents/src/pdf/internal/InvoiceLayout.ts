/** The layout of an invoice or credit note. The column headers are repeated on each page of the table. */
import * as Option from "effect/Option"
import * as AmountInWords from "../../AmountInWords.ts"
import type { DocumentParty } from "../../DocumentParty.ts"
import type { PrintSize } from "../../DocumentRenderer.ts"
import { dayText, type PrintedInvoice, type PrintedInvoiceLine, taxableOf, totalsOf } from "../../PrintedInvoice.ts"
import * as Bidi from "./Bidi.ts"
import { drawColumns, type Flow, flow, heightOf, leading, type Row, rowsOf, type TextColumn } from "./Flow.ts"
import type { PdfFile } from "./PdfFile.ts"
import { type Align, drawLine, drawText, fill, placeQr, rule, widthOf, wrap, wrapAtMost } from "./Typesetting.ts"

interface Measures {
  readonly margin: number
  readonly body: number
  readonly small: number
  readonly title: number
  readonly code: number
}

const measures: { readonly [Size in PrintSize]: Measures } = {
  a4: { margin: 40, body: 8.2, small: 6.6, title: 17, code: 215 },
  a6: { margin: 16, body: 6.4, small: 5.4, title: 11.5, code: 215 }
}

/** The rounding error of summed widths in points. This error must not break a text that just fits. */
const fuzz = 0.01
const gray = 0.35

interface Cell {
  readonly text: string
  readonly bold?: boolean
}

interface Column {
  readonly title: string
  readonly align: Align
  /** The largest fraction of the page's width. Without it, the column takes the width that it needs. */
  readonly widest?: number
  readonly cells: (line: PrintedInvoiceLine, nth: number) => ReadonlyArray<string>
}

const percent = (value: number): string => `${Math.round(value * 1000) / 1000}%`

const taxCells = (invoice: PrintedInvoice, line: PrintedInvoiceLine): ReadonlyArray<string> =>
  (line.taxNames ?? invoice.taxNames).map((name, _, own) => {
    const amount = AmountInWords.figures(line.taxes[invoice.taxNames.indexOf(name)] ?? 0, invoice.currency)
    const rate = line.taxRate === null ? "" : ` ${percent(line.taxRate / own.length)}`
    return `${name}${rate}  ${amount}`
  })

const codeNameOf = ({ codeName = "HSN/SAC" }: PrintedInvoice): string => codeName

const figuresIn =
  ({ currency }: PrintedInvoice) =>
  (minor: number): string =>
    AmountInWords.figures(minor, currency)

/** The columns for the lines of an invoice. On A6, some values are in the description instead. */
const columnsOf = (invoice: PrintedInvoice, size: PrintSize): ReadonlyArray<Column> => {
  const figures = figuresIn(invoice)
  const isFull = size === "a4"
  const isTaxed = isFull && invoice.taxNames.length > 0
  const hasCodes = isFull && invoice.lines.some(({ code }) => code !== null)
  const hasDiscounts = isFull && invoice.lines.some(({ discount }) => discount !== 0)
  const columns: ReadonlyArray<readonly [isShown: boolean, column: Column]> = [
    [hasCodes, { title: codeNameOf(invoice), align: "left", widest: 0.16, cells: ({ code }) => [code ?? ""] }],
    [true, { title: "Qty", align: "right", cells: ({ quantity }) => [String(quantity)] }],
    [isFull, { title: "Rate", align: "right", cells: ({ rate }) => [figures(rate)] }],
    [hasDiscounts, { title: "Discount", align: "right", cells: ({ discount }) => [figures(discount)] }],
    [isTaxed, { title: "Taxable", align: "right", cells: (line) => [figures(taxableOf(line))] }],
    [isTaxed, { title: "Tax", align: "right", widest: 0.3, cells: (line) => taxCells(invoice, line) }],
    [true, { title: "Amount", align: "right", cells: ({ total }) => [figures(total)] }]
  ]
  return columns.flatMap(([isShown, column]) => (isShown ? [column] : []))
}

const detailsOf = (invoice: PrintedInvoice, line: PrintedInvoiceLine, size: PrintSize): ReadonlyArray<string> => {
  const figures = figuresIn(invoice)
  const charges = line.charges === 0 ? [] : [`Delivery ${figures(line.charges)}`]
  if (size === "a4") return [...line.details, ...charges]
  return [
    ...line.details,
    [
      ...(line.code === null ? [] : [`${codeNameOf(invoice)} ${line.code}`]),
      `Rate ${figures(line.rate)}`,
      ...(line.discount === 0 ? [] : [`Discount ${figures(line.discount)}`]),
      ...charges
    ].join(" · "),
    ...(invoice.taxNames.length === 0
      ? []
      : [[`Taxable ${figures(taxableOf(line))}`, ...taxCells(invoice, line)].join(" · ")])
  ]
}

const partyTexts = (party: DocumentParty): ReadonlyArray<Cell> => [
  { text: party.name, bold: true },
  ...party.lines.map((text) => ({ text })),
  ...(party.phone === null ? [] : [{ text: `Phone ${Bidi.leftToRight(party.phone)}` }]),
  ...(party.taxNumber === null ? [] : [{ text: `${party.taxNumber.name} ${party.taxNumber.value}`, bold: true }])
]

const drawHead = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const { body, small, title } = measures[size]
  const half = on.width * 0.48
  const right = { x: on.right, width: half, align: "right" } as const
  drawColumns(on, [
    rowsOf(on, invoice.title, { x: on.left, width: half }, { size: title, bold: true }, 1),
    [
      ...rowsOf(on, "NUMBER", right, { size: small * 0.9, bold: true, gray }, 1.1),
      ...rowsOf(on, invoice.number, right, { size: body * 1.2, bold: true }, 1.2),
      ...rowsOf(on, dayText(invoice.date), right, { size: body }, 1.5)
    ]
  ])
  on.down(body * 0.8)
  rule(on.page(), on.left, on.y(), on.width, 1.2)
  on.down(body * 0.6)
}

const drawParties = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const { body, small } = measures[size]
  const parties = [
    { caption: "SOLD BY", party: invoice.seller },
    { caption: "BILL TO", party: invoice.buyer },
    ...(invoice.shipTo === null ? [] : [{ caption: "SHIP TO", party: invoice.shipTo }])
  ]
  const gap = body * 1.4
  const width = (on.width - gap * (parties.length - 1)) / parties.length
  on.need(small * 1.2 + body * leading)
  drawColumns(
    on,
    parties.map(({ caption, party }, nth) => {
      const place = { x: on.left + nth * (width + gap), width }
      return [
        ...rowsOf(on, caption, place, { size: small * 0.9, bold: true, gray }),
        ...partyTexts(party).flatMap(({ bold = false, text }) => rowsOf(on, text, place, { size: body, bold }))
      ]
    })
  )
  on.down(body * 0.9)
}

/** Draws references. Short ones are in columns. Long ones, such as an IRN with its 64 characters, have the whole width. */
const drawReferences = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const { body, small } = measures[size]
  const across = size === "a4" ? 4 : 3
  const wide = on.width / across
  const style = { size: body }
  const captionStyle = { size: small * 0.9, bold: true, gray }
  type Reference = PrintedInvoice["references"][number]
  const isLong = ({ name, value }: Reference) =>
    Math.max(widthOf(on.fonts, value, style), widthOf(on.fonts, name.toUpperCase(), captionStyle)) > wide - body
  const drawnAt = ({ name, value }: Reference, place: TextColumn) => [
    ...rowsOf(on, name.toUpperCase(), place, captionStyle),
    ...rowsOf(on, value, place, style)
  ]
  const short = invoice.references.filter((one) => !isLong(one))
  if (invoice.references.length > 0) rule(on.page(), on.left, on.y(), on.width, 0.4, 0.6)
  const drawAcross = (some: ReadonlyArray<Reference>, width: number) => {
    on.need(small + body * 2.2)
    on.down(small * 0.6)
    const columns = some.map((one, nth) => drawnAt(one, { x: on.left + nth * width, width }))
    drawColumns(on, columns)
  }
  for (let at = 0; at < short.length; at += across) drawAcross(short.slice(at, at + across), wide)
  for (const one of invoice.references.filter(isLong)) drawAcross([one], on.width)
  on.down(body * 1.1)
}

const drawContinued = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const { small } = measures[size]
  const style = { size: small, gray }
  const [line] = wrapAtMost(on.fonts, `${invoice.title} ${invoice.number}`, on.width, style, 1)
  on.down(small)
  if (line !== undefined) drawLine(on.page(), line, on.left, on.y(), style)
  on.down(small)
}

/** Measures the columns. If too little is left for the description, the whole table gets smaller text. */
const measureTable = (on: Flow, invoice: PrintedInvoice, columns: ReadonlyArray<Column>, largest: number) => {
  const least = on.width * 0.3
  const tries = [1, 0.88, 0.76, 0.66, 0.55].map((factor) => {
    const style = { size: largest * factor }
    const numbers = widthOf(on.fonts, `${invoice.lines.length}`, style) + style.size * 0.9
    const widths = columns.map(({ cells, title, widest = 1 }) => {
      const texts = new Set(invoice.lines.flatMap(cells))
      const wide = [...texts].map((text) => widthOf(on.fonts, text, style))
      const needed = Math.max(widthOf(on.fonts, title, { ...style, bold: true }), ...wide)
      return Math.min(needed + style.size * 1.1, on.width * widest)
    })
    const description = on.width - numbers - widths.reduce((sum, one) => sum + one, 0)
    return { size: style.size, numbers, widths, description }
  })
  const found = tries.find(({ description }) => description >= least) ?? tries.at(-1)
  return found ?? { size: largest, numbers: 0, widths: [], description: on.width }
}

const drawTable = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const columns = columnsOf(invoice, size)
  const { description, numbers, size: body, widths } = measureTable(on, invoice, columns, measures[size].body)
  const style = { size: body }
  const small = { size: body * 0.84, gray }
  const lefts = widths.map(
    (_, nth) => on.left + numbers + description + widths.slice(0, nth).reduce((a, b) => a + b, 0)
  )
  const place = ({ align }: Column, nth: number): number => {
    const left = lefts[nth] ?? 0
    return align === "right" ? left + (widths[nth] ?? 0) - body * 0.5 : left + body * 0.6
  }
  const heading = () => {
    const high = body * 1.9
    fill(on.page(), on.left, on.y() - high, on.width, high, 0.92)
    on.down(body * 1.28)
    const bold = { ...style, bold: true }
    drawText(on.page(), "#", on.left + body * 0.3, on.y(), bold)
    drawText(on.page(), "Description", on.left + numbers, on.y(), bold)
    columns.forEach((column, nth) => {
      drawText(on.page(), column.title, place(column, nth), on.y(), bold, column.align)
    })
    on.down(high - body * 1.28)
  }
  on.need(body * 6)
  heading()
  on.repeat(() => {
    drawContinued(on, invoice, size)
    heading()
  })
  invoice.lines.forEach((line, nth) => {
    const titles = wrap(on.fonts, line.title, description - body * 0.8, style).map((one) => ({ line: one, style }))
    const room = size === "a6" ? on.width - numbers : description - body * 0.8
    const more = detailsOf(invoice, line, size).flatMap((text) =>
      wrap(on.fonts, text, room, small).map((one) => ({ line: one, style: small }))
    )
    const texts = [...titles, ...more]
    const cells = columns.map((column, at) =>
      column.cells(line, nth).flatMap((text) => wrap(on.fonts, text, (widths[at] ?? 0) - body * 1.1 + fuzz, style))
    )
    const rows = Math.max(texts.length, ...cells.map(({ length }) => length))
    on.need(Math.min(rows, 4) * body * leading + body)
    on.down(body * 0.45)
    for (let row = 0; row < rows; row++) {
      on.need(body * leading)
      on.down(body * leading)
      const text = texts[row]
      if (row === 0) drawText(on.page(), String(nth + 1), on.left + body * 0.3, on.y(), style)
      if (text !== undefined) drawLine(on.page(), text.line, on.left + numbers, on.y(), text.style)
      columns.forEach((column, at) => {
        const value = cells[at]?.[row]
        if (value !== undefined) drawLine(on.page(), value, place(column, at), on.y(), style, column.align)
      })
    }
    on.down(body * 0.55)
    rule(on.page(), on.left, on.y(), on.width, 0.4, 0.75)
  })
  on.repeat(() => drawContinued(on, invoice, size))
}

const drawTotals = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const { body, code } = measures[size]
  const { currency, taxNames } = invoice
  const figures = figuresIn(invoice)
  const { charges, discount, gross, taxable, taxes, total: sum } = totalsOf(invoice)
  const named: ReadonlyArray<readonly [isShown: boolean, name: string, value: string]> = [
    [discount !== 0 || charges !== 0, "Gross", figures(gross)],
    [discount !== 0, "Discount", `−${figures(discount)}`],
    [charges !== 0, "Delivery", figures(charges)],
    [taxNames.length > 0, "Taxable value", figures(taxable)],
    ...taxNames.map((name, nth) => [true, name, figures(taxes[nth] ?? 0)] as const)
  ]
  const total = AmountInWords.money(sum, currency)
  const totalStyle = { size: body * 1.45, bold: true }
  const wide = Math.min(
    on.width,
    Math.max(on.width * 0.36, widthOf(on.fonts, total, totalStyle) + widthOf(on.fonts, "Total", totalStyle) + body * 4)
  )
  const left = on.right - wide
  const bar = totalStyle.size * 1.8
  const sums: ReadonlyArray<Row> = [
    ...named.flatMap(([isShown, name, value]) => {
      const room = wide - widthOf(on.fonts, value, { size: body }) - body * 2.4
      const [first, ...more] = rowsOf(on, name, { x: left + body * 0.6, width: room }, { size: body }, 1.5)
      if (!isShown || first === undefined) return []
      const draw: Row["draw"] = (page, y) => {
        first.draw(page, y)
        drawText(page, value, on.right - body * 0.6, y, { size: body }, "right")
      }
      return [{ ...first, draw }, ...more]
    }),
    {
      height: bar + body * 0.6,
      draw: (page, y) => {
        fill(page, left, y, wide, bar, 0.92)
        drawText(page, "Total", left + body * 0.6, y + bar * 0.34, totalStyle)
        drawText(page, total, on.right - body * 0.6, y + bar * 0.34, totalStyle, "right")
      }
    }
  ]
  const wordsWidth = on.width - wide - body * 2
  const beside = wordsWidth > on.width * 0.3
  const wordsPlace = { x: on.left, width: beside ? wordsWidth : on.width }
  const words = [
    ...rowsOf(on, "AMOUNT IN WORDS", wordsPlace, { size: body * 0.75, bold: true, gray }, 1.6),
    ...rowsOf(on, AmountInWords.words(sum, currency), wordsPlace, { size: body, bold: true })
  ]
  const [high, wordsHigh] = [heightOf(sums), heightOf(words)]
  on.need((beside ? Math.max(high, wordsHigh) : high + wordsHigh) + body * 1.6)
  on.down(body * 0.6)
  if (beside) drawColumns(on, [words, sums])
  else {
    drawColumns(on, [sums])
    drawColumns(on, [words])
  }
  on.down(body)
  drawCode(on, invoice, code, body)
  for (const note of invoice.notes)
    drawColumns(on, [rowsOf(on, note, { x: on.left, width: on.width }, { size: body * 0.9 })])
}

const drawCode = (on: Flow, invoice: PrintedInvoice, most: number, body: number): void => {
  if (invoice.qrCode === null || invoice.qrCode === "") return
  const placed = placeQr(invoice.qrCode, 76, most)
  if (Option.isSome(placed)) {
    on.need(placed.value.side + body)
    placed.value.draw(on.page(), on.left, on.y())
    on.down(placed.value.side + body * 0.4)
    return
  }
  const text = "The invoice's QR code is longer than a QR code can be and is not printed."
  drawColumns(on, [rowsOf(on, text, { x: on.left, width: on.width }, { size: body, bold: true })])
}

const drawFeet = (on: Flow, invoice: PrintedInvoice, size: PrintSize): void => {
  const { margin, small } = measures[size]
  const style = { size: small, gray }
  const pages = on.pages()
  pages.forEach((page, nth) => {
    const number = `Page ${nth + 1} of ${pages.length}`
    const room = on.width - widthOf(on.fonts, number, style) - small * 2
    const [line] = wrapAtMost(on.fonts, `${invoice.title} ${invoice.number}`, room, style, 1)
    rule(page, on.left, margin + small * 1.3, on.width, 0.4, 0.75)
    if (line !== undefined) drawLine(page, line, on.left, margin, style)
    drawText(page, number, on.right, margin, style, "right")
  })
}

export const draw = (file: PdfFile, invoice: PrintedInvoice, size: PrintSize): void => {
  const { margin, small } = measures[size]
  const on = flow(file, size, margin, margin + small * 2.4)
  drawHead(on, invoice, size)
  drawParties(on, invoice, size)
  drawReferences(on, invoice, size)
  drawTable(on, invoice, size)
  drawTotals(on, invoice, size)
  drawFeet(on, invoice, size)
}
