/** A company's plan. As clients reject null, none is sent. Source: docs/reference/billing.md#activate and #limits. */
import { Agreement, type Billing, type Plan, type PlanLimits } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, iso, isoOrNull, nested, optionalField, presentFields } from "../internal/Fields.ts"
import { changed, Period } from "./Invoices.ts"

const sent = Fields.optional(Fields.text())

export const ActivateBody = Schema.Struct({
  unique_id: field(sent, "If sent, the company's own id, as text"),
  type: field(sent, "Ignored"),
  product_suite: field(sent, "Ignored"),
  plan_id: field(Fields.name, "A plan's id"),
  payment_method: field(sent, "Ignored"),
  coupon_code: field(sent, "A coupon's code; counts as one use")
}).annotate({ identifier: "SubscriptionActivateReq", description: "The plan to subscribe to" })

export const activationOf = ({ coupon_code, plan_id, unique_id }: typeof ActivateBody.Type): Billing.Activation => ({
  planId: plan_id,
  uniqueId: unique_id ?? null,
  coupon: coupon_code ?? null
})

const text = Schema.optionalKey(Schema.String)

const PlanView = Schema.Struct({
  _id: field(Schema.String, "Id of the plan"),
  name: field(Schema.String, "Name"),
  description: field(Schema.String, "Description"),
  amount: field(Schema.Finite, "Price of a period, in the currency's main unit"),
  currency: field(Fields.currency, "The currency"),
  country: field(Schema.String, "Always IN"),
  type: field(Schema.Literal("public"), "Always public"),
  plan_group: field(Schema.Literal("default"), "Always default"),
  recurring: nested("How often it is charged", {
    interval: field(Schema.Literals(["month", "year"]), "Length of a period"),
    interval_count: field(Fields.count(), "Always 1")
  }),
  trial_period: field(Fields.count(), "Days before the first charge"),
  is_trial_plan: field(Schema.Boolean, "Always false"),
  is_active: field(Schema.Boolean, "Whether companies can subscribe"),
  is_visible: field(Schema.Boolean, "The same as is_active"),
  product_suite_id: field(text, "Its product suite"),
  tags: field(Schema.Array(Schema.String), "Always empty"),
  tag_lines: field(Schema.Array(Schema.String), "Always empty"),
  addons: field(Schema.Array(Schema.String), "Always empty"),
  ...changed
}).annotate({ identifier: "Plan", description: "A plan" })

export const SubscriptionView = Schema.Struct({
  _id: field(Schema.String, "Id of the plan's subscription, 24 hex characters"),
  current_status: field(Schema.Literals(["active", "canceled"]), "The status; plans spell canceled with one l"),
  is_active: field(Schema.Boolean, "Whether it is active"),
  plan_id: field(Schema.String, "Id of the plan"),
  plan_data: field(PlanView, "The plan"),
  subscriber_id: field(Schema.String, "Id of the company"),
  collection_method: field(Schema.Literal("charge_automatically"), "Always charge_automatically"),
  channel_type: field(Schema.Literal("ecomm"), "Always ecomm"),
  cancel_at_period_end: field(Schema.Boolean, "Whether the subscription ends with its period"),
  invoice_settings: nested("Handling of the invoices", {
    generation: field(Schema.Boolean, "Always true"),
    charging: field(Schema.Boolean, "Always true")
  }),
  current_period: field(Period, "The current period"),
  trial: optionalField(Period, "The trial, while it runs"),
  product_suite_id: field(text, "Its product suite"),
  latest_invoice: field(text, "Id of its latest invoice"),
  canceled_at: optionalField(Fields.time, "Time of cancelling, ISO 8601 in UTC"),
  cancel_at: optionalField(Fields.time, "The same as canceled_at"),
  ...changed
}).annotate({ identifier: "Subscription", description: "A company's subscription to a plan" })

const enabled = field(Schema.Boolean, "Whether the plan includes this")
const most = field(Schema.Finite, "The maximum; -1 means unlimited")

export const LimitsView = Schema.Struct({
  application: nested("Applications", {
    enabled,
    hard_limit: field(Schema.Finite, "The maximum; -1 means unlimited"),
    soft_limit: field(Schema.Finite, "The threshold of a warning; -1 means none")
  }),
  marketplace: field(Schema.Struct({ enabled }), "Marketplaces"),
  other_platform: field(Schema.Struct({ enabled }), "Other platforms"),
  team: field(Schema.Struct({ limit: most }), "Members of the team"),
  products: Schema.Struct({ bulk: field(Schema.Boolean, "Whether products can be written in bulk"), limit: most }),
  extensions: field(Schema.Struct({ enabled, limit: most }), "Extensions"),
  integrations: field(Schema.Struct({ enabled, limit: most }), "Integrations"),
  is_trial_plan: field(Schema.Boolean, "Whether the trial is running")
}).annotate({ identifier: "SubscriptionLimit", description: "Limits of the company's plan" })

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

export const limitsView = ({ isTrial, limits: found }: { readonly limits: PlanLimits; readonly isTrial: boolean }) => ({
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
