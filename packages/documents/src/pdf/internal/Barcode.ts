/**
 * Barcodes as modules: the widths of bars, or a square of dark and light modules.
 */
import bwip from "bwip-js/generic"
import * as Option from "effect/Option"
import encodeQR from "qr"

/** The widths of bar, gap, bar, …, in modules. */
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

/** A Code 128 of the text; none for text beyond ASCII, which scanners read differently. */
export const code128 = (text: string): Option.Option<Bars> =>
  Option.flatMap(ascii.test(text) ? bars(text) : Option.none(), (symbol) =>
    symbol === undefined || !("sbs" in symbol)
      ? Option.none()
      : Option.some({ widths: symbol.sbs, modules: symbol.sbs.reduce((sum, one) => sum + one, 0) })
  )

/** The encoder requires a border, which is cut off again: the layout draws its own. */
const border = 1
const modules = Option.liftThrowable((text: string) => encodeQR(text, "raw", { ecc: "low", border }))

/** A QR code of the text in UTF-8; none for more than 2,953 bytes, which is the most that fits. */
export const qrCode = (text: string): Option.Option<Square> =>
  Option.map(modules(text), (rows) => ({
    side: rows.length - 2 * border,
    isDark: (row, column) => rows[row + border]?.[column + border] === true
  }))
