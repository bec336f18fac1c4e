/**
 * Codes that a scanner reads, as modules: widths of bars, or a square of dark and light.
 */
import bwip from "bwip-js/generic"
import * as Option from "effect/Option"
import encodeQR from "qr"

/**
 * Widths of bar, gap, bar, …, in modules.
 */
export interface Bars {
  readonly widths: ReadonlyArray<number>
  readonly modules: number
}

export interface Square {
  readonly side: number
  readonly isDark: (row: number, column: number) => boolean
}

const ascii = /^[\x20-\x7e]+$/

const bars = Option.liftThrowable((text: string) => bwip.raw("code128", text, "")[0])

/**
 * Code 128; none for text beyond ASCII, which scanners do not agree on.
 */
export const code128 = (text: string): Option.Option<Bars> =>
  Option.flatMap(ascii.test(text) ? bars(text) : Option.none(), (symbol) =>
    symbol === undefined || !("sbs" in symbol)
      ? Option.none()
      : Option.some({ widths: symbol.sbs, modules: symbol.sbs.reduce((sum, one) => sum + one, 0) })
  )

/** The encoder wants a border around what it makes; the layout draws one of its own. */
const border = 1
const modules = Option.liftThrowable((text: string) => encodeQR(text, "raw", { ecc: "low", border }))

/**
 * A QR code of the text's UTF-8; none when it is more than the largest one holds, 2,953 bytes.
 */
export const qrCode = (text: string): Option.Option<Square> =>
  Option.map(modules(text), (rows) => ({
    side: rows.length - 2 * border,
    isDark: (row, column) => rows[row + border]?.[column + border] === true
  }))
