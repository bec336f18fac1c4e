/**
 * Contract: billing. Source: docs/reference/billing.md.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { company } from "./AuditApi.ts"
import { ActivateBody, CustomerBody } from "./BillingBodies.ts"
import * as Views from "./BillingViews.ts"
import { OneTimeBody, SubscriptionBody } from "./ChargeBody.ts"
import { paths } from "./PlatformScopes.ts"

const id = Fields.text()
const extension = Schema.Struct({
  ...company.fields,
  extension_id: described(id, "An extension that is offered to the company")
})
const text = Schema.optionalKey(Fields.text())

const companyErrors = [badRequest] as const
const errors = [...companyErrors, notFound, conflict, tooLarge, unsupportedMediaType] as const

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.get("checkValidity", paths.checkValidity, {
      params: company,
      query: Schema.Struct({
        plan: described(Fields.name, "A plan's id"),
        coupon_code: described(Fields.name, "The coupon's code")
      }),
      success: Schema.Struct({
        is_valid: described(Schema.Literal(true), "Always true: any other coupon is 400"),
        discount_amount: described(Schema.Finite, "What it takes off the plan's price, in the currency's main unit")
      }).annotate({ description: "The coupon is valid" }),
      error: companyErrors
    }).annotateMerge(
      operation(
        "Check a coupon",
        "Whether a coupon is valid for a plan, and how much it takes off the price. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#coupons"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("createSubscription", paths.createSubscription, {
      params: extension,
      payload: SubscriptionBody,
      success: Schema.Struct({
        subscription: described(Views.EntitySubscription, "The subscription, pending"),
        confirm_url: described(
          Schema.String,
          "The page on which the company accepts or declines it; a secret, valid for 48 hours"
        )
      }).annotate({ description: "The subscription, pending, and its confirm page" }),
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Ask for a subscription",
          "Asks the company to subscribe to an extension. The answer has a page on which it accepts or declines within 48 hours. A platform client of the company with the scope `company/finance/write` may call it.",
          "billing.md#subscription-charges",
          "billing.md#confirm-page"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST"))
  )
  .add(
    HttpApiEndpoint.get("subscription", paths.subscription, {
      params: Schema.Struct({ ...extension.fields, subscription_id: described(id, "Id of the subscription") }),
      success: Views.EntitySubscription,
      error: errors
    }).annotateMerge(
      operation(
        "Read a subscription",
        "A subscription to an extension. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#states"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("cancel", paths.cancelSubscription, {
      params: Schema.Struct({ ...extension.fields, subscription_id: described(id, "Id of the subscription") }),
      success: Views.EntitySubscription,
      error: [...errors, unprocessable]
    }).annotateMerge(
      operation(
        "Cancel a subscription",
        "Cancels a subscription and its charges; nothing is paid back. The body is ignored. A platform client of the company with the scope `company/finance/write` may call it.",
        "billing.md#cancel"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("createCharge", paths.createCharge, {
      params: extension,
      payload: OneTimeBody,
      success: Schema.Struct({
        charge: described(Views.OneTimeChargeEntity, "The charge, pending"),
        confirm_url: described(
          Schema.String,
          "The page on which the company accepts or declines it; a secret, valid for 48 hours"
        )
      }).annotate({ description: "The charge, pending, and its confirm page" }),
      error: [...errors, unprocessable]
    }).annotateMerge(
      operation(
        "Ask for a one-time charge",
        "Asks the company to pay an extension once. The answer has a page on which it accepts or declines within 48 hours. A platform client of the company with the scope `company/finance/write` may call it.",
        "billing.md#one-time",
        "billing.md#confirm-page"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("charge", paths.charge, {
      params: Schema.Struct({ ...extension.fields, charge_id: described(id, "Id of the charge") }),
      success: Views.OneTimeChargeEntity,
      error: errors
    }).annotateMerge(
      operation(
        "Read a one-time charge",
        "A one-time charge of an extension. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#one-time"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("invoices", paths.invoices, {
      params: company,
      query: Schema.Struct({
        page: described(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
        limit: described(Fields.withDefault(Fields.queryInteger(1, Limits.invoicesPageSize), 10), "Invoices on a page")
      }),
      success: Schema.Struct({
        data: described(Schema.Array(Views.InvoiceInList), "The invoices on this page"),
        start: described(Fields.count(), "Offset of the first invoice on the page"),
        end: described(Fields.count(), "Offset of the first invoice after the page"),
        limit: described(Fields.integer(1, Limits.invoicesPageSize), "Most invoices on a page"),
        page: described(Fields.integer(1, Limits.pageNumber), "This page, from 1"),
        total: described(Fields.count(), "Invoices on all pages")
      }).annotate({ description: "A page of invoices" }),
      error: companyErrors
    }).annotateMerge(
      operation(
        "List invoices",
        "The company's invoices, newest first. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#invoices"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("invoice", paths.invoice, {
      params: Schema.Struct({ ...company.fields, invoice_id: described(id, "Id of the invoice") }),
      success: Schema.Struct({
        invoice: described(Views.InvoiceDetails, "The invoice"),
        invoice_items: described(Schema.Array(Views.InvoiceItem), "Its items, which come to its total")
      }).annotate({ description: "The invoice and its items" }),
      error: errors
    }).annotateMerge(
      operation(
        "Read an invoice",
        "An invoice with its items. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#invoices"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("customer", paths.customer, {
      params: company,
      success: Views.CustomerView,
      error: errors
    }).annotateMerge(
      operation(
        "Read the customer detail",
        "Who the company is on invoices. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#customer"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("putCustomer", paths.customer, {
      params: company,
      payload: CustomerBody,
      success: Views.CustomerView,
      error: [...errors, unprocessable]
    }).annotateMerge(
      operation(
        "Set the customer detail",
        "Who the company is on invoices; fields that are left out stay as they are. A platform client of the company with the scope `company/finance/write` may call it.",
        "billing.md#customer"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("current", paths.current, {
      params: company,
      success: Schema.Struct({
        is_enabled: described(Schema.Boolean, "Whether a plan is active"),
        subscription: described(
          Schema.optionalKey(Views.SubscriptionView),
          "The plan's subscription, when one is active"
        ),
        latest_invoice: described(Schema.optionalKey(Views.InvoiceDetails), "Its latest invoice"),
        mandate_amount: described(
          Schema.optionalKey(Schema.String),
          "The next invoice before credit and tax, as text; absent when none follows"
        ),
        message: described(Schema.optionalKey(Schema.String), "That no plan is active")
      }).annotate({ description: "The current plan, if the company has one" }),
      error: companyErrors
    }).annotateMerge(
      operation(
        "Read the current plan",
        "The company's plan and its latest invoice. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#current"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("currentLimit", paths.currentLimit, {
      params: company,
      query: Schema.Struct({
        product_suite: described(text, "Accepted and not used"),
        type: described(text, "Accepted and not used")
      }),
      success: Views.LimitsView,
      error: companyErrors
    }).annotateMerge(
      operation(
        "Read the plan's limits",
        "What the company's plan allows. A platform client of the company with the scope `company/finance/read` may call it.",
        "billing.md#limits"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("activate", paths.activate, {
      params: company,
      payload: ActivateBody,
      success: Schema.Struct({
        success: described(Schema.Boolean, "Always true"),
        data: described(Views.SubscriptionView, "The plan's subscription")
      }).annotate({ description: "The plan is active" }),
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Activate a plan",
          "Subscribes the company to a plan, or changes to another. It needs a customer detail. A platform client of the company with the scope `company/finance/read` may call it; a host can require `company/finance/write`.",
          "billing.md#activate"
        )
      )
      .annotateMerge(codes("CONFLICT"))
  )
  .middleware(PlatformAuthentication)
  .annotateMerge(group("Billing", "Charges of extensions, and the company's plan")) {}
