/** Port: draws labels and invoices as PDF. */
import { frozen, taggedError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PrintedInvoice } from "./PrintedInvoice.ts"
import type { ShippingLabel } from "./ShippingLabel.ts"

/** The paper sizes. A6 also fits label printers for 4×6 inches. Source: docs/reference/documents.md#print-size. */
export const printSizes = /* @__PURE__ */ frozen(["a4", "a6"] as const)

/** One of the paper sizes. */
export type PrintSize = (typeof printSizes)[number]

/** The most pages of a document, and the longest time to draw it. Source: docs/reference/documents.md#limits. */
export interface RenderingLimits {
  readonly pages: number
  readonly time: Duration.Input
}

export const renderingLimits: RenderingLimits = /* @__PURE__ */ frozen({ pages: 1000, time: "20 seconds" })

/** The document has more pages than `limit`. Source: docs/reference/documents.md#limits. */
export class DocumentTooLarge extends taggedError<DocumentTooLarge>()(
  "@crossdock/documents/DocumentTooLarge",
  { limit: Schema.Int },
  ({ limit }) => `The document would have more than ${limit} pages. Ask for fewer shipments at once.`
) {}

/** Drawing took longer than the limit, which is in seconds. */
export class DocumentTooSlow extends taggedError<DocumentTooSlow>()(
  "@crossdock/documents/DocumentTooSlow",
  { seconds: Schema.Number },
  ({ seconds }) => `The document was not ready within ${seconds} seconds. Ask for fewer shipments at once.`
) {}

/** The document wasn't drawn, because too many documents are queued. */
export class DocumentsBusy extends taggedError<DocumentsBusy>()(
  "@crossdock/documents/DocumentsBusy",
  {},
  () => "Too many documents are being drawn. Try again in a few seconds."
) {}

/** The reason why a document wasn't drawn. A retry helps after `DocumentTooSlow` and `DocumentsBusy`. */
export type DocumentFailure = DocumentTooLarge | DocumentTooSlow | DocumentsBusy

/** A host's own form of a document, such as a label in the language of a printer. */
export interface OwnPaper<A> {
  readonly mimeType: string
  /** The file extension, such as `zpl`. */
  readonly extension: string
  readonly draw: (papers: ReadonlyArray<A>, size: PrintSize) => Effect.Effect<Uint8Array, DocumentFailure>
}

/** The documents that a host draws in its own form. All other documents are PDF. */
export const OwnPapers = Context.Reference<{
  readonly labels?: OwnPaper<ShippingLabel>
  readonly invoice?: OwnPaper<PrintedInvoice>
}>("@crossdock/documents/OwnPapers", { defaultValue: () => ({}) })

/** Port: draws documents, each on new pages. Equal inputs give equal bytes. A mark replaces characters without a font. */
export class DocumentRenderer extends Context.Service<
  DocumentRenderer,
  {
    readonly labels: (
      labels: ReadonlyArray<ShippingLabel>,
      size: PrintSize
    ) => Effect.Effect<Uint8Array, DocumentFailure>
    readonly invoices: (
      invoices: ReadonlyArray<PrintedInvoice>,
      size: PrintSize
    ) => Effect.Effect<Uint8Array, DocumentFailure>
  }
>()("@crossdock/documents/DocumentRenderer") {}
