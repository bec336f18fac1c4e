/**
 * Charges as extensions send them. Source: docs/reference/billing.md#subscription-charges and #one-time-charges.
 */

import type { ChargeDraft, LineDraft } from "@crossdock/billing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Failure } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

const Price = Schema.Struct({
  amount: described(Fields.amount, "At least 1, in the currency's main unit with at most its decimals"),
  currency_code: described(Fields.currency, "The currency, the same on all lines")
})

const item = {
  name: described(Fields.name, "Name on the confirm page and on invoices"),
  price: described(Price, "Price"),
  capped_amount: described(Fields.optional(Fields.amount), "Of a usage line: the most that a period costs"),
  is_test: described(Fields.optional(Fields.flag), "true charges nothing"),
  metadata: described(Fields.optional(Fields.freeForm), "The extension's own data, returned with the line")
}

const LineBody = Schema.Struct({
  ...item,
  term: described(Fields.text(), "What is paid for, in words"),
  pricing_type: described(
    Fields.oneOf("recurring", "one_time", "usage"),
    "recurring: at the beginning of each period; one_time: once; usage: after each period, up to capped_amount"
  ),
  recurring: described(
    Fields.optional(Schema.Struct({ interval: described(Fields.oneOf("month", "year"), "A period") })),
    "Of a recurring line: how often"
  ),
  trial_days: described(
    Fields.optional(Fields.integer(0, Limits.trialDays)),
    "Days before the first charge, of the recurring line"
  )
}).annotate({ identifier: "ChargeLineItem", description: "A line of a subscription" })

const isWebAddress = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { password, protocol, username } = new URL(value)
  return (protocol === "http:" || protocol === "https:") && username === "" && password === ""
}

/**
 * The URL that a browser is sent back to: http or https, without credentials.
 */
const webAddress = Fields.name.pipe(
  Schema.check(
    Schema.makeFilter((value) =>
      isWebAddress(value) ? true : "[INVALID_VALUE] must be an http or https URL without credentials"
    )
  )
)

const charge = {
  name: described(Fields.name, "Name on the confirm page"),
  return_url: described(
    webAddress,
    "Where the company's browser goes after its decision: http or https, without credentials"
  ),
  is_test: described(Fields.optional(Fields.flag), "true charges nothing")
}

export const SubscriptionBody = Schema.Struct({
  ...charge,
  trial_days: described(
    Fields.optional(Fields.integer(0, Limits.trialDays)),
    "Days before the first charge; a recurring line may have them instead"
  ),
  line_items: described(
    Fields.records(LineBody).check(
      Schema.makeFilter(
        (items) =>
          items.length <= Limits.subscriptionLines
            ? true
            : `[OUT_OF_RANGE] must have at most ${Limits.subscriptionLines} line items`,
        { toJsonSchema: () => ({ maxItems: Limits.subscriptionLines }) }
      )
    ),
    "What is charged; at most one line is recurring"
  )
}).annotate({ identifier: "CreateSubscriptionCharge", description: "A subscription to an extension" })

export const OneTimeBody = Schema.Struct({
  ...charge,
  charge: described(
    Schema.Struct({
      ...item,
      term: described(Fields.optional(Fields.text()), "What is paid for, in words"),
      pricing_type: described(Fields.optional(Fields.text()), "Must be one_time")
    }).annotate({ identifier: "OneTimeChargeItem", description: "What is charged once" }),
    "What is charged"
  )
}).annotate({ identifier: "CreateOneTimeCharge", description: "A one-time charge of an extension" })

const decodeSubscription = Decode.whole(SubscriptionBody)
const decodeOneTime = Decode.whole(OneTimeBody)

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

/**
 * The draft of a subscription. Fails with all violations at once.
 */
export const subscription = (body: Body.Body | undefined): Effect.Effect<ChargeDraft, Failure> =>
  Effect.map(decodeSubscription(body?.json), ({ is_test, line_items, name, return_url, trial_days }) => ({
    name,
    returnUrl: return_url,
    isTest: is_test ?? false,
    trialDays: trial_days ?? null,
    lines: line_items.map(lineOf)
  }))

/**
 * The draft of a one-time charge. Fails with all violations at once.
 */
export const oneTime = (body: Body.Body | undefined): Effect.Effect<ChargeDraft, Failure> =>
  Effect.map(decodeOneTime(body?.json), ({ charge: line, is_test, name, return_url }) => ({
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
        // Anything else becomes a recurring line, which the rules for one-time charges reject.
        pricing_type: line.pricing_type === "one_time" ? "one_time" : "recurring"
      })
    ]
  }))
