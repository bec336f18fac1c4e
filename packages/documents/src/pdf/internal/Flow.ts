import type { PrintSize } from "../../DocumentRenderer.ts"
import { type Page, type PdfFile, pageSizes } from "./PdfFile.ts"
import { type Align, drawLine, type Style, wrap } from "./Typesetting.ts"

export const leading = 1.32

interface Spot {
  readonly page: number
  readonly y: number
}

/** Draws downwards, and starts a new page when a page is full. `repeat` sets what is drawn at the top of each page. */
export const flow = (file: PdfFile, size: PrintSize, margin: number, bottom: number) => {
  const { height, width } = pageSizes[size]
  const pages: Array<{ readonly page: Page; top: number }> = []
  let spot: Spot = { page: -1, y: 0 }
  let onPage = () => {}
  const pageAt = (at: number): Page => {
    const known = pages[at]
    if (known !== undefined) return known.page
    const page = file.addPage(width, height)
    pages.push({ page, top: height - margin })
    return page
  }
  const begin = () => {
    const isNew = pages[spot.page + 1] === undefined
    pageAt(spot.page + 1)
    spot = { page: spot.page + 1, y: pages[spot.page + 1]?.top ?? 0 }
    if (!isNew) return
    onPage()
    const one = pages[spot.page]
    if (one !== undefined) one.top = spot.y
  }
  begin()
  return {
    fonts: pageAt(0).fonts,
    pages: () => pages.map(({ page }) => page),
    left: margin,
    right: width - margin,
    width: width - 2 * margin,
    page: () => pageAt(spot.page),
    y: () => spot.y,
    spot: () => spot,
    go: (to: Spot) => {
      spot = to
    },
    down: (by: number) => {
      spot = { ...spot, y: spot.y - by }
    },
    repeat: (draw: () => void) => {
      onPage = draw
    },
    /** Starts a new page if less than `room` is left on the page. If the page is still empty, it is used anyway. */
    need: (room: number) => {
      if (spot.y - room < bottom && spot.y < (pages[spot.page]?.top ?? 0)) begin()
    }
  }
}

export type Flow = ReturnType<typeof flow>

/** A part that is drawn above its `y`, like a line of text. */
export interface Row {
  readonly height: number
  readonly draw: (page: Page, y: number) => void
}

export interface TextColumn {
  readonly x: number
  readonly width: number
  readonly align?: Align
}

export const rowsOf = (
  { fonts }: Pick<Flow, "fonts">,
  text: string,
  { align = "left", width, x }: TextColumn,
  style: Style,
  spacing = leading
) =>
  wrap(fonts, text, width, style).map(
    (line): Row => ({ height: style.size * spacing, draw: (page, y) => drawLine(page, line, x, y, style, align) })
  )

export const heightOf = (rows: ReadonlyArray<Row>): number => rows.reduce((sum, { height }) => sum + height, 0)

/** Draws columns side by side, on as many pages as needed. Further content starts below the longest column. */
export const drawColumns = (on: Flow, columns: ReadonlyArray<ReadonlyArray<Row>>): void => {
  const from = on.spot()
  const ends = columns.map((rows) => {
    on.go(from)
    for (const { draw, height } of rows) {
      on.need(height)
      on.down(height)
      draw(on.page(), on.y())
    }
    return on.spot()
  })
  on.go(ends.reduce((end, one) => (one.page > end.page || (one.page === end.page && one.y < end.y) ? one : end), from))
}
