/**
 * The stored bodies of billing.
 */
import type { Agreement, Coupon, Customer, Extension, Invoice, Plan } from "@crossdock/billing"
import { StoredBody } from "@crossdock/kernel"

export const agreements = StoredBody.make<Agreement.Agreement>({
  name: "agreement",
  fields: {
    companyId: true,
    id: true,
    firstId: true,
    kind: true,
    entityId: true,
    name: true,
    currency: true,
    isTest: true,
    lines: true,
    status: true,
    createdAt: true,
    activatedAt: true,
    cancelledAt: true,
    confirmation: true,
    trialDays: true,
    anchor: true,
    billed: true,
    discount: true,
    credit: true,
    usage: true,
    version: true
  },
  upcasters: [
    // Before 2, an agreement didn't say which ones it continues. What it took over was credited even if it wasn't paid yet,
    // so nothing is credited later.
    (older) => ({ ...older, firstId: older.id }),
    // Before 3, it repeated what its last period cost, which its invoices say.
    ({ lastBilled: _, ...older }) => older
  ]
})

/** An invoice's seller was its name alone. */
const sellerOfName = (older: Readonly<Record<string, unknown>>) => ({
  ...older,
  seller: { name: older.seller, addressLines: [], taxNumber: null, bank: null }
})

export const invoices = StoredBody.make<Invoice.Invoice>({
  name: "invoice",
  fields: {
    companyId: true,
    agreementId: true,
    index: true,
    period: true,
    currency: true,
    items: true,
    subtotal: true,
    total: true,
    id: true,
    number: true,
    status: true,
    seller: { name: true, addressLines: true, taxNumber: true, bank: true },
    client: true,
    createdAt: true,
    modifiedAt: true,
    trail: true,
    payment: true,
    version: true
  },
  upcasters: [sellerOfName]
})

export const customers = StoredBody.make<Customer>({
  name: "customer",
  fields: { companyId: true, id: true, createdAt: true, modifiedAt: true, version: true }
})

export const plans = StoredBody.make<Plan>({
  name: "plan",
  fields: {
    id: true,
    name: true,
    description: true,
    amount: true,
    currency: true,
    interval: true,
    trialDays: true,
    productSuite: true,
    isActive: true,
    limits: true,
    createdAt: true,
    modifiedAt: true
  }
})

export const extensions = StoredBody.make<Extension>({
  name: "extension",
  fields: { id: true, name: true, companies: true }
})

export const coupons = StoredBody.make<Coupon.Coupon>({
  name: "coupon",
  fields: { code: true, reduction: true, plans: true, startsAt: true, endsAt: true, maxUses: true }
})
