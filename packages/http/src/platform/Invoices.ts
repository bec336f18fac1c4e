/** Invoices and customers. As clients reject null, none is sent. Source: docs/reference/billing.md#invoices and #customer. */
import type { Billing, Customer, CustomerDetail, Invoice } from "@crossdock/billing"
import { Money, type Page } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, iso, nested, nestedList, nullableField, optionalField, presentFields } from "../internal/Fields.ts"

const phoneOf = <S extends Schema.Top>(text: S) =>
  Schema.Struct({
    phone_country_code: field(text, "Country code, such as 91"),
    phone_number: field(text, "The number in its country")
  })

const addressOf = <S extends Schema.Top>(text: S) =>
  Schema.Struct({
    line1: field(text, "First line"),
    line2: field(text, "Second line"),
    city: field(text, "City"),
    state: field(text, "State"),
    country: field(text, "Country"),
    postal_code: field(text, "Postal code")
  })

const sent = Fields.optional(Fields.text())

export const CustomerBody = Schema.Struct({
  unique_id: field(sent, "If sent, the company's own id, as text"),
  type: field(sent, "Ignored"),
  name: field(sent, "Name on invoices"),
  email: nullableField(Fields.email, "E-mail address; blank counts as absent"),
  phone: nullableField(phoneOf(sent), "Phone number"),
  billing_address: nullableField(addressOf(sent), "The billing address")
}).annotate({ identifier: "SubscriptionCustomerCreate" })

const detailOf = ({ billing_address, email, name, phone }: (typeof CustomerBody)["Type"]): CustomerDetail => ({
  ...presentFields({ name, email }),
  ...(phone === undefined || phone === null ? {} : { phone: presentFields(phone) }),
  ...(billing_address === undefined || billing_address === null
    ? {}
    : { billingAddress: presentFields(billing_address) })
})

/** The customer detail of a body, and the company that the body names. */
export const customerUpsert = (sent: typeof CustomerBody.Type): Billing.CustomerUpsert => ({
  uniqueId: sent.unique_id ?? null,
  detail: detailOf(sent)
})

const text = Schema.optionalKey(Schema.String)

export const changed = {
  created_at: field(Fields.time, "Time of creation, ISO 8601 in UTC"),
  modified_at: field(Fields.time, "Time of the last change, ISO 8601 in UTC")
}

export const CustomerView = Schema.Struct({
  _id: field(Schema.String, "Id of the customer detail, 24 hex characters"),
  unique_id: field(Schema.String, "Id of the company"),
  type: field(Schema.Literal("company"), "Always company"),
  name: field(text, "Name on invoices"),
  email: field(text, "E-mail address"),
  phone: optionalField(phoneOf(text), "Phone number"),
  billing_address: optionalField(addressOf(text), "The billing address"),
  data: nested("Kept for existing clients", {
    id: field(Schema.String, "Id of the customer detail"),
    pg_user_exists: field(Schema.Boolean, "Always false")
  }),
  ...changed
}).annotate({ identifier: "SubscriptionCustomer", description: "The customer detail of a company" })

export const customerView = (one: Customer): typeof CustomerView.Type => ({
  _id: one.id,
  unique_id: String(one.companyId),
  type: "company",
  ...presentFields({
    name: one.name ?? null,
    email: one.email ?? null,
    phone: one.phone === undefined ? null : { ...one.phone },
    billing_address: one.billingAddress === undefined ? null : { ...one.billingAddress }
  }),
  data: { id: one.id, pg_user_exists: false },
  created_at: iso(one.createdAt),
  modified_at: iso(one.modifiedAt)
})

export const Period = Schema.Struct({
  start: field(Fields.time, "The start, ISO 8601 in UTC"),
  end: field(Fields.time, "The end, ISO 8601 in UTC")
})

const InvoiceStatus = Schema.Literals(["draft", "open", "paid"])

