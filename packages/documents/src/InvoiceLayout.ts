/**
 * An invoice or a credit note: who, what, taxes, totals. It goes over as many pages as it needs, with its head of columns
 * on each; nothing is left out.
 */
import {
  type DocumentParty,
  dayText,
  type PrintSize,
  type TaxInvoice,
  type TaxInvoiceLine,
  taxableOf,
  totalsOf
} from "@crossdock/shipments"
import * as Option from "effect/Option"
import * as AmountInWords from "./AmountInWords.ts"
import { pageSizes } from "./PageSize.ts"
import type { Page, PdfFile } from "./PdfFile.ts"
import {
  type Align,
  drawLine,
  drawText,
  fill,
  type Line,
  placeQr,
  rule,
  type Style,
  widthOf,
  wrap
} from "./Typesetting.ts"

interface Measures {
  readonly margin: number
  readonly body: number
  readonly small: number
  readonly title: number
  /** A QR code's side at most. */
  readonly code: number
}

const measures: { readonly [Size in PrintSize]: Measures } = {
  a4: { margin: 40, body: 8.2, small: 6.6, title: 17, code: 215 },
  a6: { margin: 16, body: 6.4, small: 5.4, title: 11.5, code: 215 }
}

const leading = 1.32
const gray = 0.35

interface Cell {
  readonly text: string
  readonly bold?: boolean
}

interface Column {
  readonly title: string
  readonly align: Align
  /** One line of text each. */
  readonly cells: (line: TaxInvoiceLine, nth: number) => ReadonlyArray<string>
}

const percent = (value: number): string => `${Math.round(value * 1000) / 1000}%`

const taxCells = (invoice: TaxInvoice, line: TaxInvoiceLine): ReadonlyArray<string> =>
  invoice.taxNames.map((name, nth) => {
    const amount = AmountInWords.figures(line.taxes[nth] ?? 0, invoice.currency)
    const rate = line.taxRate === null ? "" : ` ${percent(line.taxRate / invoice.taxNames.length)}`
    return `${name}${rate}  ${amount}`
  })

/**
 * A4 has a column for everything; on A6 the description says what has none.
 */
const columnsOf = (invoice: TaxInvoice, size: PrintSize): ReadonlyArray<Column> => {
  const figures = (minor: number) => AmountInWords.figures(minor, invoice.currency)
  const quantity: Column = { title: "Qty", align: "right", cells: ({ quantity }) => [String(quantity)] }
  const amount: Column = { title: "Amount", align: "right", cells: ({ total }) => [figures(total)] }
  const taxed = invoice.taxNames.length > 0
  if (size === "a6") return [quantity, amount]
  return [
    ...(invoice.lines.some(({ code }) => code !== null)
      ? [{ title: "HSN/SAC", align: "left", cells: ({ code }) => [code ?? ""] } satisfies Column]
      : []),
    quantity,
    { title: "Rate", align: "right", cells: ({ rate }) => [figures(rate)] },
    ...(invoice.lines.some(({ discount }) => discount !== 0)
      ? [{ title: "Discount", align: "right", cells: ({ discount }) => [figures(discount)] } satisfies Column]
      : []),
    ...(taxed
      ? [
          { title: "Taxable", align: "right", cells: (line) => [figures(taxableOf(line))] } satisfies Column,
          { title: "Tax", align: "right", cells: (line) => taxCells(invoice, line) } satisfies Column
        ]
      : []),
    amount
  ]
}

