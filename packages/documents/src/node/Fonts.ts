/** The fonts of this package: Latin, Greek, Cyrillic, the scripts of India, Arabic, Hebrew, Thai, currencies. */
import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import type { FontFile } from "../pdf/FontSet.ts"

const names = [
  "NotoSans-Regular",
  "NotoSans-Bold",
  "NotoSansDevanagari-Regular",
  "NotoSansDevanagari-Bold",
  "NotoSansBengali-Regular",
  "NotoSansGujarati-Regular",
  "NotoSansGurmukhi-Regular",
  "NotoSansKannada-Regular",
  "NotoSansMalayalam-Regular",
  "NotoSansOriya-Regular",
  "NotoSansTamil-Regular",
  "NotoSansTelugu-Regular",
  "NotoSansArabic-Regular",
  "NotoSansHebrew-Regular",
  "NotoSansThai-Regular"
]

const folder = new URL("../../fonts/", import.meta.url)

/** Reads all fonts of this package. */
export const bundled: Effect.Effect<ReadonlyArray<FontFile>> = Effect.forEach(
  names,
  (name) =>
    Effect.map(
      Effect.promise(() => readFile(new URL(`${name}.ttf`, folder))),
      (bytes) => ({ bytes: new Uint8Array(bytes), bold: name.endsWith("Bold") })
    ),
  { concurrency: "unbounded" }
)
