/**
 * Billing as clients read it. Fields without a value are left out, since existing clients reject null.
 * Source: docs/reference/billing.md.
 */

import {
  Agreement,
  type Billing,
  type Customer,
  type Invoice,
  type Plan,
  type PlanLimits,
  SubscriptionLifecycle
} from "@crossdock/billing"
import { Money, type Page, required } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { iso, isoOrNull } from "../internal/IsoTime.ts"
import { presentFields } from "../internal/PresentFields.ts"

const text = Schema.optionalKey(Schema.String)

const Price = Schema.Struct({
  amount: described(Schema.Finite, "In the currency's main unit"),
  currency_code: described(Fields.currency, "The currency")
})

const Status = Schema.Literals(SubscriptionLifecycle.statuses)

const Dates = Schema.Struct({
  start_date: described(Fields.time, "Its start, ISO 8601 in UTC"),
  end_date: described(Fields.time, "Its end, ISO 8601 in UTC")
})

const activatedOn = described(Schema.optionalKey(Fields.time), "When the company accepted it, ISO 8601 in UTC")
const cancelledOn = described(Schema.optionalKey(Fields.time), "When it was cancelled, ISO 8601 in UTC")
const metadata = described(Schema.optionalKey(Fields.object), "The extension's own data, as it was sent")

const SubscriptionCharge = Schema.Struct({
  _id: described(Schema.String, "Id of the line, 24 hex characters"),
  name: described(Schema.String, "Name"),
  term: described(text, "What is paid for, in words"),
  pricing_type: described(Schema.Literals(["recurring", "one_time", "usage"]), "When it is charged"),
  price: described(Price, "Price"),
  recurring: described(
    Schema.optionalKey(Schema.Struct({ interval: described(Schema.Literals(["month", "year"]), "A period") })),
    "Of a recurring line: how often"
  ),
  capped_amount: described(Schema.optionalKey(Schema.Finite), "Of a usage line: the most that a period costs"),
  status: described(Status, "Status of the subscription"),
  is_test: described(Schema.Boolean, "Whether it charges nothing"),
  activated_on: activatedOn,
  cancelled_on: cancelledOn,
  billing_date: described(
    Schema.optionalKey(Fields.time),
    "Of a recurring line: when it is charged next, ISO 8601 in UTC"
  ),
  current_period: described(Schema.optionalKey(Dates), "Of a recurring line: the period that was charged last"),
  metadata
}).annotate({ identifier: "SubscriptionCharge", description: "A line of a subscription" })

export const EntitySubscription = Schema.Struct({
  _id: described(Schema.String, "Id of the subscription, 24 hex characters"),
  name: described(Schema.String, "Name"),
  status: described(Status, "Status"),
  company_id: described(Fields.uid, "Id of the company"),
  activated_on: activatedOn,
  cancelled_on: cancelledOn,
  trial_days: described(Fields.count(), "Days before the first charge"),
  trial_period: described(Schema.optionalKey(Dates), "The trial, once it was accepted"),
  line_items: described(Schema.Array(SubscriptionCharge), "What is charged")
}).annotate({ identifier: "EntitySubscription", description: "A company's subscription to an extension" })

export const OneTimeChargeEntity = Schema.Struct({
  _id: described(Schema.String, "Id of the charge, 24 hex characters"),
  name: described(Schema.String, "Name"),
  status: described(Status, "Status; success once it was accepted"),
  entity_type: described(Schema.Literal("extension"), "Always extension"),
  entity_id: described(Schema.String, "Id of the extension"),
  subscriber_id: described(Schema.String, "Id of the company"),
  pricing_type: described(Schema.Literal("one_time"), "Always one_time"),
  price: described(Price, "Price"),
  is_test: described(Schema.Boolean, "Whether it charges nothing"),
  return_url: described(Schema.String, "Where the company's browser goes after its decision"),
  activated_on: activatedOn,
  cancelled_on: cancelledOn,
  metadata
}).annotate({ identifier: "OneTimeChargeEntity", description: "A one-time charge of an extension" })

const createdAt = described(Fields.time, "When it was created, ISO 8601 in UTC")
const modifiedAt = described(Fields.time, "When it was last changed, ISO 8601 in UTC")

