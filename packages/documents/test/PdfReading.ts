/**
 * Reads a PDF like people and scanners: its pages as pictures, its text, its codes.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createCanvas, DOMMatrix, ImageData, Path2D } from "@napi-rs/canvas"
import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"

const reader = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")
const { buffer } = new Uint8Array(await readFile(reader))
prepareZXingModule({ overrides: { wasmBinary: buffer }, fireImmediately: false })

// Paths must be of the same copy of the canvas that they are drawn on.
Object.assign(globalThis, { DOMMatrix, ImageData, Path2D })
const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs")

export const open = (bytes: Uint8Array): Promise<PDFDocumentProxy> =>
  getDocument({ data: bytes.slice(), verbosity: 0, useSystemFonts: false }).promise

/**
 * The text of each page, with a line break between pieces.
 */
export const texts = async (bytes: Uint8Array): Promise<ReadonlyArray<string>> => {
  const file = await open(bytes)
  return Promise.all(
    Array.from({ length: file.numPages }, async (_, nth) => {
      const page = await file.getPage(nth + 1)
      const { items } = await page.getTextContent()
      return items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("")
    })
  )
}

/** A piece of text on its page, in points from the page's lower left corner; `y` is its baseline. */
export interface Piece {
  readonly page: number
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly size: number
}

/**
 * All visible text: text beyond the paper's edge is in the file but not on paper.
 */
export const pieces = async (bytes: Uint8Array): Promise<ReadonlyArray<Piece>> => {
  const file = await open(bytes)
  const pages = await Promise.all(
    Array.from({ length: file.numPages }, async (_, nth) => {
      const page = await file.getPage(nth + 1)
      const [left = 0, bottom = 0, right = 0, top = 0] = page.view
      const { items } = await page.getTextContent({ disableNormalization: true })
      return items.flatMap((item): ReadonlyArray<Piece> => {
        if (!("str" in item) || item.str.trim() === "") return []
        const [, , , size = 0, x = 0, y = 0] = item.transform as ReadonlyArray<number>
        const isOnPaper = x >= left && x + item.width <= right && y >= bottom && y + size * 0.7 <= top
        return isOnPaper ? [{ page: nth + 1, text: item.str, x, y, width: item.width, size }] : []
      })
    })
  )
  return pages.flat()
}

/**
 * Pieces of text that overlap, and so can't be read.
 */
export const overlaps = (all: ReadonlyArray<Piece>): ReadonlyArray<string> =>
  all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .filter((other) => {
        const inX = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
        const inY = Math.min(one.y + one.size * 0.6, other.y + other.size * 0.6) - Math.max(one.y, other.y)
        return other.page === one.page && inX > 0.5 && inY > 0.5
      })
      .map((other) => `page ${one.page}: ${one.text} / ${other.text}`)
  )

export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Uint8ClampedArray
}

export const picture = async (bytes: Uint8Array, number = 1, dpi = 203): Promise<Picture> => {
  const page = await (await open(bytes)).getPage(number)
  const viewport = page.getViewport({ scale: dpi / 72 })
  const canvas = createCanvas(Math.round(viewport.width), Math.round(viewport.height))
  const context = canvas.getContext("2d")
  context.fillStyle = "white"
  context.fillRect(0, 0, canvas.width, canvas.height)
  await page.render({ canvasContext: context as never, viewport }).promise
  const { data, height, width } = context.getImageData(0, 0, canvas.width, canvas.height)
  return { width, height, data: new Uint8ClampedArray(data) }
}

/**
 * The codes that a scanner reads on a page, as `format text`.
 */
export const codes = async (bytes: Uint8Array, number = 1, dpi = 203): Promise<ReadonlyArray<string>> => {
  const { data, height, width } = await picture(bytes, number, dpi)
  const found = await readBarcodes({ data, width, height, colorSpace: "srgb" } as never, {
    formats: ["Code128", "QRCode"],
    tryHarder: true
  })
  return found.map(({ format, text }) => `${format} ${text}`)
}
