/**
 * Draws labels and invoices as PDF. It runs anywhere: it needs no Node, no files and no clock.
 */

import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { DocumentTooLarge, DocumentTooSlow, type PrintSize } from "../DocumentRenderer.ts"
import type { ShippingLabel } from "../ShippingLabel.ts"
import type { TaxInvoice } from "../TaxInvoice.ts"
import type { FontSet } from "./FontSet.ts"
import * as InvoiceLayout from "./InvoiceLayout.ts"
import * as LabelLayout from "./LabelLayout.ts"
import * as PdfFile from "./PdfFile.ts"

/**
 * The most pages of a document, and the longest time to draw it. Source: docs/reference/documents.md#limits.
 */
export interface Limits {
  readonly pages: number
  readonly time: Duration.Input
}

/**
 * 1,000 pages and 20 seconds.
 */
export const defaultLimits: Limits = { pages: 1000, time: "20 seconds" }

type Rendered = Effect.Effect<Uint8Array, DocumentTooLarge | DocumentTooSlow>

/**
 * Draws documents one after the other. Between two documents it lets other work run and checks the limits.
 */
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
 * Shipping labels as one PDF.
 */
export const labels = (
  fonts: FontSet,
  labels: ReadonlyArray<ShippingLabel>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Shipping labels", labels, (file, label) => LabelLayout.draw(file, label, size), limits)

/**
 * Invoices and credit notes as one PDF: of shipments, or of a platform's own services.
 */
export const invoices = (
  fonts: FontSet,
  invoices: ReadonlyArray<TaxInvoice>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Invoices", invoices, (file, invoice) => InvoiceLayout.draw(file, invoice, size), limits)