export const CustomerView = Schema.Struct({
  _id: described(Schema.String, "Id of the customer detail, 24 hex characters"),
  unique_id: described(Schema.String, "Id of the company"),
  type: described(Schema.Literal("company"), "Always company"),
  name: described(text, "Name on invoices"),
  email: described(text, "E-mail address"),
  phone: described(
    Schema.optionalKey(
      Schema.Struct({
        phone_country_code: described(text, "Country code"),
        phone_number: described(text, "The number in its country")
      })
    ),
    "Phone number"
  ),
  billing_address: described(
    Schema.optionalKey(
      Schema.Struct({
        line1: described(text, "First line"),
        line2: described(text, "Second line"),
        city: described(text, "City"),
        state: described(text, "State"),
        country: described(text, "Country"),
        postal_code: described(text, "Postal code")
      })
    ),
    "Where the company is billed"
  ),
  data: described(
    Schema.Struct({
      id: described(Schema.String, "Id of the customer detail"),
      pg_user_exists: described(Schema.Boolean, "Always false")
    }),
    "Kept for existing clients"
  ),
  created_at: createdAt,
  modified_at: modifiedAt
}).annotate({ identifier: "SubscriptionCustomer", description: "The customer detail of a company" })

const Period = Schema.Struct({
  start: described(Fields.time, "Its start, ISO 8601 in UTC"),
  end: described(Fields.time, "Its end, ISO 8601 in UTC")
})

const InvoiceStatus = Schema.Literals(["draft", "open", "paid"])

export const InvoiceDetails = Schema.Struct({
  _id: described(Schema.String, "Id of the invoice, 24 hex characters"),
  number: described(Schema.String, "Its number, without gaps per company and year, such as INV-2026-000001"),
  current_status: described(InvoiceStatus, "Its status"),
  currency: described(Fields.currency, "The currency"),
  subtotal: described(Schema.Finite, "Sum before discount, credit and tax, in the currency's main unit"),
  total: described(Schema.Finite, "Sum of all items, in the currency's main unit"),
  paid: described(Schema.Boolean, "Whether it is paid"),
  subscriber_id: described(Schema.String, "Id of the company"),
  subscription: described(Schema.String, "Id of the subscription, charge or plan subscription"),
  collection_method: described(Schema.Literal("charge_automatically"), "Always charge_automatically"),
  auto_advance: described(Schema.Boolean, "Always true"),
  attemp: described(Fields.count(), "Failed tries to collect; spelt so"),
  statement_descriptor: described(Schema.String, "Who issues it"),
  period: described(Period, "What it is for"),
  client: described(
    Schema.Struct({
      name: described(Schema.String, "Name"),
      email: described(text, "E-mail address"),
      phone: described(text, "Phone number"),
      address_lines: described(Schema.Array(Schema.String), "Address, line by line")
    }),
    "The customer when it was issued"
  ),
  status_trail: described(
    Schema.Array(
      Schema.Struct({
        _id: described(Schema.String, "Id of the entry"),
        value: described(InvoiceStatus, "The status"),
        timestamp: described(Fields.time, "When, ISO 8601 in UTC")
      })
    ),
    "Every status it had, oldest first"
  ),
  invoice_url: described(text, "Link to the PDF, which opens without a token until the end of the next day in UTC"),
  next_action_time: described(Schema.optionalKey(Fields.time), "When payment is tried again, ISO 8601 in UTC"),
  created_at: createdAt,
  modified_at: modifiedAt
}).annotate({ identifier: "InvoiceDetails", description: "An invoice" })

export const InvoiceItem = Schema.Struct({
  _id: described(Schema.String, "Id of the item, 24 hex characters"),
  invoice_id: described(Schema.String, "Id of the invoice"),
  type: described(
    Schema.Literals(["subscription", "one_time", "usage", "discount", "credit", "tax"]),
    "What it is; a discount or a credit for unused days is negative"
  ),
  name: described(Schema.String, "Name"),
  description: described(text, "What it is for, in words"),
  quantity: described(Fields.count(), "Always 1"),
  unit_amount: described(Schema.Finite, "The same as amount"),
  amount: described(Schema.Finite, "In the currency's main unit"),
  currency: described(Fields.currency, "The currency"),
  period: described(Period, "What it is for"),
  plan: described(
    Schema.optionalKey(Schema.Struct({ _id: described(Schema.String, "Id of the plan") })),
    "The plan that it belongs to"
  ),
  created_at: createdAt,
  modified_at: modifiedAt
}).annotate({ identifier: "InvoiceItems", description: "An item of an invoice" })

export const InvoiceInList = Schema.Struct({
  ...InvoiceDetails.fields,
  invoice_items: described(Schema.Array(InvoiceItem), "Its items, which come to its total")
}).annotate({ identifier: "InvoiceInList", description: "An invoice with its items" })

