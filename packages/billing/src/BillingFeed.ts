/**
 * The events of billing in a company's change feed. Source: docs/reference/events.md.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { BillingFeed } from "@crossdock/billing"
 *
 * const invoice = { id: "i1", number: "INV-2026-000042", agreementId: "a1", total: 11_788, currency: "INR" }
 * const payment = { state: "succeeded", attempts: 0, nextAt: null } as const
 * strictEqual(BillingFeed.paymentOf({ ...invoice, status: "paid", payment }).type, "invoice.paid")
 * ```
 */
import { CompanyEvent } from "@crossdock/audit"
import { frozen, Money } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import type { Agreement } from "./Agreement.ts"
import { statuses } from "./AgreementLifecycle.ts"
import type { Invoice } from "./Invoice.ts"

const Status = Schema.Literals(statuses)

export const subscriptionChanged = CompanyEvent.define({
  type: "subscription.changed",
  description: "A subscription, one-time charge or plan was created, or changed its status.",
  data: Schema.Struct({
    agreementId: Schema.String,
    kind: Schema.Literals(["subscription", "one_time", "plan"]),
    entityId: Schema.String.annotate({
      description: "For a plan, its id. For a subscription or one-time charge, the id of the extension that charges it."
    }),
    from: Schema.NullOr(Status).annotate({ description: "Null for a new subscription, charge or plan." }),
    to: Status
  }),
  example: { agreementId: "65f0c2a9d4b3e1f2a7c8d9e1", kind: "plan", entityId: "growth", from: null, to: "active" }
})

const invoice = {
  invoiceId: Schema.String,
  number: Schema.String,
  agreementId: Schema.String,
  total: Schema.Int.annotate({ description: "In minor units of the currency." }),
  currency: Schema.String.annotate({ description: "ISO 4217." })
}

const example = {
  invoiceId: "8c1f0b7a9d4b3e1f2a7c8d9e",
  number: "INV-2026-000042",
  agreementId: "65f0c2a9d4b3e1f2a7c8d9e1",
  total: 117882,
  currency: "INR"
}

const ofInvoice = <const Type extends string>(type: Type, description: string) =>
  CompanyEvent.define({ type, description, data: Schema.Struct(invoice), example })

export const invoiceIssued = ofInvoice(
  "invoice.issued",
  "An invoice for the company was issued. An invoice of 0 is paid immediately, without another event."
)

export const invoicePaid = ofInvoice("invoice.paid", "The payment of an invoice succeeded.")

export const paymentRejected = CompanyEvent.define({
  type: "invoice.payment_rejected",
  description: "The payment of an invoice was rejected.",
  data: Schema.Struct({
    ...invoice,
    attempts: Schema.Int.annotate({ description: "The number of rejected attempts." }),
    nextAt: Schema.NullOr(Schema.Int).annotate({
      description: "The time of the next attempt, in epoch milliseconds. Null if no attempt follows."
    })
  }),
  example: { ...example, attempts: 1, nextAt: 1792108800000 }
})

export const customerChanged = CompanyEvent.define({
  type: "customer.changed",
  description: "The company's own details for its invoices were changed or erased.",
  data: Schema.Struct({ customerId: Schema.String, erased: Schema.Boolean }),
  example: { customerId: "65f0c2a9d4b3e1f2a7c8d9e2", erased: false }
})

export const types = /* @__PURE__ */ frozen([
  subscriptionChanged,
  invoiceIssued,
  invoicePaid,
  paymentRejected,
  customerChanged
] as const)

/** The events of agreements that are new or whose status has changed. */
export const statusesOf = (
  before: ReadonlyArray<Agreement>,
  after: ReadonlyArray<Agreement>
): ReadonlyArray<CompanyEvent.EventDraft> => {
  const known = new Map(before.map(({ id, status }) => [id, status]))
  return after.flatMap(({ entityId, id, kind, status }) => {
    const from = known.get(id) ?? null
    return from === status
      ? []
      : [CompanyEvent.draft(subscriptionChanged, { agreementId: id, kind, entityId, from, to: status })]
  })
}

type Billed = Pick<Invoice, "agreementId" | "currency" | "id" | "number" | "total">

const dataOf = ({ agreementId, currency, id, number, total }: Billed) => ({
  invoiceId: id,
  number,
  agreementId,
  total,
  currency
})

/** An invoice in the logs of an audit record, with its decimal amount. */
export const loggedOf = ({ currency, number, total }: Pick<Invoice, "currency" | "number" | "total">) => ({
  number,
  total: Money.toNumber(total, currency),
  currency
})

export const issuedOf = (invoices: ReadonlyArray<Billed>): ReadonlyArray<CompanyEvent.EventDraft> =>
  invoices.map((one) => CompanyEvent.draft(invoiceIssued, dataOf(one)))

/** The event of a payment whose outcome is known. `invoice` must already have the outcome. */
export const paymentOf = (invoice: Billed & Pick<Invoice, "status" | "payment">): CompanyEvent.EventDraft => {
  const { attempts, nextAt } = invoice.payment
  return invoice.status === "paid"
    ? CompanyEvent.draft(invoicePaid, dataOf(invoice))
    : CompanyEvent.draft(paymentRejected, { ...dataOf(invoice), attempts, nextAt })
}
