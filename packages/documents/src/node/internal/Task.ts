/**
 * The messages between the host's thread and a drawing thread.
 */
import type { PrintSize } from "../../DocumentRenderer.ts"
import type { FontFile } from "../../pdf/FontSet.ts"
import type { ShippingLabel } from "../../ShippingLabel.ts"
import type { TaxInvoice } from "../../TaxInvoice.ts"

/** Documents to draw. */
export type Task =
  | { readonly kind: "labels"; readonly documents: ReadonlyArray<ShippingLabel>; readonly size: PrintSize }
  | { readonly kind: "invoices"; readonly documents: ReadonlyArray<TaxInvoice>; readonly size: PrintSize }

/** The settings of a thread, which it receives when it starts. */
export interface ThreadSettings {
  readonly fonts: ReadonlyArray<FontFile>
  /** The most pages of a document. */
  readonly pages: number
}

/** The first message of a thread: it has read its fonts. */
export interface Ready {
  readonly _tag: "Ready"
}

/** The outcome of a task. */
export type Done =
  | { readonly _tag: "Drawn"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "Defect"; readonly cause: string }