const PlanView = Schema.Struct({
  _id: described(Schema.String, "Id of the plan"),
  name: described(Schema.String, "Name"),
  description: described(Schema.String, "What it offers"),
  amount: described(Schema.Finite, "Price of a period, in the currency's main unit"),
  currency: described(Fields.currency, "The currency"),
  country: described(Schema.String, "Always IN"),
  type: described(Schema.Literal("public"), "Always public"),
  plan_group: described(Schema.Literal("default"), "Always default"),
  recurring: described(
    Schema.Struct({
      interval: described(Schema.Literals(["month", "year"]), "A period"),
      interval_count: described(Fields.count(), "Always 1")
    }),
    "How often it is charged"
  ),
  trial_period: described(Fields.count(), "Days before the first charge"),
  is_trial_plan: described(Schema.Boolean, "Always false"),
  is_active: described(Schema.Boolean, "Whether it can be subscribed to"),
  is_visible: described(Schema.Boolean, "The same as is_active"),
  product_suite_id: described(text, "Its product suite"),
  tags: described(Schema.Array(Schema.String), "Always empty"),
  tag_lines: described(Schema.Array(Schema.String), "Always empty"),
  addons: described(Schema.Array(Schema.String), "Always empty"),
  created_at: createdAt,
  modified_at: modifiedAt
}).annotate({ identifier: "Plan", description: "A plan" })

export const SubscriptionView = Schema.Struct({
  _id: described(Schema.String, "Id of the plan's subscription, 24 hex characters"),
  current_status: described(Schema.Literals(["active", "canceled"]), "Spelt so for plans"),
  is_active: described(Schema.Boolean, "Whether it is active"),
  plan_id: described(Schema.String, "Id of the plan"),
  plan_data: described(PlanView, "The plan"),
  subscriber_id: described(Schema.String, "Id of the company"),
  collection_method: described(Schema.Literal("charge_automatically"), "Always charge_automatically"),
  channel_type: described(Schema.Literal("ecomm"), "Always ecomm"),
  cancel_at_period_end: described(Schema.Boolean, "Whether it ends with its period"),
  invoice_settings: described(
    Schema.Struct({
      generation: described(Schema.Boolean, "Always true"),
      charging: described(Schema.Boolean, "Always true")
    }),
    "What happens with its invoices"
  ),
  current_period: described(Period, "The period that runs"),
  trial: described(Schema.optionalKey(Period), "The trial, while it runs"),
  product_suite_id: described(text, "Its product suite"),
  latest_invoice: described(text, "Id of its latest invoice"),
  canceled_at: described(Schema.optionalKey(Fields.time), "When it was cancelled, ISO 8601 in UTC"),
  cancel_at: described(Schema.optionalKey(Fields.time), "The same as canceled_at"),
  created_at: createdAt,
  modified_at: modifiedAt
}).annotate({ identifier: "Subscription", description: "A company's subscription to a plan" })

const enabled = described(Schema.Boolean, "Whether the plan has it")
const most = described(Schema.Finite, "How many; -1 is no limit")

export const LimitsView = Schema.Struct({
  application: described(
    Schema.Struct({
      enabled,
      hard_limit: described(Schema.Finite, "Never more than this; -1 is no limit"),
      soft_limit: described(Schema.Finite, "A warning from this on; -1 is no limit")
    }),
    "Applications"
  ),
  marketplace: described(Schema.Struct({ enabled }), "Marketplaces"),
  other_platform: described(Schema.Struct({ enabled }), "Other platforms"),
  team: described(Schema.Struct({ limit: most }), "Members of the team"),
  products: described(
    Schema.Struct({ bulk: described(Schema.Boolean, "Whether products can be written in bulk"), limit: most }),
    "Products"
  ),
  extensions: described(Schema.Struct({ enabled, limit: most }), "Extensions"),
  integrations: described(Schema.Struct({ enabled, limit: most }), "Integrations"),
  is_trial_plan: described(Schema.Boolean, "Whether the plan's trial runs")
}).annotate({ identifier: "SubscriptionLimit", description: "What the company's plan allows" })

const dates = ({ activatedAt, cancelledAt }: Agreement.Agreement) =>
  presentFields({ activated_on: isoOrNull(activatedAt), cancelled_on: isoOrNull(cancelledAt) })

const price = (amount: number, currency: string) => ({
  amount: Money.toNumber(amount, currency),
  currency_code: currency
})

const lineView = (agreement: Agreement.Agreement, line: Agreement.Line): typeof SubscriptionCharge.Type => {
  const period = Agreement.billedPeriod(agreement)
  const isRecurring = line.pricing === "recurring"
  return {
    _id: line.id,
    name: line.name,
    pricing_type: line.pricing,
    price: price(line.amount, agreement.currency),
    status: agreement.status,
    is_test: line.isTest || agreement.isTest,
    ...dates(agreement),
    ...presentFields({
      term: line.term,
      recurring: line.interval === null ? null : { interval: line.interval },
      capped_amount: line.cap === null ? null : Money.toNumber(line.cap, agreement.currency),
      metadata: line.metadata === null ? null : { ...line.metadata },
      billing_date: isRecurring ? isoOrNull(period?.end ?? agreement.anchor) : null,
      current_period:
        isRecurring && period !== undefined ? { start_date: iso(period.start), end_date: iso(period.end) } : null
    })
  }
}

