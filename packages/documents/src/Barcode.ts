/**
 * Codes that a scanner reads, as modules: widths of bars, or a square of dark and light.
 */
import bwip from "bwip-js/generic"
import * as Option from "effect/Option"

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

/**
 * What the encoder gives: bars and gaps for a linear code, rows of pixels for a square one.
 */
type Encoded = { readonly sbs: ReadonlyArray<number> } | { readonly pixs: ReadonlyArray<number>; readonly pixx: number }

const encode = Option.liftThrowable(
  (kind: string, text: string, options: string): Encoded | undefined => bwip.raw(kind, text, options)[0]
)

const ascii = /^[\x20-\x7e]+$/

/**
 * Code 128; none for text beyond ASCII, which scanners do not agree on.
 */
export const code128 = (text: string): Option.Option<Bars> =>
  Option.flatMap(ascii.test(text) ? encode("code128", text, "") : Option.none(), (symbol) =>
    symbol === undefined || !("sbs" in symbol)
      ? Option.none()
      : Option.some({ widths: symbol.sbs, modules: symbol.sbs.reduce((sum, one) => sum + one, 0) })
  )

/**
 * A QR code of the text's UTF-8; none when it is more than the largest one holds, 2,953 bytes. One mask is taken for all:
 * to try all eight costs three times as much, and helps only texts that repeat themselves.
 */
export const qrCode = (text: string): Option.Option<Square> =>
  Option.flatMap(encode("qrcode", text, "eclevel=L mask=1"), (symbol) =>
    symbol === undefined || !("pixs" in symbol)
      ? Option.none()
      : Option.some({
          side: symbol.pixx,
          isDark: (row, column) => symbol.pixs[row * symbol.pixx + column] === 1
        })
  )
