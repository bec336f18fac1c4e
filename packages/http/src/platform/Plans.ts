/**
 * Plans: the subscription of a company to one, and what it allows. Fields without a value are left out, since existing clients
 * reject null. Source: docs/reference/billing.md#activate and #limits.
 */

import { Agreement, type Billing, type Plan, type PlanLimits } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { described, iso, isoOrNull, presentFields } from "../internal/Fields.ts"
import { changed, Period } from "./Invoices.ts"

const sent = Fields.optional(Fields.text())

export const ActivateBody = Schema.Struct({
  unique_id: described(sent, "The company's own id as text, or absent"),
  type: described(sent, "Accepted and not used"),
  product_suite: described(sent, "Accepted and not used"),
  plan_id: described(Fields.name, "A plan's id"),
  payment_method: described(sent, "Accepted and not used"),
  coupon_code: described(sent, "A coupon's code; counts one use")
}).annotate({ identifier: "SubscriptionActivateReq", description: "The plan to subscribe to" })

export const activationOf = ({ coupon_code, plan_id, unique_id }: typeof ActivateBody.Type): Billing.Activation => ({
  planId: plan_id,
  uniqueId: unique_id ?? null,
  coupon: coupon_code ?? null
})

const text = Schema.optionalKey(Schema.String)

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
  ...changed
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
  ...changed
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