const detailsOf = (invoice: TaxInvoice, line: TaxInvoiceLine, size: PrintSize): ReadonlyArray<string> => {
  const figures = (minor: number) => AmountInWords.figures(minor, invoice.currency)
  const charges = line.charges === 0 ? [] : [`Delivery ${figures(line.charges)}`]
  if (size === "a4") return [...line.details, ...charges]
  return [
    ...line.details,
    [
      ...(line.code === null ? [] : [`HSN/SAC ${line.code}`]),
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
  ...(party.phone === null ? [] : [{ text: `Phone ${party.phone}` }]),
  ...(party.taxNumber === null ? [] : [{ text: `${party.taxNumber.name} ${party.taxNumber.value}`, bold: true }])
]

/**
 * Draws from the top down; a page that is full is followed by a new one, `onPage` drawing what repeats on it.
 */
const flow = (file: PdfFile, size: PrintSize) => {
  const { height, width } = pageSizes[size]
  const { margin, small } = measures[size]
  const bottom = margin + small * 2.4
  const pages: Array<Page> = []
  const begin = () => {
    const page = file.addPage(width, height)
    pages.push(page)
    return page
  }
  let page = begin()
  let y = height - margin
  let onPage = () => {}
  return {
    pages,
    left: margin,
    right: width - margin,
    width: width - 2 * margin,
    page: () => page,
    y: () => y,
    down: (by: number) => {
      y -= by
    },
    repeat: (draw: () => void) => {
      onPage = draw
    },
    /** Goes to a new page unless so much room is left. */
    need: (room: number) => {
      if (y - room >= bottom) return
      page = begin()
      y = height - margin
      onPage()
    }
  }
}

type Flow = ReturnType<typeof flow>

interface Row {
  readonly line: Line
  readonly style: Style
}

const rowsOf = (file: PdfFile, cells: ReadonlyArray<Cell>, width: number, size: number): ReadonlyArray<Row> =>
  cells.flatMap(({ bold = false, text }) => {
    const style = { size, bold }
    return wrap(file.fonts, text, width, style).map((line) => ({ line, style }))
  })

/**
 * Columns of text side by side, row by row, so that a long one goes on over the page's end.
 */
const drawSideBySide = (
  file: PdfFile,
  on: Flow,
  columns: ReadonlyArray<{ readonly x: number; readonly rows: ReadonlyArray<Row> }>,
  size: number
): void => {
  const most = Math.max(...columns.map(({ rows }) => rows.length))
  for (let nth = 0; nth < most; nth++) {
    on.need(size * leading)
    on.down(size * leading)
    for (const { rows, x } of columns) {
      const row = rows[nth]
      if (row !== undefined) drawLine(file, on.page(), row.line, x, on.y(), row.style)
    }
  }
}

const drawHead = (file: PdfFile, on: Flow, invoice: TaxInvoice, size: PrintSize): void => {
  const { body, small, title } = measures[size]
  on.down(title * 0.85)
  drawText(file, on.page(), invoice.title, on.left, on.y(), { size: title, bold: true })
  const numberStyle = { size: body * 1.2, bold: true }
  const numberRows = wrap(file.fonts, invoice.number, on.width * 0.5, numberStyle)
  const top = on.y() + title * 0.85
  drawText(file, on.page(), "NUMBER", on.right, top - small, { size: small * 0.9, bold: true, gray }, "right")
  numberRows.forEach((line, nth) => {
    drawLine(file, on.page(), line, on.right, top - small - (nth + 1) * numberStyle.size * 1.2, numberStyle, "right")
  })
  on.down(numberRows.length * numberStyle.size * 1.2 + small - title * 0.85 + body * 1.5)
  drawText(file, on.page(), dayText(invoice.date), on.right, on.y(), { size: body }, "right")
  on.down(body * 0.8)
  rule(on.page(), on.left, on.y(), on.width, 1.2)
  on.down(body * 0.6)
}

const drawParties = (file: PdfFile, on: Flow, invoice: TaxInvoice, size: PrintSize): void => {
  const { body, small } = measures[size]
  const parties = [
    { caption: "SOLD BY", party: invoice.seller },
    { caption: "BILL TO", party: invoice.buyer },
    ...(invoice.shipTo === null ? [] : [{ caption: "SHIP TO", party: invoice.shipTo }])
  ]
  const gap = body * 1.4
  const wide = (on.width - gap * (parties.length - 1)) / parties.length
  on.down(small * 1.2)
  parties.forEach(({ caption }, nth) => {
    drawText(file, on.page(), caption, on.left + nth * (wide + gap), on.y(), { size: small * 0.9, bold: true, gray })
  })
  const columns = parties.map(({ party }, nth) => ({
    x: on.left + nth * (wide + gap),
    rows: rowsOf(file, partyTexts(party), wide, body)
  }))
  drawSideBySide(file, on, columns, body)
  on.down(body * 0.9)
}

/**
 * Short ones in columns, long ones (an IRN has 64 characters) across.
 */
const drawReferences = (file: PdfFile, on: Flow, invoice: TaxInvoice, size: PrintSize): void => {
  const { body, small } = measures[size]
  const across = size === "a4" ? 4 : 3
  const wide = on.width / across
  const style = { size: body }
  const isLong = ({ value }: { value: string }) => widthOf(file.fonts, value, style) > wide - body
  const short = invoice.references.filter((one) => !isLong(one))
  if (invoice.references.length > 0) rule(on.page(), on.left, on.y(), on.width, 0.4, 0.6)
  for (let at = 0; at < short.length; at += across) {
    on.need(small + body * 2.2)
    on.down(small * 1.7)
    short.slice(at, at + across).forEach(({ name, value }, nth) => {
      drawText(file, on.page(), name.toUpperCase(), on.left + nth * wide, on.y(), {
        size: small * 0.9,
        bold: true,
        gray
      })
      drawText(file, on.page(), value, on.left + nth * wide, on.y() - body * 1.2, style)
    })
    on.down(body * 1.5)
  }
  for (const { name, value } of invoice.references.filter(isLong)) {
    on.need(small + body * 2.2)
    on.down(small * 1.7)
    drawText(file, on.page(), name.toUpperCase(), on.left, on.y(), { size: small * 0.9, bold: true, gray })
    drawSideBySide(file, on, [{ x: on.left, rows: rowsOf(file, [{ text: value }], on.width, body) }], body)
  }
  on.down(body * 1.1)
}

/**
 * Where each column ends. Numbers get what they need, the description what is left; when that is too little everything is
 * set smaller.
 */
const measureTable = (
  file: PdfFile,
  on: Flow,
  invoice: TaxInvoice,
  columns: ReadonlyArray<Column>,
  largest: number
) => {
  const least = on.width * 0.3
  const tries = [1, 0.88, 0.76, 0.66, 0.55].map((factor) => {
    const style = { size: largest * factor }
    const numbers = widthOf(file.fonts, `${invoice.lines.length}`, style) + style.size * 0.9
    const widths = columns.map(({ cells, title }) => {
      const texts = new Set(invoice.lines.flatMap(cells))
      const wide = [...texts].map((text) => widthOf(file.fonts, text, style))
      return Math.max(widthOf(file.fonts, title, { ...style, bold: true }), ...wide) + style.size * 1.1
    })
    const description = on.width - numbers - widths.reduce((sum, one) => sum + one, 0)
    return { size: style.size, numbers, widths, description }
  })
  const found = tries.find(({ description }) => description >= least) ?? tries.at(-1)
  return found ?? { size: largest, numbers: 0, widths: [], description: on.width }
}

const drawTable = (file: PdfFile, on: Flow, invoice: TaxInvoice, size: PrintSize): void => {
  const columns = columnsOf(invoice, size)
  const { description, numbers, size: body, widths } = measureTable(file, on, invoice, columns, measures[size].body)
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
    drawText(file, on.page(), "#", on.left + body * 0.3, on.y(), bold)
    drawText(file, on.page(), "Description", on.left + numbers, on.y(), bold)
    columns.forEach((column, nth) => {
      drawText(file, on.page(), column.title, place(column, nth), on.y(), bold, column.align)
    })
    on.down(high - body * 1.28)
  }
  on.need(body * 6)
  heading()
  on.repeat(() => {
    const { small } = measures[size]
    on.down(small)
    drawText(file, on.page(), `${invoice.title} ${invoice.number}`.slice(0, 120), on.left, on.y(), {
      size: small,
      gray
    })
    on.down(small)
    heading()
  })
  invoice.lines.forEach((line, nth) => {
    const titles = wrap(file.fonts, line.title, description - body * 0.8, style).map((one) => ({ line: one, style }))
    const more = detailsOf(invoice, line, size).flatMap((text) =>
      wrap(file.fonts, text, size === "a6" ? on.width - numbers : description - body * 0.8, small).map((one) => ({
        line: one,
        style: small
      }))
    )
    const texts = [...titles, ...more]
    const cells = columns.map((column) => column.cells(line, nth))
    const rows = Math.max(texts.length, ...cells.map(({ length }) => length))
    on.need(Math.min(rows, 4) * body * leading + body)
    on.down(body * 0.45)
    for (let row = 0; row < rows; row++) {
      on.need(body * leading)
      on.down(body * leading)
      const text = texts[row]
      if (row === 0) drawText(file, on.page(), String(nth + 1), on.left + body * 0.3, on.y(), style)
      if (text !== undefined) drawLine(file, on.page(), text.line, on.left + numbers, on.y(), text.style)
      columns.forEach((column, at) => {
        const value = cells[at]?.[row]
        if (value !== undefined) drawText(file, on.page(), value, place(column, at), on.y(), style, column.align)
      })
    }
    on.down(body * 0.55)
    rule(on.page(), on.left, on.y(), on.width, 0.4, 0.75)
  })
  on.repeat(() => {
    const { small } = measures[size]
    on.down(small)
    drawText(file, on.page(), `${invoice.title} ${invoice.number}`.slice(0, 120), on.left, on.y(), {
      size: small,
      gray
    })
    on.down(small)
  })
}

const drawTotals = (file: PdfFile, on: Flow, invoice: TaxInvoice, size: PrintSize): void => {
  const { body, code } = measures[size]
  const { currency, taxNames } = invoice
  const totals = totalsOf(invoice)
  const figures = (minor: number) => AmountInWords.figures(minor, currency)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ...(totals.discount === 0 && totals.charges === 0 ? [] : [["Gross", figures(totals.gross)] as const]),
    ...(totals.discount === 0 ? [] : [["Discount", `−${figures(totals.discount)}`] as const]),
    ...(totals.charges === 0 ? [] : [["Delivery", figures(totals.charges)] as const]),
    ...(taxNames.length === 0 ? [] : [["Taxable value", figures(totals.taxable)] as const]),
    ...taxNames.map((name, nth) => [name, figures(totals.taxes[nth] ?? 0)] as const)
  ]
  const total = AmountInWords.money(totals.total, currency)
  const totalStyle = { size: body * 1.45, bold: true }
  const wide = Math.min(
    on.width,
    Math.max(
      on.width * 0.36,
      widthOf(file.fonts, total, totalStyle) + widthOf(file.fonts, "Total", totalStyle) + body * 4
    )
  )
  const high = rows.length * body * 1.5 + totalStyle.size * 2.2
  const wordsWidth = on.width - wide - body * 2
  const words = rowsOf(
    file,
    [{ text: AmountInWords.words(totals.total, currency), bold: true }],
    wordsWidth > on.width * 0.3 ? wordsWidth : on.width,
    body
  )
  const beside = wordsWidth > on.width * 0.3
  const wordsHigh = (words.length + 1) * body * leading
  on.need((beside ? Math.max(high, wordsHigh) : high + wordsHigh) + body)
  on.down(body * 0.6)
  const top = on.y()
  const left = on.right - wide
  const drawWords = () => {
    on.down(body * 1.2)
    drawText(file, on.page(), "AMOUNT IN WORDS", on.left, on.y(), { size: body * 0.75, bold: true, gray })
    drawSideBySide(file, on, [{ x: on.left, rows: words }], body)
  }
  let y = top
  for (const [name, value] of rows) {
    y -= body * 1.5
    drawText(file, on.page(), name, left + body * 0.6, y, { size: body })
    drawText(file, on.page(), value, on.right - body * 0.6, y, { size: body }, "right")
  }
  const bar = totalStyle.size * 1.8
  y -= body * 0.6
  fill(on.page(), left, y - bar, wide, bar, 0.92)
  drawText(file, on.page(), "Total", left + body * 0.6, y - bar * 0.66, totalStyle)
  drawText(file, on.page(), total, on.right - body * 0.6, y - bar * 0.66, totalStyle, "right")
  const page = on.page()
  if (beside) {
    drawWords()
    if (on.page() === page) on.down(Math.max(0, on.y() - (y - bar)))
  } else {
    on.down(top - (y - bar))
    drawWords()
  }
  on.down(body)
  drawCode(file, on, invoice, code, body)
  for (const note of invoice.notes) {
    drawSideBySide(file, on, [{ x: on.left, rows: rowsOf(file, [{ text: note }], on.width, body * 0.9) }], body * 0.9)
  }
}

