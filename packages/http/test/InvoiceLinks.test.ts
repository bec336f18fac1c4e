/**
 * PDFs of a platform's own invoices over HTTP.
 */
import { LinkSignerHmac } from "@crossdock/crypto"
import { SignedLinks } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Redacted } from "effect"
import { beforeAll } from "vitest"
import { texts } from "../../documents/test/PdfReading.ts"
import { useHost } from "./TestHost.ts"

interface Invoice {
  readonly _id: string
  readonly number: string
  readonly total: number
  readonly invoice_url: string
}

const secret = Redacted.make("a secret of at least thirty-two letters")
const base = "/service/platform/billing/v1.0/company"
const day = 86_400_000

describe("the link of an invoice", () => {
  const host = useHost({ tokenSecret: Redacted.value(secret) })
  let invoice: Invoice

  const rejection = async (url: string) => {
    const answer = await host.fetch(url)
    const { code } = (await answer.json()) as { readonly code: string }
    return [url, answer.status, code] as const
  }

  beforeAll(async () => {
    const call = <A>(method: string, path: string, body?: unknown) =>
      host.globexOps.call<A>(method, `${base}/2/${path}`, body).then((answer) => answer.body)
    await call("POST", "subscription/customer-detail", {
      name: "Globex Retail",
      email: "pay@globex.example",
      phone: { phone_country_code: "91", phone_number: "9845000000" },
      billing_address: { line1: "7 Harbour Street", city: "Delhi", country: "India", postal_code: "110001" }
    })
    await call("POST", "subscription/activate", { plan_id: "growth", coupon_code: "WELCOME10" })
    const { data } = await call<{ readonly data: ReadonlyArray<Invoice> }>("GET", "invoice/list")
    invoice = data[0] as Invoice
  })

  it("opens a PDF with the invoice's number, client, lines and total, without signing in", async () => {
    assertTrue(invoice.invoice_url.startsWith(`${host.url}/billing/invoice/billing-2-${invoice._id}.pdf?`))
    const answer = await host.fetch(invoice.invoice_url)
    strictEqual(answer.status, 200)
    strictEqual(answer.headers.get("content-type"), "application/pdf")
    strictEqual(answer.headers.get("content-disposition"), `inline; filename="${invoice.number}.pdf"`)
    strictEqual(answer.headers.get("cache-control"), "no-store")
    const pages = await texts(new Uint8Array(await answer.arrayBuffer()))
    strictEqual(pages.length, 1)
    const page = pages.join(" ").replace(/\s+/g, " ")
    for (const part of [
      invoice.number,
      "Crossdock",
      "Globex Retail",
      "7 Harbour Street",
      "110001",
      "pay@globex.example",
      "Phone 91 9845000000",
      "Growth",
      "4,999.00",
      "Discount WELCOME10",
      "−499.90",
      "₹4,499.10",
      "Rupees Four Thousand Four Hundred Ninety-Nine and Ten Paise Only"
    ]) {
      assertInclude(page, part)
    }
    strictEqual(invoice.total, 4499.1)
  })

  it("is the same in the list, the invoice and the current plan, on every read", async () => {
    const one = await host.globexOps.call<{ readonly invoice: Invoice }>("GET", `${base}/2/invoice/${invoice._id}`)
    const current = await host.globexOps.call<{ readonly latest_invoice: Invoice }>(
      "GET",
      `${base}/2/subscription/current`
    )
    deepStrictEqual(
      [one.body.invoice.invoice_url, current.body.latest_invoice.invoice_url],
      [invoice.invoice_url, invoice.invoice_url]
    )
  })

  it("is rejected if any part was changed, so it is no use for another company's invoices", async () => {
    const url = new URL(invoice.invoice_url)
    const [expires, signature] = ["expires", "signature"].map((name) => url.searchParams.get(name) ?? "")
    for (const wrong of [
      invoice.invoice_url.replace("billing-2-", "billing-1-"),
      invoice.invoice_url.replace(invoice._id, "0".repeat(24)),
      invoice.invoice_url.replace(`expires=${expires}`, `expires=${Number(expires) + 86_400}`),
      invoice.invoice_url.replace(signature ?? "", (signature ?? "").slice(0, -1)),
      invoice.invoice_url.replace(/&signature=.*/, ""),
      invoice.invoice_url.replace(/\?.*/, ""),
      invoice.invoice_url.replace("/billing/invoice/", "/documents/"),
      `${host.url}/billing/invoice/x`
    ]) {
      deepStrictEqual(await rejection(wrong), [wrong, 401, "TOKEN_INVALID"])
    }
    const foreign = await host.ops.call<{ readonly message: string }>("GET", `${base}/1/invoice/${invoice._id}`)
    deepStrictEqual([foreign.status, foreign.body.message], [404, "Invoice not found"])
    strictEqual((await host.ops.call("GET", `${base}/2/invoice/${invoice._id}`)).status, 403)
  })

  it("expires at the end of the next day, or when the invoice is no longer there", async () => {
    const signer = LinkSignerHmac.make(secret)
    const link = (company: number, now: number) =>
      `${host.url}/billing/invoice/${SignedLinks.signed(signer, `billing-${company}-${invoice._id}.pdf`, now)}`
    const old = link(2, Date.now() - 2 * day)
    deepStrictEqual(await rejection(old), [old, 401, "TOKEN_EXPIRED"])
    strictEqual(link(2, Date.now()), invoice.invoice_url)
    const none = link(1, Date.now())
    deepStrictEqual(await rejection(none), [none, 404, "NOT_FOUND"])
  })
})
