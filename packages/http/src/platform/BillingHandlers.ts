/**
 * Handlers: billing.
 */

import { type Agreement, Billing, BillingCycle, type Invoice } from "@crossdock/billing"
import { Ids, Money } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { PlatformUser } from "../Authentication.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Reply } from "../Reply.ts"
import * as BillingBodies from "./BillingBodies.ts"
import * as Views from "./BillingViews.ts"
import * as ChargeBody from "./ChargeBody.ts"
import * as ConfirmLinks from "./ConfirmLinks.ts"
import { confirmUrl } from "./ConfirmPage.ts"
import { InvoiceDocuments } from "./InvoiceDocuments.ts"
import { PlatformApi } from "./PlatformApi.ts"

export const layer = Endpoints.group(PlatformApi, "billing", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing.Billing
    const reply = yield* Reply
    const documents = yield* InvoiceDocuments
    const nonce = yield* Ids.Nonce
    const linkOf = yield* ConfirmLinks.linkOf
    const url = yield* confirmUrl
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
      ({ params }: { readonly params: { readonly extension_id: string } }) =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          const { companyId } = caller.principal
          return yield* reply.writeUnstored(
            { caller },
            (body) =>
              Effect.gen(function* () {
                const draft = yield* read(body)
                const seed = yield* nonce.hex
                const agreement = yield* create(caller, companyId, params.extension_id, draft, linkOf(seed))
                return { seed, [key]: view(agreement) }
              }),
            // An answer that an earlier release stored has its link and no seed.
            ({ seed, ...answer }) => Effect.succeed({ confirm_url: url(linkOf(seed)), ...answer })
          )
        })

    const status = (companyId: typeof PlatformUser.Service.principal.companyId) =>
      Effect.gen(function* () {
        const found = yield* billing.current(companyId)
        if (found === undefined) return { is_enabled: false, message: "Subscription not enabled" }
        const { agreement, latestInvoice } = found
        const next = BillingCycle.nextAmount(agreement)
        const urlOf = yield* urls
        return {
          is_enabled: true,
          subscription: Views.planSubscription(found, yield* Clock.currentTimeMillis),
          ...(next === undefined ? {} : { mandate_amount: Money.toText(next, agreement.currency) }),
          ...(latestInvoice === undefined
            ? {}
            : { latest_invoice: Views.invoiceDetails(latestInvoice, urlOf(latestInvoice)) })
        }
      })

    return handlers({
      checkValidity: ({ query }) =>
        billing
          .checkCoupon(query.plan, query.coupon_code)
          .pipe(Effect.map((discount_amount) => ({ is_valid: true, discount_amount }))),
      createSubscription: created(
        "subscription",
        billing.createSubscription,
        ChargeBody.subscription,
        Views.subscription
      ),
      createCharge: created("charge", billing.createCharge, ChargeBody.oneTime, Views.charge),
      subscription: ({ params }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          const found = billing.subscription(principal.companyId, params.extension_id, params.subscription_id)
          return Views.subscription(yield* found)
        }),
      cancel: ({ params }) =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          const { companyId } = caller.principal
          return yield* reply.write({ caller, ignoresBody: true }, () =>
            billing
              .cancel(caller, companyId, params.extension_id, params.subscription_id)
              .pipe(Effect.map(Views.subscription))
          )
        }),
      charge: ({ params }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          return Views.charge(yield* billing.charge(principal.companyId, params.extension_id, params.charge_id))
        }),
      invoices: ({ query: { limit, page } }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          const found = yield* billing.invoices(principal.companyId, { number: page, size: limit })
          return Views.invoicePage(found, page, limit, yield* urls)
        }),
      invoice: ({ params }) =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          const invoice = yield* billing.invoice(principal.companyId, params.invoice_id)
          const url = (yield* urls)(invoice)
          return { invoice: Views.invoiceDetails(invoice, url), invoice_items: Views.invoiceItems(invoice) }
        }),
      customer: () =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          return Views.customer(yield* billing.customer(principal.companyId))
        }),
      putCustomer: () =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          const { companyId } = caller.principal
          return yield* reply.writeUnstored(
            { caller },
            (body) =>
              Effect.gen(function* () {
                yield* billing.putCustomer(caller, companyId, yield* BillingBodies.customer(body))
                return {}
              }),
            () => Effect.map(billing.customer(companyId), Views.customer)
          )
        }),
      current: () => Effect.flatMap(PlatformUser, ({ principal }) => status(principal.companyId)),
      currentLimit: () =>
        Effect.gen(function* () {
          const { principal } = yield* PlatformUser
          return Views.limits(yield* billing.limits(principal.companyId))
        }),
      activate: () =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          return yield* reply.write({ caller }, (body) =>
            Effect.gen(function* () {
              const activation = yield* BillingBodies.activation(body)
              const found = yield* billing.activate(caller, caller.principal.companyId, activation)
              return { success: true, data: Views.planSubscription(found, yield* Clock.currentTimeMillis) }
            })
          )
        })
    })
  })
)
