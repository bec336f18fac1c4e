/** Adapter: draws labels and invoices as PDF in the calling thread, without Node, files or a clock. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RenderingLimits as Limits, PrintSize } from "../DocumentRenderer.ts"
import {
  DocumentRenderer,
  DocumentTooLarge,
  DocumentTooSlow,
  renderingLimits as defaultLimits
} from "../DocumentRenderer.ts"
import type { PrintedInvoice } from "../PrintedInvoice.ts"
import type { ShippingLabel } from "../ShippingLabel.ts"
import * as FontSet from "./FontSet.ts"
import * as InvoiceLayout from "./internal/InvoiceLayout.ts"
import * as LabelLayout from "./internal/LabelLayout.ts"
import * as PdfFile from "./internal/PdfFile.ts"

export { type RenderingLimits as Limits, renderingLimits as defaultLimits } from "../DocumentRenderer.ts"

type Rendered = Effect.Effect<Uint8Array, DocumentTooLarge | DocumentTooSlow>

/** Draws one document after the other. Between two documents it yields and checks the limits. */
const rendered = <A>(
  fonts: FontSet.FontSet,
  title: string,
  documents: ReadonlyArray<A>,
  draw: (file: PdfFile.PdfFile, document: A) => void,
  { pages, time }: Limits
): Rendered =>
  Effect.gen(function* () {
    const file = PdfFile.make(fonts, title)
    for (const document of documents) {
      draw(file, document)
      if (file.pages.length > pages) return yield* new DocumentTooLarge({ limit: pages })
      yield* Effect.yieldNow
    }
    return yield* file.bytes
  }).pipe(
    Effect.timeoutOrElse({
      duration: time,
      orElse: () => Effect.fail(new DocumentTooSlow({ seconds: Duration.toSeconds(time) }))
    })
  )

/**
 * Draws shipping labels as one PDF, with at least one page per AWB number. Equal labels and fonts give equal bytes.
 * Fails with `DocumentTooLarge` or `DocumentTooSlow` if `limits` are exceeded.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import type { ShippingLabel } from "@crossdock/documents"
 * import { DocumentRendererNode } from "@crossdock/documents/node"
 * import { DocumentRendererPdf, FontSet } from "@crossdock/documents/pdf"
 * import { Effect } from "effect"
 *
 * const party = { name: "Acme Retail", lines: ["1 Market Road", "Bengaluru"], phone: null, taxNumber: null }
 * const route = { sender: party, receiver: party, courier: null, awbNumbers: ["A1", "A2"] }
 * const order = { shipmentId: "1", orderNumber: "MP1", orderDate: 0, weightGrams: null, packages: 2, currency: "INR" }
 * const label: ShippingLabel = { journey: "forward", ...route, ...order, collect: 49_900, contents: [] }
 * const fonts = FontSet.make(await Effect.runPromise(DocumentRendererNode.bundledFonts))
 * const onePage = { pages: 1, time: "20 seconds" } as const
 * const failure = await Effect.runPromise(Effect.flip(DocumentRendererPdf.labels(fonts, [label], "a6", onePage)))
 * strictEqual(failure.message, "The document would have more than 1 pages. Ask for fewer shipments at once.")
 * ```
 */
export const labels = (
  fonts: FontSet.FontSet,
  labels: ReadonlyArray<ShippingLabel>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Shipping labels", labels, (file, label) => LabelLayout.draw(file, label, size), limits)

/** Draws invoices and credit notes as one PDF, with the limits and errors of `labels`. */
export const invoices = (
  fonts: FontSet.FontSet,
  invoices: ReadonlyArray<PrintedInvoice>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Invoices", invoices, (file, invoice) => InvoiceLayout.draw(file, invoice, size), limits)

/** Makes a `DocumentRenderer` that draws in the calling thread. It needs at least one font. */
export const make = (files: ReadonlyArray<FontSet.FontFile>, limits: Limits = defaultLimits) => {
  const fonts = FontSet.make(files)
  return DocumentRenderer.of({
    labels: (all, size) => labels(fonts, all, size, limits),
    invoices: (all, size) => invoices(fonts, all, size, limits)
  })
}

/** The service `DocumentRenderer`, which draws in the calling thread with these fonts. It reads no files. */
export const layer = (files: ReadonlyArray<FontSet.FontFile>, limits?: Limits): Layer.Layer<DocumentRenderer> =>
  Layer.sync(DocumentRenderer, () => make(files, limits))
