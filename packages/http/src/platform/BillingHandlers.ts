/** Handlers: billing, its confirm pages and its invoices as PDF. */
import { type Agreement, Billing, BillingCycle, type ChargeDraft, type Invoice } from "@crossdock/billing"
import { Ids, Money } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { PlatformUser } from "../Authentication.ts"
import * as Body from "../internal/Body.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { presentFields } from "../internal/Fields.ts"
import { Reply } from "../Reply.ts"
import { RequestId } from "../RequestContext.ts"
import { documentResponse } from "../SignedLinks.ts"
import { BillingGroup, ConfirmGroup, InvoiceDocumentsGroup } from "./BillingApi.ts"
import { chargeView, oneTimeDraft, subscriptionDraft, subscriptionView } from "./Charges.ts"
import * as ConfirmPage from "./ConfirmPage.ts"
import { InvoiceDocuments } from "./InvoiceDocuments.ts"
import { customerUpsert, customerView, invoiceDetails, invoiceItems, invoicePage } from "./Invoices.ts"
import { activationOf, limitsView, planSubscription } from "./Plans.ts"

const company = Effect.map(PlatformUser, ({ principal }) => principal.companyId)

export const billing = Endpoints.group(BillingGroup, function* (handlers) {
  const billing = yield* Billing.Billing
  const reply = yield* Reply
  const documents = yield* InvoiceDocuments
  const nonce = yield* Ids.Nonce
  const links = yield* ConfirmPage.confirmLinks
  const urls = Effect.map(Clock.currentTimeMillis, (now) => (invoice: Invoice.Invoice) => documents.urlOf(invoice, now))

  /** Asks the caller's company to accept a charge. The stored answer has the seed of the page's link, not the link. */
  const asking =
    <A, B>(
      create: typeof billing.createCharge,
      draftOf: (body: A) => ChargeDraft,
      answerOf: (agreement: Agreement.Agreement) => B
    ) =>
    ({ params, payload }: { readonly params: { readonly extension_id: string }; readonly payload: Body.Payload<A> }) =>
      Effect.flatMap(PlatformUser, (caller) =>
        reply.writeUnstored(
          { caller },
          Effect.fnUntraced(function* (body) {
            const draft = draftOf(yield* payload(body))
            const seed = yield* nonce.hex
            const { companyId } = caller.principal
            const agreement = yield* create(caller, companyId, params.extension_id, draft, links.linkOf(seed))
            return { seed, ...answerOf(agreement) }
          }),
          // An answer stored by an earlier release has its link and no seed.
          ({ seed, ...answer }) => Effect.succeed({ confirm_url: links.urlOf(seed), ...answer })
        )
      )

  const planOf = (found: Billing.PlanSubscription) =>
    Effect.map(Clock.currentTimeMillis, (now) => planSubscription(found, now))

  const current = Effect.fnUntraced(function* (found: Billing.PlanSubscription) {
    const next = BillingCycle.nextAmount(found.agreement)
    const urlOf = yield* urls
    return {
      is_enabled: true,
      subscription: yield* planOf(found),
      ...presentFields({
        mandate_amount: next === undefined ? null : Money.toText(next, found.agreement.currency),
        latest_invoice:
          found.latestInvoice === undefined ? null : invoiceDetails(found.latestInvoice, urlOf(found.latestInvoice))
      })
    }
  })

  return handlers({
    checkValidity: ({ query }) =>
      Effect.map(billing.checkCoupon(query.plan, query.coupon_code), (discount_amount) => ({
        is_valid: true as const,
        discount_amount
      })),
    createSubscription: asking(billing.createSubscription, subscriptionDraft, (agreement) => ({
      subscription: subscriptionView(agreement)
    })),
    createCharge: asking(billing.createCharge, oneTimeDraft, (agreement) => ({ charge: chargeView(agreement) })),
    subscription: Effect.fnUntraced(function* ({ params }) {
      const found = billing.subscription(yield* company, params.extension_id, params.subscription_id)
      return subscriptionView(yield* found)
    }),
    cancel: ({ params }) =>
      Effect.flatMap(PlatformUser, (caller) =>
        reply.write({ caller, ignoresBody: true }, () => {
          const { companyId } = caller.principal
          const cancelled = billing.cancel(caller, companyId, params.extension_id, params.subscription_id)
          return Effect.map(cancelled, subscriptionView)
        })
      ),
    charge: Effect.fnUntraced(function* ({ params }) {
      return chargeView(yield* billing.charge(yield* company, params.extension_id, params.charge_id))
    }),
    invoices: Effect.fnUntraced(function* ({ query: { limit, page } }) {
      const found = yield* billing.invoices(yield* company, { number: page, size: limit })
      return invoicePage(found, page, limit, yield* urls)
    }),
    invoice: Effect.fnUntraced(function* ({ params }) {
      const invoice = yield* billing.invoice(yield* company, params.invoice_id)
      const url = (yield* urls)(invoice)
      return { invoice: invoiceDetails(invoice, url), invoice_items: invoiceItems(invoice) }
    }),
    customer: () => Effect.map(Effect.flatMap(company, billing.customer), customerView),
    putCustomer: ({ payload }) =>
      Effect.flatMap(PlatformUser, (caller) => {
        const { companyId } = caller.principal
        const put = (sent: Parameters<typeof customerUpsert>[0]) =>
          billing.putCustomer(caller, companyId, customerUpsert(sent))
        return reply.writeUnstored(
          { caller },
          (body) => Effect.as(Effect.flatMap(payload(body), put), {}),
          () => Effect.map(billing.customer(companyId), customerView)
        )
      }),
    current: Effect.fnUntraced(function* () {
      const found = yield* billing.current(yield* company)
      return found === undefined ? { is_enabled: false, message: "Subscription not enabled" } : yield* current(found)
    }),
    currentLimit: () => Effect.map(Effect.flatMap(company, billing.limits), limitsView),
    activate: ({ payload }) =>
      Effect.flatMap(PlatformUser, (caller) =>
        reply.write({ caller }, (body) =>
          Effect.gen(function* () {
            const activation = activationOf(yield* payload(body))
            const found = yield* billing.activate(caller, caller.principal.companyId, activation)
            return { success: true, data: yield* planOf(found) }
          })
        )
      )
  })
})

export const confirm = Endpoints.group(ConfirmGroup, function* (handlers) {
  const billing = yield* Billing.Billing
  return handlers({
    page: ({ params }) => Effect.map(billing.confirmation(params.link), ConfirmPage.response),
    decide: Effect.fnUntraced(function* ({ params, payload }) {
      yield* billing.confirmation(params.link)
      const { decision } = yield* payload(yield* Body.form)
      return ConfirmPage.redirect(yield* billing.answerConfirmation(params.link, decision, yield* RequestId))
    })
  })
})

export const invoiceDocuments = Endpoints.group(InvoiceDocumentsGroup, function* (handlers) {
  const documents = yield* InvoiceDocuments
  return handlers({
    open: Effect.fnUntraced(function* ({ params, query }) {
      const { bytes, name } = yield* documents.open({ ...params, ...query }, yield* Clock.currentTimeMillis)
      return documentResponse(bytes, name)
    })
  })
})
