/** Charges of extensions. As clients reject null, none is sent. Source: docs/reference/billing.md#subscription-charges. */
import { Agreement, AgreementLifecycle, type ChargeDraft, type LineDraft } from "@crossdock/billing"
import { Money, required } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, iso, isoOrNull, nullableField, optionalField, presentFields } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

const PriceBody = Schema.Struct({
  amount: field(Fields.amount, "At least 1, in the currency's main unit, with no more decimals than the currency has"),
  currency_code: field(Fields.currency, "The currency")
})

const itemFields = {
  name: field(Fields.name, "Name on the confirm page and on invoices"),
  price: field(PriceBody, "Price"),
  capped_amount: nullableField(Fields.amount, "Maximum charge of a usage line in a period"),
  is_test: nullableField(Fields.flag, "true: a test, which charges nothing"),
  metadata: nullableField(Fields.freeForm, "The extension's own data, returned with the line")
}

const LineBody = Schema.Struct({
  ...itemFields,
  term: field(Fields.text(), "The service in words"),
  pricing_type: Fields.oneOf("recurring", "one_time", "usage"),
  recurring: Fields.optional(Schema.Struct({ interval: field(Fields.oneOf("month", "year"), "Length of a period") })),
  trial_days: nullableField(Fields.integer(0, Limits.trialDays), "Days before the recurring line's first charge")
}).annotate({ identifier: "ChargeLineItem", description: "A line of a subscription" })

const isWebAddress = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { password, protocol, username } = new URL(value)
  return (protocol === "http:" || protocol === "https:") && username === "" && password === ""
}

/** The URL that a browser is sent back to: http or https, without credentials. */
const webAddress = Fields.name.check(
  Fields.rule((value) => isWebAddress(value) || "[INVALID_VALUE] must be an http or https URL without credentials")
)

const chargeFields = {
  name: field(Fields.name, "Name on the confirm page"),
  return_url: webAddress,
  is_test: nullableField(Fields.flag, "true: a test, which charges nothing")
}

export const SubscriptionBody = Schema.Struct({
  ...chargeFields,
  trial_days: Fields.optional(Fields.integer(0, Limits.trialDays)),
  line_items: Fields.records(LineBody).check(
    Fields.rule(
      (items) =>
        items.length <= Limits.subscriptionLines ||
        `[TOO_MANY_RECORDS] must have at most ${Limits.subscriptionLines} line items`,
      { maxItems: Limits.subscriptionLines }
    )
  )
}).annotate({ identifier: "CreateSubscriptionCharge", description: "A subscription to an extension" })

export const OneTimeBody = Schema.Struct({
  ...chargeFields,
  charge: Schema.Struct({
    ...itemFields,
    term: nullableField(Fields.text(), "The service in words"),
    pricing_type: nullableField(Fields.text(), "Must be one_time")
  }).annotate({ identifier: "OneTimeChargeItem", description: "A one-time line" })
}).annotate({ identifier: "CreateOneTimeCharge", description: "A one-time charge of an extension" })

const lineOf = (line: (typeof LineBody)["Type"]): LineDraft => ({
  name: line.name,
  term: line.term,
  pricing: line.pricing_type,
  price: { amount: line.price.amount, currency: line.price.currency_code },
  interval: line.recurring?.interval ?? null,
  cap: line.capped_amount ?? null,
  metadata: line.metadata ?? null,
  isTest: line.is_test ?? false,
  trialDays: line.trial_days ?? null
})

export const subscriptionDraft = (body: typeof SubscriptionBody.Type): ChargeDraft => ({
  name: body.name,
  returnUrl: body.return_url,
  isTest: body.is_test ?? false,
  trialDays: body.trial_days ?? null,
  lines: body.line_items.map(lineOf)
})

