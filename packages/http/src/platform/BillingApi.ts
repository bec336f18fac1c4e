/** Contract: billing. Source: docs/reference/billing.md. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import {
  badRequest,
  conflict,
  notFound,
  tooLarge,
  unavailable,
  unprocessable,
  unsupportedMediaType
} from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { field, optionalField } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { opened } from "../SignedLinks.ts"
import { company } from "./AuditApi.ts"
import { EntitySubscription, OneTimeBody, OneTimeChargeEntity, SubscriptionBody } from "./Charges.ts"
import { CustomerBody, CustomerView, InvoiceDetails, InvoiceInList, InvoiceItem } from "./Invoices.ts"
import { ActivateBody, LimitsView, SubscriptionView } from "./Plans.ts"
import { callersOf, confirmPath, invoicePath, operationsOf, paths } from "./PlatformScopes.ts"

const id = Fields.text()
const extension = Schema.Struct({
  ...company.fields,
  extension_id: field(id, "An extension that is offered to the company")
})
const text = Schema.optionalKey(Fields.text())
const confirm_url = field(
  Schema.String,
  `The page on which the company accepts or declines it; a secret, valid for ${Limits.confirmHours} hours`
)

const errors = [badRequest, notFound, conflict, tooLarge, unsupportedMediaType] as const

const { read, write } = operationsOf("billing.md")

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.get("checkValidity", paths.checkValidity, {
      params: company,
      query: Schema.Struct({
        plan: field(Fields.name, "A plan's id"),
        coupon_code: field(Fields.name, "The coupon's code")
      }),
      success: Schema.Struct({
        is_valid: field(Schema.Literal(true), "Always true: any other coupon is 400"),
        discount_amount: field(Schema.Finite, "Amount off the plan's price, in the currency's main unit")
      }).annotate({ description: "The coupon is valid" }),
      error: badRequest
    }).annotateMerge(
      read(
        paths.checkValidity,
        "Check a coupon",
        "Whether a coupon is valid for a plan, and how much it takes off the price.",
        "coupons"
      )
    ),
    HttpApiEndpoint.post("createSubscription", paths.createSubscription, {
      params: extension,
      payload: SubscriptionBody,
      success: Schema.Struct({
        subscription: field(EntitySubscription, "The subscription, pending"),
        confirm_url
      }).annotate({ description: "The subscription, pending, and its confirm page" }),
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        write(
          paths.createSubscription,
          "Ask for a subscription",
          `Asks the company to subscribe to an extension. The answer has a page on which it accepts or declines within ${Limits.confirmHours} hours.`,
          "subscription-charges",
          "confirm-page"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST")),
    HttpApiEndpoint.get("subscription", paths.subscription, {
      params: Schema.Struct({ ...extension.fields, subscription_id: field(id, "Id of the subscription") }),
      success: EntitySubscription,
      error: errors
    }).annotateMerge(read(paths.subscription, "Read a subscription", "A subscription to an extension.", "states")),
    HttpApiEndpoint.post("cancel", paths.cancelSubscription, {
      params: Schema.Struct({ ...extension.fields, subscription_id: field(id, "Id of the subscription") }),
      success: EntitySubscription,
      error: [...errors, unprocessable]
    }).annotateMerge(
      write(
        paths.cancelSubscription,
        "Cancel a subscription",
        "Cancels a subscription and its charges; nothing is paid back. The body is ignored.",
        "cancel"
      )
    ),
    HttpApiEndpoint.post("createCharge", paths.createCharge, {
      params: extension,
      payload: OneTimeBody,
      success: Schema.Struct({ charge: field(OneTimeChargeEntity, "The charge, pending"), confirm_url }).annotate({
        description: "The charge, pending, and its confirm page"
      }),
      error: [...errors, unprocessable]
    }).annotateMerge(
      write(
        paths.createCharge,
        "Ask for a one-time charge",
        `Asks the company to pay an extension once. The answer has a page on which it accepts or declines within ${Limits.confirmHours} hours.`,
        "one-time",
        "confirm-page"
      )
    ),
    HttpApiEndpoint.get("charge", paths.charge, {
      params: Schema.Struct({ ...extension.fields, charge_id: field(id, "Id of the charge") }),
      success: OneTimeChargeEntity,
      error: errors
    }).annotateMerge(read(paths.charge, "Read a one-time charge", "A one-time charge of an extension.", "one-time")),
    HttpApiEndpoint.get("invoices", paths.invoices, {
      params: company,
      query: Schema.Struct({
        page: field(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
        limit: field(Fields.withDefault(Fields.queryInteger(1, Limits.invoicesPageSize), 10), "Invoices on a page")
      }),
      success: Schema.Struct({
        data: field(Schema.Array(InvoiceInList), "The invoices on this page"),
        start: field(Fields.count(), "Offset of the first invoice on the page"),
        end: field(Fields.count(), "Offset of the first invoice after the page"),
        limit: field(Fields.integer(1, Limits.invoicesPageSize), "Most invoices on a page"),
        page: field(Fields.integer(1, Limits.pageNumber), "This page, from 1"),
        total: field(Fields.count(), "Invoices on all pages")
      }).annotate({ description: "A page of invoices" }),
      error: badRequest
    }).annotateMerge(read(paths.invoices, "List invoices", "The company's invoices, newest first.", "invoices")),
    HttpApiEndpoint.get("invoice", paths.invoice, {
      params: Schema.Struct({ ...company.fields, invoice_id: field(id, "Id of the invoice") }),
      success: Schema.Struct({
        invoice: field(InvoiceDetails, "The invoice"),
        invoice_items: field(Schema.Array(InvoiceItem), "Its items, which come to its total")
      }).annotate({ description: "The invoice and its items" }),
      error: errors
    }).annotateMerge(read(paths.invoice, "Read an invoice", "An invoice with its items.", "invoices")),
    HttpApiEndpoint.get("customer", paths.customer, {
      params: company,
      success: CustomerView,
      error: errors
    }).annotateMerge(read(paths.customer, "Read the customer detail", "Who the company is on invoices.", "customer")),
    HttpApiEndpoint.post("putCustomer", paths.customer, {
      params: company,
      payload: CustomerBody,
      success: CustomerView,
      error: [...errors, unprocessable]
    }).annotateMerge(
      write(
        paths.customer,
        "Set the customer detail",
        "Who the company is on invoices; fields that are left out stay as they are.",
        "customer"
      )
    ),
    HttpApiEndpoint.get("current", paths.current, {
      params: company,
      success: Schema.Struct({
        is_enabled: field(Schema.Boolean, "Whether a plan is active"),
        subscription: optionalField(SubscriptionView, "The plan's subscription, when one is active"),
        latest_invoice: optionalField(InvoiceDetails, "Its latest invoice"),
        mandate_amount: optionalField(
          Schema.String,
          "The next invoice before credit and tax, as text; absent when none follows"
        ),
        message: optionalField(Schema.String, "That no plan is active")
      }).annotate({ description: "The current plan, if the company has one" }),
      error: badRequest
    }).annotateMerge(
      read(paths.current, "Read the current plan", "The company's plan and its latest invoice.", "current")
    ),
    HttpApiEndpoint.get("currentLimit", paths.currentLimit, {
      params: company,
      query: Schema.Struct({
        product_suite: field(text, "Accepted and not used"),
        type: field(text, "Accepted and not used")
      }),
      success: LimitsView,
      error: badRequest
    }).annotateMerge(read(paths.currentLimit, "Read the plan's limits", "The limits of the company's plan.", "limits")),
    HttpApiEndpoint.post("activate", paths.activate, {
      params: company,
      payload: ActivateBody,
      success: Schema.Struct({
        success: field(Schema.Boolean, "Always true"),
        data: field(SubscriptionView, "The plan's subscription")
      }).annotate({ description: "The plan is active" }),
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Activate a plan",
          `Subscribes the company to a plan, or changes to another. It needs a customer detail. ${callersOf("POST", paths.activate).replace(/\.$/, "; a host can require `company/finance/write`.")}`,
          "billing.md#activate"
        )
      )
      .annotateMerge(codes("CONFLICT"))
  )
  .middleware(PlatformAuthentication)
  .annotateMerge(group("Billing", "Charges of extensions, and the company's plan")) {}

/** The page that accepts or declines a charge; its link is a secret. Source: docs/reference/billing.md#confirm-page. */
const link = Schema.Struct({ link: field(Fields.text(), "The secret of the confirm_url") })

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })).annotate({
  description: "The page, without a script"
})

