/** Use cases: charges of extensions, and a company's plan, customer details and invoices. */
import type { Caller } from "@crossdock/access"
import type { CompanyId, Page, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Agreement from "./Agreement.ts"
import { withCurrentPrices } from "./AgreementReplacement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { BillingNotFound, type BillingRejected, type OtherCurrency } from "./BillingError.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import type { ChargeDraft } from "./Charge.ts"
import * as ClosedCompany from "./ClosedCompany.ts"
import type { Customer } from "./Customer.ts"
import type { CustomerUpsert } from "./Customers.ts"
import * as Customers from "./Customers.ts"
import type { ChargeAnswer, Offer } from "./ExtensionCharges.ts"
import * as ExtensionCharges from "./ExtensionCharges.ts"
import type { Draft, Invoice } from "./Invoice.ts"
import type { Entitlement, Feature, PlanLimits } from "./Plan.ts"
import type { Activation, PlanSubscription } from "./PlanSubscriptions.ts"
import * as PlanSubscriptions from "./PlanSubscriptions.ts"

export type { Activation, ChargeAnswer, CustomerUpsert, Offer, PlanSubscription }

type Create = (
  caller: Caller,
  company: CompanyId,
  extension: string,
  draft: ChargeDraft,
  link: string
) => Stored<Agreement.Agreement, BillingRejected | BillingNotFound>

type Read = (company: CompanyId, extension: string, id: string) => Stored<Agreement.Agreement, BillingNotFound>

type End = (
  caller: Caller,
  company: CompanyId,
  extension: string,
  id: string
) => Stored<Agreement.Agreement, BillingRejected | BillingNotFound>

/** Manages the charges, plans, customer details and invoices of companies. */
export class Billing extends Context.Service<
  Billing,
  {
    /**
     * Creates a subscription that awaits its confirmation. `link` is the secret in the address of the confirmation page: a new
     * text that can't be guessed. Source: docs/reference/billing.md#subscription-charges.
     */
    readonly createSubscription: Create
    /** Creates a one-time charge. The draft must have one line. Source: docs/reference/billing.md#one-time-charges. */
    readonly createCharge: Create
    readonly subscription: Read
    readonly charge: Read
    /** Cancels a subscription, and bills the usage that wasn't billed yet. Source: docs/reference/billing.md#cancel. */
    readonly cancel: End
    /** Ends a subscription with its current period or trial. Until then, its status is no_renew. */
    readonly stopRenewal: End
    /**
     * Freezes the agreements of a closed company. For an open company, thaws those without open invoices. Returns how many
     * it changed. Call it after each `Directory.setClosed`. Source: docs/reference/billing.md#closed-companies.
     */
    readonly followClosing: (caller: Caller, company: CompanyId) => Stored<number>
    readonly confirmation: (link: string) => Stored<Offer, BillingNotFound>
    /** Accepts or declines a charge. The first decision is final, and a later one returns the agreement unchanged. */
    readonly answerConfirmation: (
      link: string,
      decision: ChargeAnswer,
      requestId: string | null
    ) => Stored<Agreement.Agreement, BillingNotFound | OtherCurrency>
    /**
     * Adds usage, in minor units, and returns the part that is charged: none in a trial, and otherwise what fits under the
     * line's cap and in a total of 15 digits with tax. Undefined if the subscription isn't active or has no such line.
     */
    readonly addUsage: (
      caller: Caller,
      company: CompanyId,
      subscription: string,
      line: string,
      amount: number
    ) => Stored<number | undefined>

    /** The details of the company's customer. Source: docs/reference/billing.md#customer. */
    readonly customer: (company: CompanyId) => Stored<Customer, BillingNotFound>
    /** Stores customer details. Details that weren't sent are unchanged. */
    readonly putCustomer: (
      caller: Caller,
      company: CompanyId,
      upsert: CustomerUpsert
    ) => Stored<Customer, BillingNotFound>
    /** Erases the customer's details. Issued invoices still contain them. Returns false if there are no details. */
    readonly eraseCustomer: (caller: Caller, company: CompanyId) => Stored<boolean>

    /** The discount that a coupon gives on a plan, as a decimal amount in the plan's currency. */
    readonly checkCoupon: (plan: string, code: string) => Stored<number, BillingRejected>
    /**
     * Subscribes the company to a plan, unless it is already running. Another plan is cancelled, with credit for unused days
     * that were paid. While an invoice of the company's plans is open, the new plan is frozen.
     * Source: docs/reference/billing.md#activate.
     */
    readonly activate: (
      caller: Caller,
      company: CompanyId,
      activation: Activation
    ) => Stored<PlanSubscription, BillingRejected | BillingNotFound | OtherCurrency>
    /** The running plan of the company. The result is undefined if the company has no plan or its plan is frozen. */
    readonly current: (company: CompanyId) => Stored<PlanSubscription | undefined>
    /** The limits of the company's plan, and whether the company is in the plan's trial. */
    readonly limits: (company: CompanyId) => Stored<{ readonly limits: PlanLimits; readonly isTrial: boolean }>
    /** Whether the company may use one more of a feature, if it already uses `used` of it. */
    readonly entitlement: (company: CompanyId, feature: Feature, used: number) => Stored<Entitlement>

    /** A page of the company's invoices, newest first. */
    readonly invoices: (company: CompanyId, page: Page.Page) => Stored<Page.Paged<Invoice>>
    readonly invoice: (company: CompanyId, id: string) => Stored<Invoice, BillingNotFound>
    /** The invoices that will be issued by `until` (epoch milliseconds) if nothing changes. */
    readonly preview: (company: CompanyId, id: string, until: number) => Stored<ReadonlyArray<Draft>, BillingNotFound>
  }
>()("@crossdock/billing/Billing") {}

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const { tax } = yield* BillingPolicy

  const invoice = (company: CompanyId, id: string) =>
    Effect.flatMap(store.invoice(company, id), (found) =>
      found === undefined ? Effect.fail(new BillingNotFound({ what: "Invoice" })) : Effect.succeed(found)
    )

  const preview = Effect.fnUntraced(function* (company: CompanyId, id: string, until: number) {
    const found = yield* store.agreement(company, id)
    if (found === undefined) return yield* new BillingNotFound({ what: "Subscription" })
    const priced = yield* withCurrentPrices(store, [found])
    return priced.flatMap((one) => BillingCycle.preview(one, until, tax))
  })

  return Billing.of({
    ...(yield* ExtensionCharges.make),
    ...(yield* PlanSubscriptions.make),
    ...(yield* Customers.make),
    followClosing: yield* ClosedCompany.followClosing,
    invoices: store.invoices,
    invoice,
    preview
  })
})

export const layer = Layer.effect(Billing, make)
