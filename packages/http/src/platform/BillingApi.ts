/**
 * Contract: billing (document 3, Platform-side).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { company } from "./AuditApi.ts"
import { ActivateBody, CustomerBody } from "./BillingBodies.ts"
import * as Views from "./BillingViews.ts"
import { OneTimeBody, SubscriptionBody } from "./ChargeBody.ts"
import { paths } from "./PlatformScopes.ts"

const id = Schema.String
const extension = Schema.Struct({ company_id: id, extension_id: id })
const text = Schema.optional(Fields.text())

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.get("checkValidity", paths.checkValidity)
      .setPath(company)
      .setUrlParams(Fields.query({ plan: Fields.name, coupon_code: Fields.name }))
      .addSuccess(Schema.Struct({ is_valid: Schema.Boolean, discount_amount: Schema.Number }))
      .annotate(OpenApi.Summary, "Whether a coupon is good for a plan, and what it takes off")
  )
  .add(
    HttpApiEndpoint.post("createSubscription", paths.createSubscription)
      .setPath(extension)
      .setPayload(SubscriptionBody)
      .addSuccess(Schema.Struct({ subscription: Views.EntitySubscription, confirm_url: Schema.String }))
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Ask a company to pay for an extension")
  )
  .add(
    HttpApiEndpoint.get("subscription", paths.subscription)
      .setPath(Schema.Struct({ ...extension.fields, subscription_id: id }))
      .addSuccess(Views.EntitySubscription)
      .annotate(OpenApi.Summary, "Read a subscription")
  )
  .add(
    HttpApiEndpoint.post("cancel", paths.cancelSubscription)
      .setPath(Schema.Struct({ ...extension.fields, subscription_id: id }))
      .addSuccess(Views.EntitySubscription)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Cancel a subscription and its charges")
  )
  .add(
    HttpApiEndpoint.post("createCharge", paths.createCharge)
      .setPath(extension)
      .setPayload(OneTimeBody)
      .addSuccess(Schema.Struct({ charge: Views.OneTimeChargeEntity, confirm_url: Schema.String }))
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Ask a company to pay once")
  )
  .add(
    HttpApiEndpoint.get("charge", paths.charge)
      .setPath(Schema.Struct({ ...extension.fields, charge_id: id }))
      .addSuccess(Views.OneTimeChargeEntity)
      .annotate(OpenApi.Summary, "Read a one-time charge")
  )
  .add(
    HttpApiEndpoint.get("invoices", paths.invoices)
      .setPath(company)
      .setUrlParams(
        Fields.query({
          page: Schema.optionalWith(Fields.queryInteger(1, 1_000_000_000), { default: () => 1, exact: true }),
          limit: Schema.optionalWith(Fields.queryInteger(1, 100), { default: () => 10, exact: true })
        })
      )
      .addSuccess(
        Schema.Struct({
          data: Schema.Array(Views.InvoiceDetails),
          start: Schema.Int,
          end: Schema.Int,
          limit: Schema.Int,
          page: Schema.Int,
          total: Schema.Int
        })
      )
      .annotate(OpenApi.Summary, "Invoices, newest first")
  )
  .add(
    HttpApiEndpoint.get("invoice", paths.invoice)
      .setPath(Schema.Struct({ company_id: id, invoice_id: id }))
      .addSuccess(Schema.Struct({ invoice: Views.InvoiceDetails, invoice_items: Schema.Array(Views.InvoiceItem) }))
      .annotate(OpenApi.Summary, "Read an invoice with its items")
  )
  .add(
    HttpApiEndpoint.get("customer", paths.customer)
      .setPath(company)
      .addSuccess(Views.CustomerView)
      .annotate(OpenApi.Summary, "Read the customer detail")
  )
  .add(
    HttpApiEndpoint.post("putCustomer", paths.customer)
      .setPath(company)
      .setPayload(CustomerBody)
      .addSuccess(Views.CustomerView)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Write the customer detail; what is not told stays")
  )
  .add(
    HttpApiEndpoint.get("current", paths.current)
      .setPath(company)
      .addSuccess(
        Schema.Struct({
          is_enabled: Schema.Boolean,
          subscription: Schema.optional(Views.SubscriptionView),
          latest_invoice: Schema.optional(Views.InvoiceDetails),
          mandate_amount: Schema.optional(Schema.String),
          message: Schema.optional(Schema.String)
        })
      )
      .annotate(OpenApi.Summary, "The plan that runs")
  )
  .add(
    HttpApiEndpoint.get("currentLimit", paths.currentLimit)
      .setPath(company)
      .setUrlParams(Fields.query({ product_suite: text, type: text }))
      .addSuccess(Views.LimitsView)
      .annotate(OpenApi.Summary, "What the plan that runs allows")
  )
  .add(
    HttpApiEndpoint.post("activate", paths.activate)
      .setPath(company)
      .setPayload(ActivateBody)
      .addSuccess(Schema.Struct({ success: Schema.Boolean, data: Views.SubscriptionView }))
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Subscribe to a plan, or change to another one")
  )
  .addError(badRequest)
  .addError(notFound)
  .addError(conflict)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .middleware(PlatformAuthentication)
  .annotate(OpenApi.Title, "Billing") {}
