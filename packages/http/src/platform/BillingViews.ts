/**
 * Billing as clients read it. Fields without a value are left out, since existing clients reject null.
 * Source: docs/reference/billing.md.
 */

import { Agreement, type Billing, type Customer, type Invoice, type Plan, type PlanLimits } from "@crossdock/billing"
import { Money, type Page } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { iso, isoOrNull } from "../internal/IsoTime.ts"
import { presentFields } from "../internal/PresentFields.ts"

const text = Schema.optionalKey(Schema.String)

const Price = Schema.Struct({ amount: Schema.Finite, currency_code: Schema.String })

const SubscriptionCharge = Schema.Struct({
  _id: Schema.String,
  name: Schema.String,
  term: text,
  pricing_type: Schema.String,
  price: Price,
  recurring: Schema.optionalKey(Schema.Struct({ interval: Schema.String })),
  capped_amount: Schema.optionalKey(Schema.Finite),
  status: Schema.String,
  is_test: Schema.Boolean,
  activated_on: text,
  cancelled_on: text,
  billing_date: text,
  current_period: Schema.optionalKey(Schema.Struct({ start_date: Schema.String, end_date: Schema.String })),
  metadata: Schema.optionalKey(Fields.object)
}).annotate({ identifier: "SubscriptionCharge" })

export const EntitySubscription = Schema.Struct({
  _id: Schema.String,
  name: Schema.String,
  status: Schema.String,
  company_id: Schema.Int,
  activated_on: text,
  cancelled_on: text,
  trial_days: Schema.Int,
  trial_period: Schema.optionalKey(Schema.Struct({ start_date: Schema.String, end_date: Schema.String })),
  line_items: Schema.Array(SubscriptionCharge)
}).annotate({ identifier: "EntitySubscription" })

export const OneTimeChargeEntity = Schema.Struct({
  _id: Schema.String,
  name: Schema.String,
  status: Schema.String,
  entity_type: Schema.String,
  entity_id: Schema.String,
  subscriber_id: Schema.String,
  pricing_type: Schema.String,
  price: Price,
  is_test: Schema.Boolean,
  return_url: Schema.String,
  activated_on: text,
  cancelled_on: text,
  metadata: Schema.optionalKey(Fields.object)
}).annotate({ identifier: "OneTimeChargeEntity" })

export const CustomerView = Schema.StructWithRest(
  Schema.Struct({
    _id: Schema.String,
    unique_id: Schema.String,
    type: Schema.String,
    name: text,
    email: text,
    phone: Schema.optionalKey(Fields.object),
    billing_address: Schema.optionalKey(Fields.object),
    data: Fields.object,
    created_at: Schema.String,
    modified_at: Schema.String
  }),
  [Fields.object]
).annotate({ identifier: "SubscriptionCustomer" })

const id = { _id: Schema.String }

const Period = Schema.Struct({ start: Schema.String, end: Schema.String })

export const InvoiceDetails = Schema.StructWithRest(
  Schema.Struct({
    ...id,
    number: Schema.String,
    current_status: Schema.String,
    currency: Schema.String,
    subtotal: Schema.Finite,
    total: Schema.Finite,
    paid: Schema.Boolean,
    subscriber_id: Schema.String,
    subscription: Schema.String,
    collection_method: Schema.String,
    auto_advance: Schema.Boolean,
    attemp: Schema.Int,
    statement_descriptor: Schema.String,
    period: Period,
    client: Fields.object,
    status_trail: Schema.Array(Schema.Struct({ _id: Schema.String, value: Schema.String, timestamp: Schema.String })),
    invoice_url: text,
    next_action_time: text,
    created_at: Schema.String,
    modified_at: Schema.String
  }),
  [Fields.object]
).annotate({ identifier: "InvoiceDetails" })

export const InvoiceItem = Schema.StructWithRest(
  Schema.Struct({
    ...id,
    invoice_id: Schema.String,
    type: Schema.String,
    name: Schema.String,
    description: text,
    quantity: Schema.Int,
    unit_amount: Schema.Finite,
    amount: Schema.Finite,
    currency: Schema.String,
    period: Period,
    plan: Schema.optionalKey(Fields.object),
    created_at: Schema.String,
    modified_at: Schema.String
  }),
  [Fields.object]
).annotate({ identifier: "InvoiceItems" })

export const SubscriptionView = Schema.StructWithRest(
  Schema.Struct({
    ...id,
    current_status: Schema.String,
    is_active: Schema.Boolean,
    plan_id: Schema.String,
    plan_data: Fields.object,
    subscriber_id: Schema.String,
    collection_method: Schema.String,
    channel_type: Schema.String,
    cancel_at_period_end: Schema.Boolean,
    invoice_settings: Schema.Struct({ generation: Schema.Boolean, charging: Schema.Boolean }),
    current_period: Period,
    trial: Schema.optionalKey(Period),
    product_suite_id: text,
    latest_invoice: text,
    created_at: Schema.String,
    modified_at: Schema.String
  }),
  [Fields.object]
).annotate({ identifier: "Subscription" })

const Enabled = Schema.Struct({ enabled: Schema.Boolean })

export const LimitsView = Schema.Struct({
  application: Schema.Struct({ enabled: Schema.Boolean, hard_limit: Schema.Finite, soft_limit: Schema.Finite }),
  marketplace: Enabled,
  other_platform: Enabled,
  team: Schema.Struct({ limit: Schema.Finite }),
  products: Schema.Struct({ bulk: Schema.Boolean, limit: Schema.Finite }),
  extensions: Schema.Struct({ enabled: Schema.Boolean, limit: Schema.Finite }),
  integrations: Schema.Struct({ enabled: Schema.Boolean, limit: Schema.Finite }),
  is_trial_plan: Schema.Boolean
}).annotate({ identifier: "SubscriptionLimit" })

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
  const [line] = agreement.lines
  return {
    _id: agreement.id,
    name: agreement.name,
    status: agreement.status,
    entity_type: "extension",
    entity_id: agreement.entityId,
    subscriber_id: String(agreement.companyId),
    pricing_type: "one_time",
    price: price(line?.amount ?? 0, agreement.currency),
    is_test: agreement.isTest || line?.isTest === true,
    return_url: agreement.confirmation?.returnUrl ?? "",
    ...dates(agreement),
    ...presentFields({ metadata: line?.metadata === null || line === undefined ? null : { ...line.metadata } })
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

const planView = (plan: Plan) => ({
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
