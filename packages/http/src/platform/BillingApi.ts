/**
 * Contract: billing. Source: docs/reference/billing.md.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { Limits } from "../Limits.ts"
import { company } from "./AuditApi.ts"
import { ActivateBody, CustomerBody } from "./BillingBodies.ts"
import * as Views from "./BillingViews.ts"
import { OneTimeBody, SubscriptionBody } from "./ChargeBody.ts"
import { paths } from "./PlatformScopes.ts"

const id = Fields.text()
const extension = Schema.Struct({ company_id: id, extension_id: id })
const text = Schema.optionalKey(Fields.text())

const errors = [badRequest, notFound, conflict, tooLarge, unsupportedMediaType] as const

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.get("checkValidity", paths.checkValidity, {
      params: company,
      query: Schema.Struct({ plan: Fields.name, coupon_code: Fields.name }),
      success: Schema.Struct({ is_valid: Schema.Boolean, discount_amount: Schema.Finite }),
      error: errors
    }).annotate(OpenApi.Summary, "Check whether a coupon is valid for a plan, and how much it takes off the price")
  )
  .add(
    HttpApiEndpoint.post("createSubscription", paths.createSubscription, {
      params: extension,
      payload: SubscriptionBody,
      success: Schema.Struct({ subscription: Views.EntitySubscription, confirm_url: Schema.String }),
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Ask the company to subscribe to an extension")
  )
  .add(
    HttpApiEndpoint.get("subscription", paths.subscription, {
      params: Schema.Struct({ ...extension.fields, subscription_id: id }),
      success: Views.EntitySubscription,
      error: errors
    }).annotate(OpenApi.Summary, "Read a subscription")
  )
  .add(
    HttpApiEndpoint.post("cancel", paths.cancelSubscription, {
      params: Schema.Struct({ ...extension.fields, subscription_id: id }),
      success: Views.EntitySubscription,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Cancel a subscription and its charges")
  )
  .add(
    HttpApiEndpoint.post("createCharge", paths.createCharge, {
      params: extension,
      payload: OneTimeBody,
      success: Schema.Struct({ charge: Views.OneTimeChargeEntity, confirm_url: Schema.String }),
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Ask the company to accept a one-time charge")
  )
  .add(
    HttpApiEndpoint.get("charge", paths.charge, {
      params: Schema.Struct({ ...extension.fields, charge_id: id }),
      success: Views.OneTimeChargeEntity,
      error: errors
    }).annotate(OpenApi.Summary, "Read a one-time charge")
  )
  .add(
    HttpApiEndpoint.get("invoices", paths.invoices, {
      params: company,
      query: Schema.Struct({
        page: Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1),
        limit: Fields.withDefault(Fields.queryInteger(1, Limits.invoicesPageSize), 10)
      }),
      success: Schema.Struct({
        data: Schema.Array(Views.InvoiceDetails),
        start: Schema.Int,
        end: Schema.Int,
        limit: Schema.Int,
        page: Schema.Int,
        total: Schema.Int
      }),
      error: errors
    }).annotate(OpenApi.Summary, "List invoices, newest first")
  )
  .add(
    HttpApiEndpoint.get("invoice", paths.invoice, {
      params: Schema.Struct({ company_id: id, invoice_id: id }),
      success: Schema.Struct({ invoice: Views.InvoiceDetails, invoice_items: Schema.Array(Views.InvoiceItem) }),
      error: errors
    }).annotate(OpenApi.Summary, "Read an invoice with its items")
  )
  .add(
    HttpApiEndpoint.get("customer", paths.customer, {
      params: company,
      success: Views.CustomerView,
      error: errors
    }).annotate(OpenApi.Summary, "Read the company's customer detail")
  )
  .add(
    HttpApiEndpoint.post("putCustomer", paths.customer, {
      params: company,
      payload: CustomerBody,
      success: Views.CustomerView,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Set the company's customer detail; fields that are left out keep their values")
  )
  .add(
    HttpApiEndpoint.get("current", paths.current, {
      params: company,
      success: Schema.Struct({
        is_enabled: Schema.Boolean,
        subscription: Schema.optionalKey(Views.SubscriptionView),
        latest_invoice: Schema.optionalKey(Views.InvoiceDetails),
        mandate_amount: Schema.optionalKey(Schema.String),
        message: Schema.optionalKey(Schema.String)
      }),
      error: errors
    }).annotate(OpenApi.Summary, "Read the current plan")
  )
  .add(
    HttpApiEndpoint.get("currentLimit", paths.currentLimit, {
      params: company,
      query: Schema.Struct({ product_suite: text, type: text }),
      success: Views.LimitsView,
      error: errors
    }).annotate(OpenApi.Summary, "Read the limits of the current plan")
  )
  .add(
    HttpApiEndpoint.post("activate", paths.activate, {
      params: company,
      payload: ActivateBody,
      success: Schema.Struct({ success: Schema.Boolean, data: Views.SubscriptionView }),
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Subscribe to a plan, or change to another")
  )
  .middleware(KnownParameters)
  .middleware(PlatformAuthentication)
  .annotate(OpenApi.Title, "Billing") {}