export const subscription = (agreement: Agreement.Agreement): typeof EntitySubscription.Type => ({
  _id: agreement.id,
  name: agreement.name,
  status: agreement.status,
  company_id: agreement.companyId,
  ...dates(agreement),
  trial_days: agreement.trialDays,
  ...(agreement.trialDays > 0 && agreement.activatedAt !== null
    ? {
        trial_period: {
          start_date: iso(agreement.activatedAt),
          end_date: iso(Agreement.trialEnd(agreement.trialDays, agreement.activatedAt))
        }
      }
    : {}),
  line_items: agreement.lines.map((line) => lineView(agreement, line))
})

export const charge = (agreement: Agreement.Agreement): typeof OneTimeChargeEntity.Type => {
  const line = required(agreement.lines[0], "the line of a charge")
  return {
    _id: agreement.id,
    name: agreement.name,
    status: agreement.status,
    entity_type: "extension",
    entity_id: agreement.entityId,
    subscriber_id: String(agreement.companyId),
    pricing_type: "one_time",
    price: price(line.amount, agreement.currency),
    is_test: agreement.isTest || line.isTest,
    return_url: agreement.confirmation?.returnUrl ?? "",
    ...dates(agreement),
    ...presentFields({ metadata: line.metadata === null ? null : { ...line.metadata } })
  }
}

export const customer = (one: Customer): typeof CustomerView.Type => ({
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

const planView = (plan: Plan): typeof PlanView.Type => ({
  _id: plan.id,
  name: plan.name,
  description: plan.description,
  amount: Money.toNumber(plan.amount, plan.currency),
  currency: plan.currency,
  country: "IN",
  type: "public",
  plan_group: "default",
  recurring: { interval: plan.interval, interval_count: 1 },
  trial_period: plan.trialDays,
  is_trial_plan: false,
  is_active: plan.isActive,
  is_visible: plan.isActive,
  ...presentFields({ product_suite_id: plan.productSuite }),
  tags: [],
  tag_lines: [],
  addons: [],
  created_at: iso(plan.createdAt),
  modified_at: iso(plan.modifiedAt)
})

export const planSubscription = (
  { agreement, latestInvoice, plan }: Billing.PlanSubscription,
  now: number
): typeof SubscriptionView.Type => {
  const { activatedAt, anchor, cancelledAt, createdAt, status } = agreement
  const isActive = status === "active" || status === "no_renew"
  const start = activatedAt ?? createdAt
  const isTrial = anchor !== null && now < anchor
  const period = Agreement.billedPeriod(agreement) ?? { start, end: anchor ?? start }
  return {
    _id: agreement.id,
    // Plans say canceled, charges say cancelled. Source: docs/reference/billing.md#fixed-values.
    current_status: isActive ? "active" : "canceled",
    is_active: isActive,
    plan_id: plan.id,
    plan_data: planView(plan),
    subscriber_id: String(agreement.companyId),
    collection_method: "charge_automatically",
    channel_type: "ecomm",
    cancel_at_period_end: status === "no_renew",
    invoice_settings: { generation: true, charging: true },
    current_period: { start: iso(period.start), end: iso(period.end) },
    ...(isTrial ? { trial: { start: iso(start), end: iso(anchor) } } : {}),
    ...presentFields({
      product_suite_id: plan.productSuite,
      latest_invoice: latestInvoice?.id ?? null,
      canceled_at: isoOrNull(cancelledAt),
      cancel_at: isoOrNull(cancelledAt)
    }),
    created_at: iso(createdAt),
    modified_at: iso(Math.max(createdAt, latestInvoice?.modifiedAt ?? 0, cancelledAt ?? 0))
  }
}

export const limits = ({ isTrial, limits: found }: { readonly limits: PlanLimits; readonly isTrial: boolean }) => ({
  application: {
    enabled: found.application.enabled,
    hard_limit: found.application.hardLimit,
    soft_limit: found.application.softLimit
  },
  marketplace: { ...found.marketplace },
  other_platform: { ...found.otherPlatform },
  team: { ...found.team },
  products: { ...found.products },
  extensions: { ...found.extensions },
  integrations: { ...found.integrations },
  is_trial_plan: isTrial
})

const periodView = ({ end, start }: Invoice.Invoice["period"]) => ({ start: iso(start), end: iso(end) })

/**
 * `url` is the link to the PDF, or null.
 */
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
  ...presentFields({ invoice_url: url, next_action_time: isoOrNull(invoice.payment.nextAt) }),
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

/**
 * `start` and `end` are offsets; pages count from 1.
 */
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
