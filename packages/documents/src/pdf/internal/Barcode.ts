/** Barcodes: the Code 128 of an AWB number, and QR codes of longer texts. */
import bwip from "bwip-js/generic"
import * as Option from "effect/Option"
import encodeQR from "qr"

/** The widths of bars and gaps in modules, starting with a bar. */
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

/** The Code 128 of a text. Returns `None` unless all characters are printable ASCII, since scanners differ on others. */
export const code128 = (text: string): Option.Option<Bars> =>
  Option.flatMap(ascii.test(text) ? bars(text) : Option.none(), (symbol) =>
    symbol === undefined || !("sbs" in symbol)
      ? Option.none()
      : Option.some({ widths: symbol.sbs, modules: symbol.sbs.reduce((sum, one) => sum + one, 0) })
  )

/** The encoder requires a border. The border is cut off, since the layout adds its own. */
const border = 1
const modules = Option.liftThrowable((text: string) => encodeQR(text, "raw", { ecc: "low", border }))

/** The QR code of a text in UTF-8. Returns `None` for more than 2,953 bytes, since a code can't contain more. */
export const qrCode = (text: string): Option.Option<Square> =>
  Option.map(modules(text), (rows) => ({
    side: rows.length - 2 * border,
    isDark: (row, column) => rows[row + border]?.[column + border] === true
  }))