const DecisionBody = Schema.Struct({
  decision: field(Fields.oneOf("accept", "decline"), "The company's decision; the first one counts")
})

export class ConfirmGroup extends HttpApiGroup.make("confirm")
  .add(
    HttpApiEndpoint.get("page", `${confirmPath}/:link`, {
      params: link,
      success: page,
      error: [badRequest, notFound, unavailable]
    }).annotateMerge(
      operation(
        "Show the confirm page",
        "The page on which the company accepts or declines a charge. Anybody with the link may open it.",
        "billing.md#confirm-page"
      )
    ),
    HttpApiEndpoint.post("decide", `${confirmPath}/:link`, {
      params: link,
      payload: DecisionBody.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(303).annotate({
        description: "The decision, or the earlier one: go on to the return_url"
      }),
      error: [...errors, unavailable]
    })
      .annotateMerge(
        operation(
          "Accept or decline a charge",
          "Sends the browser on to the return_url. Only the first decision counts. Anybody with the link may decide.",
          "billing.md#confirm-page"
        )
      )
      .annotateMerge(codes("CONFLICT"))
  )
  .annotateMerge(group("Confirmation", "The page on which a company accepts or declines a charge")) {}

export class InvoiceDocumentsGroup extends HttpApiGroup.make("invoiceDocuments")
  .add(
    opened(`${invoicePath}/:document`, {
      summary: "Open an invoice by its link",
      document: "The invoice",
      link: "The invoice_url",
      rules: "billing.md#invoice-links"
    })
  )
  .annotateMerge(group("Invoice documents", "Invoices by signed links, without a token")) {}
