/** The platform's own invoices as PDF, behind signed links. Source: docs/reference/billing.md#invoice-links. */
import { LinkSigner, type TokenExpired, TokenInvalid } from "@crossdock/access"
import { Billing, type BillingNotFound, type Invoice } from "@crossdock/billing"
import type { DocumentFailure, PrintedInvoice, PrintedInvoiceLine } from "@crossdock/documents"
import { DocumentRenderer, dayText } from "@crossdock/documents"
import { CompanyId, type Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { turnOf } from "../RequestContext.ts"
import * as SignedLinks from "../SignedLinks.ts"
import { invoicePath } from "./PlatformScopes.ts"

/** The first and last day of a period. Its end is the first instant of the next period. */
const periodText = ({ end, start }: Invoice.Invoice["period"]): string =>
  end > start ? `${dayText(start)} to ${dayText(end - 1)}` : dayText(start)

/** One line per item, discount and tax, so that lines and total match the interface's. */
const lineOf = (item: Invoice.Item): PrintedInvoiceLine => ({
  title: item.type === "discount" ? `Discount ${item.name}` : item.name,
  details: item.description === null ? [] : [item.description],
  code: null,
  quantity: 1,
  rate: item.amount,
  discount: 0,
  charges: 0,
  taxRate: null,
  taxes: [],
  total: item.amount
})

/** The printable tax invoice of a billing invoice. */
export const printed = (invoice: Invoice.Invoice): PrintedInvoice => ({
  title: invoice.items.some(({ type }) => type === "tax") ? "Tax invoice" : "Invoice",
  number: invoice.number,
  date: invoice.createdAt,
  references: [
    { name: "Period", value: periodText(invoice.period) },
    { name: "Subscription", value: invoice.agreementId },
    { name: "Status", value: invoice.status === "paid" ? "Paid" : "To be paid" }
  ],
  seller: {
    name: invoice.seller.name,
    lines: invoice.seller.addressLines,
    phone: null,
    taxNumber: invoice.seller.taxNumber
  },
  buyer: {
    name: invoice.client.name,
    lines: [...invoice.client.addressLines, ...(invoice.client.email === null ? [] : [invoice.client.email])],
    phone: invoice.client.phone,
    taxNumber: null
  },
  shipTo: null,
  currency: invoice.currency,
  taxNames: [],
  lines: invoice.items.map(lineOf),
  qrCode: null,
  notes: invoice.seller.bank === null ? [] : [`Pay to: ${invoice.seller.bank}`]
})

/** Makes links to the PDFs of invoices, and opens them. */
export interface InvoicesAsPdf {
  /** Null without a PDF. `now` is in epoch milliseconds. */
  readonly urlOf: (invoice: Invoice.Invoice, now: number) => string | null
  readonly open: (
    link: SignedLinks.SignedLink,
    now: number
  ) => Stored<
    { readonly bytes: Uint8Array; readonly name: string },
    TokenInvalid | TokenExpired | BillingNotFound | DocumentFailure
  >
}

/** The PDFs of invoices. Without a layer, invoices have no PDF and no `invoice_url`. */
export const InvoiceDocuments = Context.Reference<InvoicesAsPdf>("@crossdock/http/InvoiceDocuments", {
  defaultValue: () => ({ urlOf: () => null, open: () => Effect.fail(new TokenInvalid({ fault: "link" })) })
})

const read = (name: string) => {
  const [, company, id = ""] = /^billing-([1-9]\d{0,14})-([0-9a-f]{24})\.pdf$/.exec(name) ?? []
  return company === undefined ? undefined : { company: CompanyId.make(Number(company)), id }
}

/** `base` is the host's address as its callers see it, without a trailing slash. */
export const layer = (base: string): Layer.Layer<never, never, LinkSigner | DocumentRenderer | Billing.Billing> =>
  Layer.effect(
    InvoiceDocuments,
    Effect.gen(function* () {
      const [signer, renderer, billing] = [yield* LinkSigner, yield* DocumentRenderer, yield* Billing.Billing]
      return {
        urlOf: ({ companyId, id }, now) =>
          `${base}${invoicePath}/${SignedLinks.signed(signer, `billing-${companyId}-${id}.pdf`, now)}`,
        open: Effect.fnUntraced(function* (link, now) {
          const { company, id } = yield* Effect.fromResult(SignedLinks.open(signer, link, now, read))
          yield* turnOf(`links:${company}`)
          const invoice = yield* billing.invoice(company, id)
          return { bytes: yield* renderer.invoices([printed(invoice)], "a4"), name: invoice.number }
        })
      }
    })
  )
