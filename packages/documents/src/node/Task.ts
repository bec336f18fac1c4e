/**
 * What the host's thread and a drawing thread say to each other.
 */
import type { PrintSize } from "../DocumentRenderer.ts"
import type { FontFile } from "../pdf/FontSet.ts"
import type { ShippingLabel } from "../ShippingLabel.ts"
import type { TaxInvoice } from "../TaxInvoice.ts"

export type Task =
  | { readonly kind: "labels"; readonly documents: ReadonlyArray<ShippingLabel>; readonly size: PrintSize }
  | { readonly kind: "invoices"; readonly documents: ReadonlyArray<TaxInvoice>; readonly size: PrintSize }

export interface ThreadSettings {
  readonly fonts: ReadonlyArray<FontFile>
  /** Pages at most. */
  readonly pages: number
}

/** The first word of a thread: it has read its fonts. */
export interface Ready {
  readonly _tag: "Ready"
}

export type Done =
  | { readonly _tag: "Drawn"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "Defect"; readonly cause: string }
