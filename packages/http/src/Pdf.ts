/**
 * Answers that are a PDF.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

export const Pdf = HttpApiSchema.Uint8Array({ contentType: "application/pdf" })

/**
 * To be shown by the browser, and saved under `name` without its ending.
 */
export const response = (bytes: Uint8Array, name: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: "application/pdf",
    headers: { "content-disposition": `inline; filename="${name}.pdf"`, "cache-control": "no-store" }
  })
