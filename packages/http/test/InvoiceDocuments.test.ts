import { Invoice } from "@crossdock/billing"
import { totalsOf } from "@crossdock/documents"
import { InvoiceDocuments } from "@crossdock/http"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as FastCheck from "fast-check"

const period = { start: Date.UTC(2026, 0, 31), end: Date.UTC(2026, 1, 28) }

const item = (type: Invoice.ItemType, amount: number): Invoice.Item => ({
  type,
  name: type,
  description: null,
  amount,
  period,
  planId: null
})

const invoiceOf = (items: ReadonlyArray<Invoice.Item>, tax: Invoice.Tax | null): Invoice.Invoice => ({
  ...Invoice.draft(
    { companyId: CompanyId.make(1), agreementId: "a".repeat(24), index: 0, period, currency: "INR" },
    items,
    tax
  ),
  id: "b".repeat(24),
  number: "INV-2026-000001",
  status: "open",
  seller: { name: "Crossdock", addressLines: [], taxNumber: null, bank: null },
  client: { name: "Acme", email: null, phone: null, addressLines: [] },
  createdAt: period.start,
  modifiedAt: period.start,
  trail: [],
  payment: { state: "none", attempts: 0, nextAt: null },
  version: 1
})

describe("the printed invoice of a platform", () => {
  it("has the invoice's items as lines, and its total to the last minor unit", () => {
    const cases = FastCheck.record({
      charges: FastCheck.array(FastCheck.integer({ min: 1, max: 10 ** 12 }), { minLength: 1, maxLength: 5 }),
      off: FastCheck.integer({ min: 0, max: 100 }),
      tax: FastCheck.option(FastCheck.record({ name: FastCheck.constant("GST"), hundredths: FastCheck.nat(2800) }))
    })
    FastCheck.assert(
      FastCheck.property(cases, ({ charges, off, tax }) => {
        const most = Math.floor((Invoice.sum(charges) * off) / 100)
        const items = [
          ...charges.map((amount) => item("subscription", amount)),
          ...(most === 0 ? [] : [item("discount", -most)])
        ]
        const invoice = invoiceOf(items, tax)
        const printed = InvoiceDocuments.printed(invoice)
        strictEqual(totalsOf(printed).total, invoice.total)
        deepStrictEqual(
          printed.lines.map(({ total }) => total),
          invoice.items.map(({ amount }) => amount)
        )
      })
    )
  })

  it("is a tax invoice only if it has tax, and shows a period by its first and last day", () => {
    const plain = InvoiceDocuments.printed(invoiceOf([item("subscription", 100)], null))
    const taxed = InvoiceDocuments.printed(invoiceOf([item("subscription", 100)], { name: "GST", hundredths: 1800 }))
    deepStrictEqual([plain.title, taxed.title], ["Invoice", "Tax invoice"])
    deepStrictEqual(
      taxed.lines.map(({ title, total }) => [title, total]),
      [
        ["subscription", 100],
        ["GST", 18]
      ]
    )
    deepStrictEqual(plain.references[0], { name: "Period", value: "31 Jan 2026 to 27 Feb 2026" })
  })

  it("shows its seller with address, tax number and bank", () => {
    const seller = {
      name: "Crossdock Services Private Limited",
      addressLines: ["7 Dock Road", "Mumbai 400001"],
      taxNumber: { name: "GSTIN", value: "27AAAAA0000A1Z5" },
      bank: "Bank of Mumbai, account 1, IFSC BOMB0000001"
    }
    const printed = InvoiceDocuments.printed({ ...invoiceOf([item("subscription", 100)], null), seller })
    const { addressLines: lines, name, taxNumber } = seller
    deepStrictEqual(printed.seller, { name, lines, phone: null, taxNumber })
    deepStrictEqual(printed.notes, ["Pay to: Bank of Mumbai, account 1, IFSC BOMB0000001"])
  })

  it.effect("does not exist on a host that doesn't print: such a host neither gives nor opens links", () =>
    Effect.gen(function* () {
      const { open, urlOf } = yield* InvoiceDocuments.InvoiceDocuments
      strictEqual(urlOf(invoiceOf([item("subscription", 100)], null), 0), null)
      const link = { document: `billing-1-${"b".repeat(24)}.pdf`, expires: "9999999999", signature: "" }
      strictEqual((yield* Effect.flip(open(link, 0)))._tag, "TokenInvalid")
    })
  )
})
