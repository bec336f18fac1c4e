/** Draws labels and invoices as PDF. It runs anywhere, without Node, files or a clock. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RenderingLimits as Limits, PrintSize } from "../DocumentRenderer.ts"
import { DocumentTooLarge, DocumentTooSlow, renderingLimits as defaultLimits } from "../DocumentRenderer.ts"
import type { PrintedInvoice } from "../PrintedInvoice.ts"
import type { ShippingLabel } from "../ShippingLabel.ts"
import type { FontSet } from "./FontSet.ts"
import * as InvoiceLayout from "./internal/InvoiceLayout.ts"
import * as LabelLayout from "./internal/LabelLayout.ts"
import * as PdfFile from "./internal/PdfFile.ts"

export { type RenderingLimits as Limits, renderingLimits as defaultLimits } from "../DocumentRenderer.ts"

type Rendered = Effect.Effect<Uint8Array, DocumentTooLarge | DocumentTooSlow>

/** Draws documents one after the other. Between them it lets other work run and checks the limits. */
const rendered = <A>(
  fonts: FontSet,
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
 * Shipping labels as one PDF: a page per AWB number. The same labels and fonts give the same bytes. Fails with
 * `DocumentTooLarge` or `DocumentTooSlow` beyond `limits`. Source: docs/reference/documents.md#labels.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import type { ShippingLabel } from "@crossdock/documents"
 * import { Fonts } from "@crossdock/documents/node"
 * import { FontSet, Rendering } from "@crossdock/documents/pdf"
 * import { Effect } from "effect"
 *
 * const party = { name: "Acme Retail", lines: ["1 Market Road", "Bengaluru"], phone: null, taxNumber: null }
 * const route = { sender: party, receiver: party, courier: null, awbNumbers: ["A1", "A2"] }
 * const order = { shipmentId: "1", orderNumber: "MP1", orderDate: 0, weightGrams: null, packages: 2, currency: "INR" }
 * const label: ShippingLabel = { journey: "forward", ...route, ...order, collect: 49_900, contents: [] }
 * const fonts = FontSet.make(await Effect.runPromise(Fonts.bundled))
 * const onePage = { pages: 1, time: "20 seconds" } as const
 * const failure = await Effect.runPromise(Effect.flip(Rendering.labels(fonts, [label], "a6", onePage)))
 * strictEqual(failure.message, "The document would have more than 1 pages. Ask for fewer shipments at once.")
 * ```
 */
export const labels = (
  fonts: FontSet,
  labels: ReadonlyArray<ShippingLabel>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Shipping labels", labels, (file, label) => LabelLayout.draw(file, label, size), limits)

/**
 * Invoices and credit notes as one PDF: of shipments, or of a platform's own services. The same invoices and fonts give the
 * same bytes. Fails with `DocumentTooLarge` or `DocumentTooSlow` beyond `limits`. Source:
 * docs/reference/documents.md#invoices.
 */
export const invoices = (
  fonts: FontSet,
  invoices: ReadonlyArray<PrintedInvoice>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Invoices", invoices, (file, invoice) => InvoiceLayout.draw(file, invoice, size), limits)
