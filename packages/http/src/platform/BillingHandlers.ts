/**
 * Handlers: billing.
 */

import { type Agreement, Billing, type Invoice } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { PlatformUser } from "../Authentication.ts"
import { answering } from "../Failure.ts"
import { Reply } from "../Reply.ts"
import * as BillingBodies from "./BillingBodies.ts"
import * as Views from "./BillingViews.ts"
import * as ChargeBody from "./ChargeBody.ts"
import { confirmUrl } from "./ConfirmPage.ts"
import { InvoiceDocuments } from "./InvoiceDocuments.ts"
import { PlatformApi } from "./PlatformApi.ts"

export const layer = HttpApiBuilder.group(PlatformApi, "billing", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing.Billing
    const reply = yield* Reply
    const documents = yield* InvoiceDocuments
    const urls = Effect.map(
      Clock.currentTimeMillis,
      (now) => (invoice: Invoice.Invoice) => documents.urlOf(invoice, now)
    )

    const created =
      <A>(
        key: string,
        create: typeof billing.createCharge,
        read: typeof ChargeBody.oneTime,
        view: (_: Agreement.Agreement) => A
      ) =>
      ({ path }: { readonly path: { readonly extension_id: string } }) =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          const url = yield* confirmUrl
          return yield* reply.write({ caller }, (body) =>
            Effect.gen(function* () {
              const draft = yield* read(body)
              const made = create(caller, caller.principal.companyId, path.extension_id, draft)
              const { agreement, link } = yield* answering(made)
              return { [key]: view(agreement), confirm_url: url(link) }
            })
          )
        })

    const status = (companyId: typeof PlatformUser.Service.principal.companyId) =>
      Effect.gen(function* () {
        const found = yield* billing.current(companyId)
        if (found === undefined) return { is_enabled: false, message: "Subscription not enabled" }
        const { agreement, latestInvoice, plan } = found
        const urlOf = yield* urls
        return {
          is_enabled: true,
          subscription: Views.planSubscription(found, yield* Clock.currentTimeMillis),
          mandate_amount: Money.toText(plan.amount, agreement.currency),
          ...(latestInvoice === undefined
            ? {}
            : { latest_invoice: Views.invoiceDetails(latestInvoice, urlOf(latestInvoice)) })
        }
      })

    return handlers
      .handle("checkValidity", ({ urlParams }) =>
        billing.checkCoupon(urlParams.plan, urlParams.coupon_code).pipe(
          Effect.map((discount_amount) => ({ is_valid: true, discount_amount })),
          answering
        )
      )
      .handleRaw(
        "createSubscription",
        created("subscription", billing.createSubscription, ChargeBody.subscription, Views.subscription)
      )
      .handleRaw("createCharge", created("charge", billing.createCharge, ChargeBody.oneTime, Views.charge))
      .handle("subscription", ({ path }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          const found = billing.subscription(principal.companyId, path.extension_id, path.subscription_id)
          return Views.subscription(yield* found)
        }).pipe(answering)
      )
      .handleRaw("cancel", ({ path }) =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          const { companyId } = caller.principal
          return yield* reply.write({ caller, ignoresBody: true }, () =>
            billing
              .cancel(caller, companyId, path.extension_id, path.subscription_id)
              .pipe(Effect.map(Views.subscription), answering)
          )
        })
      )
      .handle("charge", ({ path }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          return Views.charge(yield* billing.charge(principal.companyId, path.extension_id, path.charge_id))
        }).pipe(answering)
      )
      .handle("invoices", ({ urlParams: { limit, page } }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          const found = yield* billing.invoices(principal.companyId, { number: page, size: limit })
          return Views.invoicePage(found, page, limit, yield* urls)
        }).pipe(answering)
      )
      .handle("invoice", ({ path }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          const invoice = yield* billing.invoice(principal.companyId, path.invoice_id)
          const url = (yield* urls)(invoice)
          return { invoice: Views.invoiceDetails(invoice, url), invoice_items: Views.invoiceItems(invoice) }
        }).pipe(answering)
      )
      .handle("customer", () =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          return Views.customer(yield* billing.customer(principal.companyId))
        }).pipe(answering)
      )
      .handleRaw("putCustomer", () =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          return yield* reply.write({ caller }, (body) =>
            Effect.gen(function* () {
              const upsert = yield* BillingBodies.customer(body)
              return Views.customer(yield* billing.putCustomer(caller, caller.principal.companyId, upsert))
            }).pipe(answering)
          )
        })
      )
      .handle("current", () =>
        Effect.flatMap(PlatformUser, ({ principal }) => status(principal.companyId)).pipe(answering)
      )
      .handle("currentLimit", () =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          return Views.limits(yield* billing.limits(principal.companyId))
        }).pipe(answering)
      )
      .handleRaw("activate", () =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          return yield* reply.write({ caller }, (body) =>
            Effect.gen(function* () {
              const asked = yield* BillingBodies.activation(body)
              const found = yield* billing.activate(caller, caller.principal.companyId, asked)
              return { success: true, data: Views.planSubscription(found, yield* Clock.currentTimeMillis) }
            }).pipe(answering)
          )
        })
      )
  })
)
