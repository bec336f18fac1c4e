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
import { Limits } from "../Limits.ts"

const Price = Schema.Struct({ amount: Fields.amount, currency_code: Fields.name })

const item = {
  name: Fields.name,
  price: Price,
  capped_amount: Fields.optional(Fields.amount),
  is_test: Fields.optional(Fields.flag),
  metadata: Fields.optional(Fields.freeForm)
}

const LineBody = Schema.Struct({
  ...item,
  term: Fields.text(),
  pricing_type: Fields.oneOf("recurring", "one_time", "usage"),
  recurring: Fields.optional(Schema.Struct({ interval: Fields.oneOf("month", "year") })),
  trial_days: Fields.optional(Fields.integer(0, Limits.trialDays))
}).annotate({ identifier: "ChargeLineItem" })

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
  name: Fields.name,
  return_url: webAddress,
  is_test: Fields.optional(Fields.flag)
}

export const SubscriptionBody = Schema.Struct({
  ...charge,
  trial_days: Fields.optional(Fields.integer(0, Limits.trialDays)),
  line_items: Fields.records(LineBody).pipe(
    Schema.check(
      Schema.makeFilter((items) =>
        items.length <= Limits.subscriptionLines
          ? true
          : `[OUT_OF_RANGE] must have at most ${Limits.subscriptionLines} line items`
      )
    )
  )
}).annotate({ identifier: "CreateSubscriptionCharge" })

export const OneTimeBody = Schema.Struct({
  ...charge,
  charge: Schema.Struct({
    ...item,
    term: Fields.optional(Fields.text()),
    pricing_type: Fields.optional(Fields.text()).annotate({
      description: "Must be one_time"
    })
  }).annotate({ identifier: "OneTimeChargeItem" })
}).annotate({ identifier: "CreateOneTimeCharge" })

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
