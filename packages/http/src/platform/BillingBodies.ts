/**
 * The bodies about a company's customer detail and plan. Source: docs/reference/billing.md#customer and #activate.
 */

import type { Billing, CustomerDetail } from "@crossdock/billing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Failure } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { presentFields } from "../internal/PresentFields.ts"

const text = Fields.optional(Fields.text())

export const CustomerBody = Schema.Struct({
  unique_id: described(text, "The company's own id as text, or absent"),
  type: described(text, "Accepted and not used"),
  name: described(text, "Name on invoices"),
  email: described(Fields.optional(Fields.email), "E-mail address; blank counts as none"),
  phone: described(
    Fields.optional(
      Schema.Struct({
        phone_country_code: described(text, "Country code, such as 91"),
        phone_number: described(text, "The number in its country")
      })
    ),
    "Phone number"
  ),
  billing_address: described(
    Fields.optional(
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
  )
}).annotate({
  identifier: "SubscriptionCustomerCreate",
  description: "The customer detail; fields that are left out stay as they are"
})

export const ActivateBody = Schema.Struct({
  unique_id: described(text, "The company's own id as text, or absent"),
  type: described(text, "Accepted and not used"),
  product_suite: described(text, "Accepted and not used"),
  plan_id: described(Fields.name, "A plan's id"),
  payment_method: described(text, "Accepted and not used"),
  coupon_code: described(text, "A coupon's code; counts one use")
}).annotate({ identifier: "SubscriptionActivateReq", description: "The plan to subscribe to" })

const decodeCustomer = Decode.whole(CustomerBody)
const decodeActivation = Decode.whole(ActivateBody)

const detailOf = ({ billing_address, email, name, phone }: (typeof CustomerBody)["Type"]): CustomerDetail => ({
  ...presentFields({ name, email }),
  ...(phone === undefined || phone === null ? {} : { phone: presentFields(phone) }),
  ...(billing_address === undefined || billing_address === null
    ? {}
    : { billingAddress: presentFields(billing_address) })
})

/**
 * The customer detail of a body, and the company that it names.
 */
export const customer = (body: Body.Body | undefined): Effect.Effect<Billing.CustomerUpsert, Failure> =>
  Effect.map(decodeCustomer(body?.json), (sent) => ({ uniqueId: sent.unique_id ?? null, detail: detailOf(sent) }))

export const activation = (body: Body.Body | undefined): Effect.Effect<Billing.Activation, Failure> =>
  Effect.map(decodeActivation(body?.json), ({ coupon_code, plan_id, unique_id }) => ({
    planId: plan_id,
    uniqueId: unique_id ?? null,
    coupon: coupon_code ?? null
  }))
