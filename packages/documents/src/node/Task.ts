/**
 * What the host's thread and a drawing thread say to each other.
 */
import type { PrintSize, ShippingLabel, TaxInvoice } from "@crossdock/shipments"
import type { FontFile } from "../FontSet.ts"

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
