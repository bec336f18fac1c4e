/** Adapter: draws documents in the calling thread, for example in a worker. */
import * as Layer from "effect/Layer"
import { DocumentRenderer } from "../DocumentRenderer.ts"
import * as FontSet from "./FontSet.ts"
import * as Rendering from "./Rendering.ts"

/**
 * A `DocumentRenderer` that draws in the calling thread. There must be at least one font: the first with a text's
 * characters draws it. Fails with `DocumentTooLarge` or `DocumentTooSlow` beyond `limits`.
 */
export const make = (files: ReadonlyArray<FontSet.FontFile>, limits: Rendering.Limits = Rendering.defaultLimits) => {
  const fonts = FontSet.make(files)
  return DocumentRenderer.of({
    labels: (labels, size) => Rendering.labels(fonts, labels, size, limits),
    invoices: (invoices, size) => Rendering.invoices(fonts, invoices, size, limits)
  })
}

/** Provides a `DocumentRenderer` that draws in the calling thread with these fonts, and reads no files. */
export const layer = (
  files: ReadonlyArray<FontSet.FontFile>,
  limits?: Rendering.Limits
): Layer.Layer<DocumentRenderer> => Layer.sync(DocumentRenderer, () => make(files, limits))
