/** Signed links, valid without sign-in until the end of the next UTC day. docs/reference/documents.md#links. */
import { type LinkSigner, TokenExpired, TokenInvalid } from "@crossdock/access"
import type { OwnPaper } from "@crossdock/documents"
import { Instant } from "@crossdock/kernel"
import type { PathInput } from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { badRequest, notFound, unauthorized, unavailable } from "./Failure.ts"
import * as Fields from "./internal/Fields.ts"
import { field } from "./internal/Fields.ts"
import { codes } from "./internal/OpenApiDocument.ts"

/** The parts of a signed URL: its last path segment, and the proof in its query, which is never logged. */
export interface SignedLink {
  readonly document: string
  readonly expires: string
  readonly signature: string
}

const part = Fields.withDefault(Schema.String, "")

/** The proof of a link. A missing proof is treated as a wrong proof. */
export const Proof = Schema.Struct({
  expires: field(part, "When the link expires, in Unix seconds"),
  signature: field(part, "The link's signature")
})

/** The end of tomorrow (UTC), in epoch seconds. */
const endOfTomorrow = (now: number): number => ((Math.floor(now / Instant.dayMillis) + 2) * Instant.dayMillis) / 1000

/** The last path segment of a link to `name`, with its proof. It is the same all day. `now` is in epoch milliseconds. */
export const signed = (signer: typeof LinkSigner.Service, name: string, now: number): string => {
  const expires = endOfTomorrow(now)
  return `${name}?expires=${expires}&signature=${signer.sign(`${name} ${expires}`)}`
}

/** Verifies a link and reads its name. Fails with `TokenInvalid` for a wrong proof, and with `TokenExpired` after its end. */
export const open = <A>(
  signer: typeof LinkSigner.Service,
  { document, expires, signature }: SignedLink,
  now: number,
  read: (name: string) => A | undefined
): Result.Result<A, TokenInvalid | TokenExpired> => {
  const found = read(document)
  if (found === undefined || !signer.matches(`${document} ${expires}`, signature))
    return Result.fail(new TokenInvalid({ fault: "link" }))
  const seconds = Number(expires)
  // A link that was signed before the clock was set back would be valid for too long.
  if (seconds > endOfTomorrow(now + Instant.tokenLeeway)) return Result.fail(new TokenInvalid({ fault: "link" }))
  return now >= seconds * 1000 ? Result.fail(new TokenExpired({ of: "link" })) : Result.succeed(found)
}

export const pdfCodes = ["DOCUMENT_TOO_LARGE", "DOCUMENT_TOO_SLOW", "DOCUMENTS_BUSY"] as const

export const Pdf = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/pdf" })).annotate({
  description: "The PDF"
})

/** Browsers show the document, or save it as `name`. A host's own form can't run scripts: it may have customers' texts. */
export const documentResponse = (
  bytes: Uint8Array,
  name: string,
  own?: Pick<OwnPaper<never>, "extension" | "mimeType">
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: own?.mimeType ?? "application/pdf",
    headers: {
      "content-disposition": `inline; filename="${name}.${own?.extension ?? "pdf"}"`,
      "cache-control": "no-store",
      ...(own && { "content-security-policy": "sandbox", "x-content-type-options": "nosniff" })
    }
  })

/** Contract: opens a document by its signed link. */
export const opened = <const Path extends PathInput>(path: Path) =>
  HttpApiEndpoint.get("open", path, {
    params: Schema.Struct({ document: field(Fields.text(), "The document's name in the link") }),
    query: Proof,
    success: Pdf,
    error: [badRequest, unauthorized, notFound, unavailable]
  }).annotateMerge(codes("TOKEN_INVALID", "TOKEN_EXPIRED", ...pdfCodes))
