/** Signed links to the labels and invoices of shipments. Source: docs/reference/documents.md#links. */
import { LinkSigner, type TokenExpired, type TokenInvalid } from "@crossdock/access"
import { type PrintSize, ShipmentDocuments } from "@crossdock/documents"
import { CompanyId } from "@crossdock/kernel"
import type { Shipment } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as SignedLinks from "../SignedLinks.ts"

export interface DocumentLink {
  readonly companyId: CompanyId
  readonly family: ShipmentDocuments.DocumentFamily
  readonly size: PrintSize
  readonly shipmentId: string
}

/** The four links of a shipment. A link is null while its document doesn't exist. */
export interface DocumentUrls {
  readonly labelPdfUrl: string | null
  readonly labelA6PdfUrl: string | null
  readonly A4invoicePdfUrl: string | null
  readonly A6invoicePdfUrl: string | null
}

/** Makes the links of shipments, and opens them. */
export class DocumentLinks extends Context.Service<
  DocumentLinks,
  {
    /** `now` is in epoch milliseconds. Within a day the links of a shipment stay the same. */
    readonly urlsOf: (shipment: Shipment, now: number) => DocumentUrls
    readonly open: (
      link: SignedLinks.SignedLink,
      now: number
    ) => Result.Result<DocumentLink, TokenInvalid | TokenExpired>
  }
>()("@crossdock/http/DocumentLinks") {}

const read = (name: string): DocumentLink | undefined => {
  const parts = /^(labels|invoice)-(a4|a6)-([1-9]\d{0,14})-(\d{20})\.pdf$/.exec(name)
  const [, family, size, company, shipmentId = ""] = parts ?? []
  if (company === undefined) return undefined
  return {
    companyId: CompanyId.make(Number(company)),
    family: family === "labels" ? "labels" : "invoice",
    size: size === "a4" ? "a4" : "a6",
    shipmentId
  }
}

/** `base` is the host's address as its callers see it, without a trailing slash. */
export const layer = (base: string): Layer.Layer<DocumentLinks, never, LinkSigner> =>
  Layer.effect(
    DocumentLinks,
    Effect.map(LinkSigner, (signer) => {
      const url = (shipment: Shipment, family: ShipmentDocuments.DocumentFamily, size: PrintSize, now: number) => {
        if (!ShipmentDocuments.isReady[family](shipment)) return null
        const name = `${family}-${size}-${shipment.companyId}-${shipment.id}.pdf`
        return `${base}/documents/${SignedLinks.signed(signer, name, now)}`
      }
      return DocumentLinks.of({
        urlsOf: (shipment, now) => ({
          labelPdfUrl: url(shipment, "labels", "a4", now),
          labelA6PdfUrl: url(shipment, "labels", "a6", now),
          A4invoicePdfUrl: url(shipment, "invoice", "a4", now),
          A6invoicePdfUrl: url(shipment, "invoice", "a6", now)
        }),
        open: (link, now) => SignedLinks.open(signer, link, now, read)
      })
    })
  )
