/**
 * Handlers: invoices as PDF.
 */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Pdf from "../internal/Pdf.ts"
import { InvoiceDocuments } from "./InvoiceDocuments.ts"
import { PlatformApi } from "./PlatformApi.ts"

export const layer = HttpApiBuilder.group(PlatformApi, "invoiceDocuments", (handlers) =>
  Effect.map(InvoiceDocuments, (documents) =>
    handlers.handle("open", ({ params, query }) =>
      Effect.gen(function* () {
        const { bytes, name } = yield* documents.open({ ...params, ...query }, yield* Clock.currentTimeMillis)
        return Pdf.response(bytes, name)
      })
    )
  )
)