export const InvoiceDetails = Schema.Struct({
  _id: field(Schema.String, "Id of the invoice, 24 hex characters"),
  number: field(Schema.String, "Invoice number, such as INV-2026-000001; no gaps per company and year"),
  current_status: field(InvoiceStatus, "Its status"),
  currency: field(Fields.currency, "The currency"),
  subtotal: field(Schema.Finite, "Sum before discount, credit and tax, in the currency's main unit"),
  total: field(Schema.Finite, "Sum of all items, in the currency's main unit"),
  paid: field(Schema.Boolean, "Whether it is paid"),
  subscriber_id: field(Schema.String, "Id of the company"),
  subscription: field(Schema.String, "Id of the subscription, charge or plan subscription"),
  collection_method: field(Schema.Literal("charge_automatically"), "Always charge_automatically"),
  auto_advance: field(Schema.Boolean, "Always true"),
  attemp: field(Fields.count(), "Number of failed payments (spelt this way)"),
  statement_descriptor: field(Schema.String, "Name of the issuer"),
  period: field(Period, "The billed period"),
  client: nested("The customer at the time of issue", {
    name: field(Schema.String, "Name"),
    email: field(text, "E-mail address"),
    phone: field(text, "Phone number"),
    address_lines: field(Schema.Array(Schema.String), "Address, line by line")
  }),
  status_trail: nestedList("All statuses so far, oldest first", {
    _id: field(Schema.String, "Id of the entry"),
    value: field(InvoiceStatus, "The status"),
    timestamp: field(Fields.time, "The time, ISO 8601 in UTC")
  }),
  invoice_url: field(text, "Signed link to the PDF"),
  next_action_time: optionalField(Fields.time, "When the payment is tried next, ISO 8601 in UTC"),
  ...changed
}).annotate({ identifier: "InvoiceDetails", description: "An invoice" })

export const InvoiceItem = Schema.Struct({
  _id: field(Schema.String, "Id of the item, 24 hex characters"),
  invoice_id: field(Schema.String, "Id of the invoice"),
  type: Schema.Literals(["subscription", "one_time", "usage", "discount", "credit", "tax"]),
  name: field(Schema.String, "Name"),
  description: field(text, "The service in words"),
  quantity: field(Fields.count(), "Always 1"),
  unit_amount: field(Schema.Finite, "The same as amount"),
  amount: field(Schema.Finite, "In the currency's main unit"),
  currency: field(Fields.currency, "The currency"),
  period: field(Period, "The billed period"),
  plan: optionalField(Schema.Struct({ _id: field(Schema.String, "Id of the plan") }), "The plan of the subscription"),
  ...changed
}).annotate({ identifier: "InvoiceItems", description: "An item of an invoice" })

export const InvoiceInList = Schema.Struct({
  ...InvoiceDetails.fields,
  invoice_items: field(Schema.Array(InvoiceItem), "The items; their sum is the total")
}).annotate({ identifier: "InvoiceInList", description: "An invoice with its items" })

const periodView = ({ end, start }: Invoice.Invoice["period"]) => ({ start: iso(start), end: iso(end) })

/** `url` is the link to the PDF, or null. */
export const invoiceDetails = (invoice: Invoice.Invoice, url: string | null): typeof InvoiceDetails.Type => ({
  _id: invoice.id,
  number: invoice.number,
  currency: invoice.currency,
  current_status: invoice.status,
  paid: invoice.status === "paid",
  subtotal: Money.toNumber(invoice.subtotal, invoice.currency),
  total: Money.toNumber(invoice.total, invoice.currency),
  subscriber_id: String(invoice.companyId),
  subscription: invoice.agreementId,
  collection_method: "charge_automatically",
  auto_advance: true,
  attemp: invoice.payment.attempts,
  statement_descriptor: invoice.seller.name,
  period: periodView(invoice.period),
  client: {
    name: invoice.client.name,
    ...presentFields({ email: invoice.client.email, phone: invoice.client.phone }),
    address_lines: invoice.client.addressLines
  },
  status_trail: invoice.trail.map(({ at, id: _id, status }) => ({ _id, value: status, timestamp: iso(at) })),
  ...presentFields({ invoice_url: url, next_action_time: Fields.isoOrNull(invoice.payment.nextAt) }),
  created_at: iso(invoice.createdAt),
  modified_at: iso(invoice.modifiedAt)
})

export const invoiceItems = (invoice: Invoice.Invoice): ReadonlyArray<typeof InvoiceItem.Type> =>
  invoice.items.map((item, nth) => ({
    _id: `${invoice.id.slice(0, 20)}${nth.toString(16).padStart(4, "0")}`,
    invoice_id: invoice.id,
    type: item.type,
    name: item.name,
    quantity: 1,
    unit_amount: Money.toNumber(item.amount, invoice.currency),
    amount: Money.toNumber(item.amount, invoice.currency),
    currency: invoice.currency,
    period: periodView(item.period),
    ...presentFields({ description: item.description, plan: item.planId === null ? null : { _id: item.planId } }),
    created_at: iso(invoice.createdAt),
    modified_at: iso(invoice.createdAt)
  }))

/** `start` and `end` are offsets. Pages are numbered from 1. */
export const invoicePage = (
  { items, total }: Page.Paged<Invoice.Invoice>,
  page: number,
  limit: number,
  urlOf: (invoice: Invoice.Invoice) => string | null
) => ({
  data: items.map((invoice) => ({ ...invoiceDetails(invoice, urlOf(invoice)), invoice_items: invoiceItems(invoice) })),
  start: (page - 1) * limit,
  end: page * limit,
  limit,
  page,
  total
})
