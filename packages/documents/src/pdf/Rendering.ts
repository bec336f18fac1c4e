/**
 * Labels and invoices as PDF, wherever there is JavaScript: no Node, no file, no clock of its own.
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

export interface Limits {
  readonly pages: number
  readonly time: Duration.Input
}

export const defaultLimits: Limits = { pages: 1000, time: "20 seconds" }

type Rendered = Effect.Effect<Uint8Array, DocumentTooLarge | DocumentTooSlow>

/**
 * One after the other; between two of them others get their turn, and the limits are looked at.
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

export const labels = (
  fonts: FontSet,
  labels: ReadonlyArray<ShippingLabel>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Shipping labels", labels, (file, label) => LabelLayout.draw(file, label, size), limits)

/**
 * Invoices and credit notes, of shipments or of a platform's own services.
 */
export const invoices = (
  fonts: FontSet,
  invoices: ReadonlyArray<TaxInvoice>,
  size: PrintSize,
  limits: Limits = defaultLimits
): Rendered => rendered(fonts, "Invoices", invoices, (file, invoice) => InvoiceLayout.draw(file, invoice, size), limits)
