/** The operator interface. Its descriptions are in texts.json. Source: docs/reference/operators.md. */
import { PriceList } from "@crossdock/billing"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { OperatorAuthentication } from "../Authentication.ts"
import { badRequest, ErrorAnswers, notFound, writeErrors } from "../Failure.ts"
import { bulk, bulkCodes, sellersResult } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import * as OpenApiDocument from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { OperatorTokenGroup } from "../TokenApi.ts"
import {
  AccountBody,
  CompanyBody,
  EndpointBody,
  LocationRecord,
  MarketplaceBody,
  SellerRecord
} from "./OperatorRecords.ts"
import texts from "./texts.json" with { type: "json" }

const base = "/operator/v1"
const ofCompany = `${base}/companies/:company_id` as const
const read = [badRequest, notFound] as const
const write = [...writeErrors, notFound] as const

const [text, count, time, optional] = [Fields.text(), Fields.count(), Fields.time, Schema.optionalKey]
const inPath = Fields.queryInteger(1, Number.MAX_SAFE_INTEGER)
const paging = {
  pageNumber: Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1),
  pageSize: Fields.withDefault(Fields.queryInteger(1, Limits.operatorPageSize), 100)
}
const page = Schema.Struct(paging)
const company = Schema.Struct({ company_id: inPath })

const named = <const F extends Schema.Struct.Fields>(identifier: string, fields: F) =>
  Schema.Struct(fields).annotate({ identifier })

const listOf = <S extends Schema.Constraint>(identifier: string, item: S) =>
  named(identifier, { items: Schema.Array(item), total: count })

const enabling = named("Enabling", { enabled: Fields.flag })

const ofEvery = { id: Fields.uid, name: Schema.String, legalName: Schema.String, closedAt: optional(time) }
const { address: _, handlingHours: __, ...place } = LocationRecord.fields
const address = Schema.NullOr(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))
const locations = Schema.Array(Schema.Struct({ ...place, handlingHours: count, address }))
const Details = named("CompanyDetails", { ...ofEvery, locations })

const broken = Schema.NullOr(Schema.Struct({ sequence: count, reason: Schema.String }))
const Chain = named("AuditChain", { records: count, sequence: count, hash: Schema.String, root: Schema.String, broken })

export const sellers = bulk({
  ...{ record: SellerRecord, limit: Limits.sellerRecords, keys: ["id", "username"], result: sellersResult },
  to: (record) => record
})

export class CompaniesGroup extends HttpApiGroup.make("companies")
  .add(
    HttpApiEndpoint.get("list", `${base}/companies`, {
      ...{ query: page, success: listOf("Companies", named("Company", ofEvery)), error: read }
    }),
    HttpApiEndpoint.get("read", ofCompany, { params: company, success: Details, error: read }),
    HttpApiEndpoint.put("put", ofCompany, { params: company, payload: CompanyBody, success: Details, error: write }),
    HttpApiEndpoint.put("close", `${ofCompany}/closed`, {
      ...{ params: company, payload: named("Closing", { closed: Fields.flag }), error: write },
      success: named("Closed", { marketplaces: Schema.Array(Schema.String), agreements: count })
    }),
    HttpApiEndpoint.get("auditChain", `${ofCompany}/audit-chain`, { params: company, success: Chain, error: read }),
    HttpApiEndpoint.put("sellers", `${base}/sellers`, sellers.contract).annotateMerge(bulkCodes)
  )
  .middleware(OperatorAuthentication) {}

/** The kinds of accounts in paths, and the kind of principal of each. */
export const accountKinds = { seller: "integration", client: "platform_client", marketplace: "marketplace" } as const

const kind = Fields.oneOf("seller", "client", "marketplace")
const strings = Schema.Array(Schema.String)
const Account = named("Account", {
  ...{ kind, username: Schema.String, enabled: Schema.Boolean, companyId: optional(Fields.uid) },
  ...{ locations: optional(Schema.NullOr(strings)), stockPolicy: optional(Schema.String) },
  ...{ integrationId: optional(Schema.String), scopes: optional(strings) }
})

export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", `${base}/accounts`, {
      query: Schema.Struct({ kind, companyId: optional(inPath), ...paging }),
      ...{ success: listOf("Accounts", Account), error: read }
    }),
    HttpApiEndpoint.put("put", `${base}/accounts/:kind/:username`, {
      params: Schema.Struct({ kind: Fields.oneOf("seller", "client"), username: text }),
      ...{ payload: AccountBody, success: Account, error: write }
    }),
    HttpApiEndpoint.patch("change", `${base}/accounts/:kind/:username`, {
      params: Schema.Struct({ kind, username: text }),
      payload: named("AccountChange", { enabled: optional(Fields.flag), password: optional(text) }),
      ...{ success: Account, error: write }
    })
  )
  .middleware(OperatorAuthentication) {}

const { password: ___, webhook: ____, ...registered } = MarketplaceBody.fields
const shown = { webhook: Schema.NullOr(Schema.String), enabled: Schema.Boolean }
const Marketplace = named("Marketplace", { slug: Schema.String, ...registered, ...shown })
const slug = Schema.Struct({ slug: text })

export class MarketplacesGroup extends HttpApiGroup.make("marketplaces")
  .add(
    HttpApiEndpoint.get("list", `${base}/marketplaces`, {
      ...{ query: page, success: listOf("Marketplaces", Marketplace), error: read }
    }),
    HttpApiEndpoint.get("read", `${base}/marketplaces/:slug`, { params: slug, success: Marketplace, error: read }),
    HttpApiEndpoint.put("put", `${base}/marketplaces/:slug`, {
      ...{ params: slug, payload: MarketplaceBody, success: Marketplace, error: write }
    })
  )
  .middleware(OperatorAuthentication) {}