export const oneTimeDraft = ({ charge: line, is_test, name, return_url }: typeof OneTimeBody.Type): ChargeDraft => ({
  name,
  returnUrl: return_url,
  isTest: is_test ?? false,
  trialDays: null,
  lines: [
    lineOf({
      ...line,
      term: line.term ?? "",
      trial_days: null,
      recurring: null,
      // Any other type becomes a recurring line, which the rules for one-time charges reject.
      pricing_type: line.pricing_type === "one_time" ? "one_time" : "recurring"
    })
  ]
})

const text = Schema.optionalKey(Schema.String)

const Price = Schema.Struct({
  amount: field(Schema.Finite, "In the currency's main unit"),
  currency_code: field(Fields.currency, "The currency")
})

const Status = Schema.Literals(AgreementLifecycle.statuses)

const Dates = Schema.Struct({
  start_date: field(Fields.time, "The start, ISO 8601 in UTC"),
  end_date: field(Fields.time, "The end, ISO 8601 in UTC")
})

const activatedOn = optionalField(Fields.time, "Time of acceptance, ISO 8601 in UTC")
const cancelledOn = optionalField(Fields.time, "Time of cancelling, ISO 8601 in UTC")
const metadata = optionalField(Fields.object, "The extension's own data, as sent")

const SubscriptionCharge = Schema.Struct({
  _id: field(Schema.String, "Id of the line, 24 hex characters"),
  name: field(Schema.String, "Name"),
  term: field(text, "The service in words"),
  pricing_type: field(Schema.Literals(["recurring", "one_time", "usage"]), "When it is charged"),
  price: field(Price, "Price"),
  recurring: Schema.optionalKey(
    Schema.Struct({ interval: field(Schema.Literals(["month", "year"]), "Length of a period") })
  ),
  capped_amount: optionalField(Schema.Finite, "Maximum charge of a usage line in a period"),
  status: field(Status, "Status of the subscription"),
  is_test: field(Schema.Boolean, "Whether it is a test, which charges nothing"),
  activated_on: activatedOn,
  cancelled_on: cancelledOn,
  billing_date: optionalField(Fields.time, "The next charge of a recurring line, ISO 8601 in UTC"),
  current_period: optionalField(Dates, "The latest charged period of a recurring line"),
  metadata
}).annotate({ identifier: "SubscriptionCharge", description: "A line of a subscription" })

export const EntitySubscription = Schema.Struct({
  _id: field(Schema.String, "Id of the subscription, 24 hex characters"),
  name: field(Schema.String, "Name"),
  status: field(Status, "Status"),
  company_id: field(Fields.uid, "Id of the company"),
  activated_on: activatedOn,
  cancelled_on: cancelledOn,
  trial_days: field(Fields.count(), "Days before the first charge"),
  trial_period: optionalField(Dates, "The trial, after acceptance"),
  line_items: field(Schema.Array(SubscriptionCharge), "The lines")
}).annotate({ identifier: "EntitySubscription", description: "A company's subscription to an extension" })

export const OneTimeChargeEntity = Schema.Struct({
  _id: field(Schema.String, "Id of the charge, 24 hex characters"),
  name: field(Schema.String, "Name"),
  status: field(Status, "Status; success after acceptance"),
  entity_type: field(Schema.Literal("extension"), "Always extension"),
  entity_id: field(Schema.String, "Id of the extension"),
  subscriber_id: field(Schema.String, "Id of the company"),
  pricing_type: field(Schema.Literal("one_time"), "Always one_time"),
  price: field(Price, "Price"),
  is_test: field(Schema.Boolean, "Whether it is a test, which charges nothing"),
  return_url: field(Schema.String, "Where the browser goes after the decision"),
  activated_on: activatedOn,
  cancelled_on: cancelledOn,
  metadata
}).annotate({ identifier: "OneTimeChargeEntity", description: "A one-time charge of an extension" })

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

export const subscriptionView = (agreement: Agreement.Agreement): typeof EntitySubscription.Type => ({
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

export const chargeView = (agreement: Agreement.Agreement): typeof OneTimeChargeEntity.Type => {
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
