/** Contract: plans, coupons and brands. Source: docs/reference/operators.md. */
import { PriceList } from "@crossdock/billing"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { OperatorAuthentication } from "../Authentication.ts"
import * as Fields from "../internal/Fields.ts"
import { field } from "../internal/Fields.ts"
import { group } from "../internal/OpenApiDocument.ts"
import { base, company, described, errors, listOf } from "./CompaniesApi.ts"

/** The fields with descriptions. */
const withTexts = <F extends Schema.Struct.Fields>(fields: F, texts: { readonly [K in keyof F]: string }): F =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, field(schema as Schema.Top, texts[name] ?? "")])
  ) as unknown as F

const { id: _, ...plan } = withTexts(PriceList.PlanInput.fields, {
  id: "Its id",
  name: "Its name",
  description: "What it offers",
  price: "The price of an interval, a decimal number of the currency",
  currency: "Its currency, which can't be changed",
  interval: "How long a period is, which can't be changed",
  trialDays: "Days of a trial",
  productSuite: "The suite that it belongs to",
  limits: "What subscribers may use; absent: everything"
})

const PlanBody = Schema.Struct(plan).annotate({ identifier: "PlanBody", description: "A plan" })

const PlanView = Schema.Struct({
  id: field(Schema.String, "Its id"),
  ...plan,
  isActive: field(Schema.Boolean, "Whether it is offered")
}).annotate({ identifier: "Plan", description: "A plan" })

const { code: __, ...coupon } = withTexts(PriceList.CouponInput.fields, {
  code: "Its code",
  percent: "The percentage off, or null",
  amount: "The amount off, a decimal number of the currency, or null",
  currency: "The currency of the amount",
  plans: "The plans that it applies to; null: all",
  from: "Its start; null: now",
  until: "Its end, exclusive; null: never",
  uses: "How often it can be used; null: unlimited"
})

const CouponBody = Schema.Struct(coupon).annotate({ identifier: "CouponBody", description: "A coupon" })

const CouponView = Schema.Struct({
  code: field(Schema.String, "Its code"),
  ...coupon,
  used: field(Fields.count(), "How often it was used")
}).annotate({ identifier: "Coupon", description: "A coupon" })

const id = Schema.Struct({ id: field(Fields.text(), "The plan's id") })
const code = Schema.Struct({ code: field(Fields.text(), "The coupon's code") })

const brand = {
  uid: field(Fields.uid, "Its number"),
  name: field(Fields.name, "Its name")
}

const Brands = listOf(Schema.Struct(brand), "Brands", "The brands of a company, by number")

export class PriceListGroup extends HttpApiGroup.make("priceList")
  .add(
    HttpApiEndpoint.get("plans", `${base}/plans`, {
      success: listOf(PlanView, "Plans", "All plans"),
      error: errors.read
    }).annotateMerge(described("List plans", "All plans, withdrawn ones too.", "plans")),
    HttpApiEndpoint.put("putPlan", `${base}/plans/:id`, {
      params: id,
      payload: PlanBody,
      success: PlanView,
      error: errors.write
    }).annotateMerge(
      described("Add or change a plan", "Subscribers pay a new price from their next period on.", "plans")
    ),
    HttpApiEndpoint.put("enablePlan", `${base}/plans/:id/enabled`, {
      params: id,
      payload: Schema.Struct({ enabled: field(Fields.flag, "Whether it is offered") }),
      success: PlanView,
      error: errors.write
    }).annotateMerge(described("Offer or withdraw a plan", "Subscribers keep a withdrawn plan.", "plans")),
    HttpApiEndpoint.get("coupons", `${base}/coupons`, {
      success: listOf(CouponView, "Coupons", "All coupons"),
      error: errors.read
    }).annotateMerge(described("List coupons", "All coupons, and how often each was used.", "plans")),
    HttpApiEndpoint.put("putCoupon", `${base}/coupons/:code`, {
      params: code,
      payload: CouponBody,
      success: CouponView,
      error: errors.write
    }).annotateMerge(described("Add or change a coupon", "Its uses so far still count.", "plans")),
    HttpApiEndpoint.post("endCoupon", `${base}/coupons/:code/end`, {
      params: code,
      success: CouponView,
      error: errors.write
    }).annotateMerge(described("End a coupon", "Nobody can use it from now on.", "plans"))
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(group("Price list", "Plans and coupons of the platform")) {}

export class BrandsGroup extends HttpApiGroup.make("brands")
  .add(
    HttpApiEndpoint.get("list", `${base}/companies/:company_id/brands`, {
      params: Schema.Struct(company),
      success: Brands,
      error: errors.read
    }).annotateMerge(described("List brands", "The brands of a company, by number.", "brands")),
    HttpApiEndpoint.put("put", `${base}/companies/:company_id/brands`, {
      params: Schema.Struct(company),
      payload: Schema.Struct({ brands: field(Schema.Array(Schema.Struct(brand)), "The brands; others stay") }),
      success: Brands,
      error: errors.write
    }).annotateMerge(
      described("Add or rename brands", "All of them or none. A renamed brand is renamed in its products.", "brands")
    )
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(group("Brands", "Brands of companies, which their products name")) {}