const states = ["accepted", "pending", "rejected", "disabled", "unsubscribed", "out_of_range", "off"] as const
const receiverKind = Fields.oneOf("marketplace", "endpoint")
const progress = {
  ...{ kind: receiverKind, receiver: Schema.String, url: Schema.NullOr(Schema.String), state: Schema.Literals(states) },
  ...{ accepted: count, last: count, failures: count, failure: Schema.NullOr(Schema.String) },
  ...{ nextAt: Schema.NullOr(time), types: Schema.NullOr(strings), deadLetters: count }
}
const receiver = { company_id: inPath, kind: receiverKind, receiver: text }
const ofReceiver = `${ofCompany}/deliveries/:kind/:receiver` as const
const DeadLetter = named("DeadLetter", {
  ...{ kind: receiverKind, receiver: Schema.String, id: Schema.String, failures: count, failure: Schema.String },
  ...{ since: time, at: time, body: Fields.json }
})

const ofEndpoint = `${ofCompany}/endpoints/:endpoint` as const
const endpoint = Schema.Struct({ company_id: inPath, endpoint: text })
const Changed = named("EndpointChanged", { endpoint: Schema.String })

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("deliveries", `${ofCompany}/deliveries`, {
      ...{ params: company, success: listOf("Deliveries", named("Delivery", progress)), error: read }
    }),
    HttpApiEndpoint.get("delivery", ofReceiver, {
      ...{ params: Schema.Struct(receiver), error: read },
      success: named("DeliveryWithBody", { ...progress, body: Fields.json })
    }),
    HttpApiEndpoint.post("wake", `${ofReceiver}/wake`, {
      ...{ params: Schema.Struct(receiver), success: named("Woken", { receiver: Schema.String }), error: write }
    }),
    HttpApiEndpoint.get("deadLetters", `${ofCompany}/dead-letters`, {
      ...{ params: company, success: listOf("DeadLetters", DeadLetter), error: read }
    }),
    HttpApiEndpoint.post("resend", `${ofCompany}/dead-letters/:kind/:receiver/:id/resend`, {
      params: Schema.Struct({ ...receiver, id: text }),
      ...{ success: named("Resent", { id: Schema.String }), error: write }
    }),
    HttpApiEndpoint.put("putEndpoint", ofEndpoint, {
      ...{ params: endpoint, payload: EndpointBody, success: Changed, error: write }
    }),
    HttpApiEndpoint.put("enableEndpoint", `${ofEndpoint}/enabled`, {
      ...{ params: endpoint, payload: enabling, success: Changed, error: write }
    }),
    HttpApiEndpoint.delete("removeEndpoint", ofEndpoint, { params: endpoint, success: Changed, error: write })
  )
  .middleware(OperatorAuthentication) {}

const { id: planId, ...plan } = PriceList.PlanInput.fields
const Plan = named("Plan", { id: Schema.String, ...plan, isActive: Schema.Boolean })
const id = Schema.Struct({ id: text })

const { code, ...coupon } = PriceList.CouponInput.fields
const valid = { from: Schema.NullOr(time), until: Schema.NullOr(time), used: count }
const Coupon = named("Coupon", { code: Schema.String, ...Struct.map(coupon, Schema.toType), ...valid })

export class PlansGroup extends HttpApiGroup.make("plans")
  .add(
    HttpApiEndpoint.get("list", `${base}/plans`, { success: listOf("Plans", Plan), error: read }),
    HttpApiEndpoint.put("put", `${base}/plans/:id`, {
      ...{ params: Schema.Struct({ id: planId }), payload: named("PlanBody", plan), success: Plan, error: write }
    }),
    HttpApiEndpoint.put("enable", `${base}/plans/:id/enabled`, {
      ...{ params: id, payload: enabling, success: Plan, error: write }
    }),
    HttpApiEndpoint.get("coupons", `${base}/coupons`, { success: listOf("Coupons", Coupon), error: read }),
    HttpApiEndpoint.put("putCoupon", `${base}/coupons/:code`, {
      ...{ params: Schema.Struct({ code }), payload: named("CouponBody", coupon), success: Coupon, error: write }
    })
  )
  .middleware(OperatorAuthentication) {}

const brands = Schema.Array(named("Brand", { uid: Fields.uid, name: Fields.name }))
const Brands = named("Brands", { brands })

export class BrandsGroup extends HttpApiGroup.make("brands")
  .add(
    HttpApiEndpoint.get("list", `${ofCompany}/brands`, { params: company, success: Brands, error: read }),
    HttpApiEndpoint.put("put", `${ofCompany}/brands`, {
      ...{ params: company, payload: Brands, success: Brands, error: write }
    })
  )
  .middleware(OperatorAuthentication) {}

const Finding = named("Finding", {
  check: Schema.String,
  state: Schema.Literals(["ok", "warning", "fault"]),
  says: Schema.String,
  todo: Schema.NullOr(Schema.String)
})

export class HostGroup extends HttpApiGroup.make("host")
  .add(HttpApiEndpoint.get("findings", `${base}/findings`, { success: listOf("Findings", Finding), error: read }))
  .middleware(OperatorAuthentication) {}

export class OperatorApi extends HttpApi.make("operator")
  .add(OperatorTokenGroup, CompaniesGroup, AccountsGroup, MarketplacesGroup, WebhooksGroup)
  .add(PlansGroup, BrandsGroup, HostGroup)
  .middleware(ErrorAnswers)
  .annotateMerge(OpenApiDocument.annotations("Operator interface", "1.0.0", texts)) {}
