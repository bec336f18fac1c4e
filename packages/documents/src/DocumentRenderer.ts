/**
 * Port: what is printed for a shipment, as PDF.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ShippingLabel } from "./ShippingLabel.ts"
import type { TaxInvoice } from "./TaxInvoice.ts"

/**
 * A6 is also what a label printer of 4×6 inch takes.
 */
export const printSizes = ["a4", "a6"] as const

export type PrintSize = (typeof printSizes)[number]

export class DocumentTooLarge extends Schema.TaggedError<DocumentTooLarge>("@crossdock/documents/DocumentTooLarge")(
  "DocumentTooLarge",
  { limit: Schema.Int }
) {
  override get message(): string {
    return `The document would have more than ${this.limit} pages; ask for fewer shipments at once`
  }
}

export class DocumentTooSlow extends Schema.TaggedError<DocumentTooSlow>("@crossdock/documents/DocumentTooSlow")(
  "DocumentTooSlow",
  { seconds: Schema.Number }
) {
  override get message(): string {
    return `The document was not ready within ${this.seconds} seconds; ask for fewer shipments at once`
  }
}

/**
 * So many documents are drawn already that this one would wait for too long.
 */
export class DocumentsBusy extends Schema.TaggedError<DocumentsBusy>("@crossdock/documents/DocumentsBusy")(
  "DocumentsBusy",
  {}
) {
  override get message(): string {
    return "Too many documents are being made at the moment; try again in a few seconds"
  }
}

/**
 * Why a document was not made; asking again for the same helps with the last two.
 */
export type DocumentFailure = DocumentTooLarge | DocumentTooSlow | DocumentsBusy

/**
 * Laws: the same input gives the same bytes; every document begins on a page of its own, in the order given; text that
 * no font can draw leaves a visible mark and never fails.
 */
export class DocumentRenderer extends Context.Service<
  DocumentRenderer,
  {
    readonly labels: (
      labels: ReadonlyArray<ShippingLabel>,
      size: PrintSize
    ) => Effect.Effect<Uint8Array, DocumentFailure>
    readonly invoices: (
      invoices: ReadonlyArray<TaxInvoice>,
      size: PrintSize
    ) => Effect.Effect<Uint8Array, DocumentFailure>
  }
>()("@crossdock/documents/DocumentRenderer") {}
