/**
 * Handlers: invoices as PDF.
 */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Endpoints from "../internal/Endpoints.ts"
import * as Pdf from "../internal/Pdf.ts"
import { InvoiceDocuments } from "./InvoiceDocuments.ts"
import { PlatformApi } from "./PlatformApi.ts"

export const layer = Endpoints.group(PlatformApi, "invoiceDocuments", (handlers) =>
  Effect.map(InvoiceDocuments, (documents) =>
    handlers({
      open: ({ params, query }) =>
        Effect.gen(function* () {
          const { bytes, name } = yield* documents.open({ ...params, ...query }, yield* Clock.currentTimeMillis)
          return Pdf.response(bytes, name)
        })
    })
  )
)