const drawCode = (file: PdfFile, on: Flow, invoice: TaxInvoice, most: number, body: number): void => {
  if (invoice.qrCode === null || invoice.qrCode === "") return
  const placed = placeQr(invoice.qrCode, 76, most)
  if (Option.isNone(placed)) {
    const text = "The invoice's QR code is longer than a QR code can be and is not printed."
    drawSideBySide(file, on, [{ x: on.left, rows: rowsOf(file, [{ text, bold: true }], on.width, body) }], body)
    return
  }
  on.need(placed.value.side + body)
  placed.value.draw(on.page(), on.left, on.y())
  on.down(placed.value.side + body * 0.4)
}

const drawFeet = (file: PdfFile, on: Flow, invoice: TaxInvoice, size: PrintSize): void => {
  const { margin, small } = measures[size]
  const style = { size: small, gray }
  on.pages.forEach((page, nth) => {
    rule(page, on.left, margin + small * 1.3, on.width, 0.4, 0.75)
    drawText(file, page, `${invoice.title} ${invoice.number}`.slice(0, 60), on.left, margin, style)
    drawText(file, page, `Page ${nth + 1} of ${on.pages.length}`, on.right, margin, style, "right")
  })
}

export const draw = (file: PdfFile, invoice: TaxInvoice, size: PrintSize): void => {
  const on = flow(file, size)
  drawHead(file, on, invoice, size)
  drawParties(file, on, invoice, size)
  drawReferences(file, on, invoice, size)
  drawTable(file, on, invoice, size)
  drawTotals(file, on, invoice, size)
  drawFeet(file, on, invoice, size)
}
