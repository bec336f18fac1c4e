/**
 * PDF answers.
 */

import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

export const Pdf = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/pdf" })).annotate({
  description: "The PDF"
})

/**
 * Browsers show the PDF; saved, it is called `name`.pdf.
 */
export const response = (bytes: Uint8Array, name: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: "application/pdf",
    headers: { "content-disposition": `inline; filename="${name}.pdf"`, "cache-control": "no-store" }
  })
