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
import { presentFields } from "../internal/PresentFields.ts"

const text = Fields.optional(Fields.text())

export const CustomerBody = Schema.Struct({
  unique_id: text,
  type: text,
  name: text,
  email: Fields.optional(Fields.email),
  phone: Fields.optional(Schema.Struct({ phone_country_code: text, phone_number: text })),
  billing_address: Fields.optional(
    Schema.Struct({ line1: text, line2: text, city: text, state: text, country: text, postal_code: text })
  )
}).annotate({ identifier: "SubscriptionCustomerCreate" })

export const ActivateBody = Schema.Struct({
  unique_id: text,
  type: text,
  product_suite: text,
  plan_id: Fields.name,
  payment_method: text,
  coupon_code: text
}).annotate({ identifier: "SubscriptionActivateReq" })

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
