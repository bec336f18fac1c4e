/** Contract: billing. Descriptions of operations are in texts.json. Source: docs/reference/billing.md. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, bodyErrors, notFound, unavailable, unprocessable } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { field, optionalField } from "../internal/Fields.ts"
import { codes } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { opened } from "../SignedLinks.ts"
import { company } from "./AuditApi.ts"
import { EntitySubscription, OneTimeBody, OneTimeChargeEntity, SubscriptionBody } from "./Charges.ts"
import { CustomerBody, CustomerView, InvoiceDetails, InvoiceInList, InvoiceItem } from "./Invoices.ts"
import { ActivateBody, LimitsView, SubscriptionView } from "./Plans.ts"
import { confirmPath, invoicePath, paths } from "./PlatformScopes.ts"

const id = Fields.text()
const extension = Schema.Struct({ ...company.fields, extension_id: field(id, "An extension offered to the company") })
const text = Schema.optionalKey(Fields.text())
const errors = [...bodyErrors, notFound] as const
const writeErrors = [...errors, unprocessable] as const
const subscription = Schema.Struct({ ...extension.fields, subscription_id: field(id, "Id of the subscription") })
const ofSubscription = { params: subscription, success: EntitySubscription }
const ofCustomer = { params: company, success: CustomerView }

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.get("checkValidity", paths.checkValidity, {
      params: company,
      query: Schema.Struct({
        plan: field(Fields.name, "A plan's id"),
        coupon_code: field(Fields.name, "The coupon's code")
      }),
      success: Schema.Struct({
        is_valid: field(Schema.Literal(true), "Always true; an invalid coupon is 400"),
        discount_amount: field(Schema.Finite, "Amount off the plan's price, in the currency's main unit")
      }).annotate({ description: "The coupon is valid" }),
      error: badRequest
    }),
    HttpApiEndpoint.post("createSubscription", paths.createSubscription, {
      params: extension,
      payload: SubscriptionBody,
      success: Schema.Struct({
        subscription: field(EntitySubscription, "The subscription, pending"),
        confirm_url: Schema.String
      }).annotate({ description: "The subscription, pending, and its confirm page" }),
      error: writeErrors
    }).annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS")),
    HttpApiEndpoint.get("subscription", paths.subscription, { ...ofSubscription, error: errors }),
    HttpApiEndpoint.post("cancel", paths.cancelSubscription, { ...ofSubscription, error: writeErrors }),
    HttpApiEndpoint.post("createCharge", paths.createCharge, {
      params: extension,
      payload: OneTimeBody,
      success: Schema.Struct({
        charge: field(OneTimeChargeEntity, "The charge, pending"),
        confirm_url: Schema.String
      }).annotate({ description: "The charge, pending, and its confirm page" }),
      error: writeErrors
    }),
    HttpApiEndpoint.get("charge", paths.charge, {
      params: Schema.Struct({ ...extension.fields, charge_id: field(id, "Id of the charge") }),
      success: OneTimeChargeEntity,
      error: errors
    }),
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
        limit: field(Fields.integer(1, Limits.invoicesPageSize), "Page size"),
        page: field(Fields.integer(1, Limits.pageNumber), "This page, from 1"),
        total: field(Fields.count(), "Number of invoices on all pages")
      }).annotate({ description: "A page of invoices" }),
      error: badRequest
    }),
    HttpApiEndpoint.get("invoice", paths.invoice, {
      params: Schema.Struct({ ...company.fields, invoice_id: field(id, "Id of the invoice") }),
      success: Schema.Struct({
        invoice: field(InvoiceDetails, "The invoice"),
        invoice_items: field(Schema.Array(InvoiceItem), "The items; their sum is the total")
      }).annotate({ description: "The invoice and its items" }),
      error: errors
    }),
    HttpApiEndpoint.get("customer", paths.customer, { ...ofCustomer, error: errors }),
    HttpApiEndpoint.post("putCustomer", paths.customer, { ...ofCustomer, payload: CustomerBody, error: writeErrors }),
    HttpApiEndpoint.get("current", paths.current, {
      params: company,
      success: Schema.Struct({
        is_enabled: field(Schema.Boolean, "Whether a plan is active"),
        subscription: optionalField(SubscriptionView, "The plan's subscription, when one is active"),
        latest_invoice: optionalField(InvoiceDetails, "Its latest invoice"),
        mandate_amount: Schema.optionalKey(Schema.String),
        message: optionalField(Schema.String, "Says that no plan is active")
      }).annotate({ description: "The current plan, if the company has one" }),
      error: badRequest
    }),
    HttpApiEndpoint.get("currentLimit", paths.currentLimit, {
      params: company,
      query: Schema.Struct({
        product_suite: field(text, "Ignored"),
        type: field(text, "Ignored")
      }),
      success: LimitsView,
      error: badRequest
    }),
    HttpApiEndpoint.post("activate", paths.activate, {
      params: company,
      payload: ActivateBody,
      success: Schema.Struct({
        success: field(Schema.Boolean, "Always true"),
        data: field(SubscriptionView, "The plan's subscription")
      }).annotate({ description: "The plan is active" }),
      error: writeErrors
    }).annotateMerge(codes("CONFLICT"))
  )
  .middleware(PlatformAuthentication) {}

/** The page that accepts or declines a charge; its link is a secret. Source: docs/reference/billing.md#confirm-page. */
const link = Schema.Struct({ link: field(Fields.text(), "The secret of the confirm_url") })

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })).annotate({
  description: "The page, without a script"
})

/** The only field of the form. */
const DecisionBody = Schema.Struct({
  decision: field(Fields.oneOf("accept", "decline"), "The company's decision; the first one counts")
})

export class ConfirmGroup extends HttpApiGroup.make("confirm").add(
  HttpApiEndpoint.get("page", `${confirmPath}/:link`, {
    params: link,
    success: page,
    error: [badRequest, notFound, unavailable]
  }),
  HttpApiEndpoint.post("decide", `${confirmPath}/:link`, {
    params: link,
    payload: DecisionBody.pipe(HttpApiSchema.asFormUrlEncoded()),
    success: HttpApiSchema.Empty(303).annotate({ description: "The first decision: redirects to the return_url" }),
    error: [...errors, unavailable]
  }).annotateMerge(codes("CONFLICT"))
) {}

export class InvoiceDocumentsGroup extends HttpApiGroup.make("invoiceDocuments").add(
  opened(`${invoicePath}/:document`)
) {}
