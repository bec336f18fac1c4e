/**
 * Handlers: invoices as PDF.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { answering } from "../Failure.ts"
import * as Pdf from "../Pdf.ts"
import { InvoiceDocuments } from "./InvoiceDocuments.ts"
import { PlatformApi } from "./PlatformApi.ts"

export const layer = HttpApiBuilder.group(PlatformApi, "invoiceDocuments", (handlers) =>
  Effect.map(InvoiceDocuments, (documents) =>
    handlers.handleRaw("open", ({ path, urlParams }) =>
      Effect.gen(function* () {
        const { bytes, name } = yield* documents.open({ ...path, ...urlParams }, yield* Clock.currentTimeMillis)
        return Pdf.response(bytes, name)
      }).pipe(answering)
    )
  )
)
