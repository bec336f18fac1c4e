/** Contract: marketplaces, endpoints of companies' backends, and the webhooks that both get. Source: docs/reference/operators.md. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { OperatorAuthentication } from "../Authentication.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nestedList, nullableField } from "../internal/Fields.ts"
import { group } from "../internal/OpenApiDocument.ts"
import { base, company, described, errors, listOf, paging } from "./CompaniesApi.ts"
import { EndpointBody, MarketplaceBody } from "./OperatorRecords.ts"

const { password: _, webhook: __, ...registered } = MarketplaceBody.fields

const MarketplaceView = Schema.Struct({
  slug: field(Schema.String, "Its slug"),
  ...registered,
  webhook: nullableField(Schema.String, "Where it is notified of stock, if it is"),
  enabled: field(Schema.Boolean, "Whether it can sign in")
}).annotate({ identifier: "Marketplace", description: "A marketplace, without its secrets" })

const slug = Schema.Struct({ slug: field(Fields.text(), "The marketplace's slug") })

export class MarketplacesGroup extends HttpApiGroup.make("marketplaces")
  .add(
    HttpApiEndpoint.get("list", `${base}/marketplaces`, {
      query: Schema.Struct(paging),
      success: listOf(MarketplaceView, "Marketplaces", "A page of marketplaces, by slug"),
      error: errors.read
    }).annotateMerge(described("List marketplaces", "All marketplaces, by slug.", "marketplaces")),
    HttpApiEndpoint.get("read", `${base}/marketplaces/:slug`, {
      params: slug,
      success: MarketplaceView,
      error: errors.read
    }).annotateMerge(described("Read a marketplace", "A marketplace's registration.", "marketplaces")),
    HttpApiEndpoint.put("put", `${base}/marketplaces/:slug`, {
      params: slug,
      payload: MarketplaceBody,
      success: MarketplaceView,
      error: errors.write
    }).annotateMerge(
      described(
        "Register a marketplace",
        "Adds a marketplace, or replaces its registration. A replaced webhook secret stays valid for one more day.",
        "marketplaces"
      )
    ),
    HttpApiEndpoint.post("reconcile", `${base}/marketplaces/:slug/reconcile`, {
      params: slug,
      success: Schema.Struct({
        companies: field(Schema.Array(Fields.uid), "The companies whose stock is sent again")
      }).annotate({ description: "The effect" }),
      error: errors.write
    }).annotateMerge(
      described("Send all stock again", "For a marketplace that lost its data, or a restored database.", "marketplaces")
    )
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(group("Marketplaces", "Marketplaces and their registrations")) {}

const states = ["accepted", "pending", "rejected", "disabled", "unsubscribed", "out_of_range", "off"] as const
const kinds = ["marketplace", "endpoint"] as const

/** What the host has to deliver to one receiver for a company. */
const fields = {
  kind: field(Schema.Literals(kinds), "Notifications of stock for a marketplace, or events for an endpoint"),
  receiver: field(Schema.String, "The marketplace's slug, or the endpoint's id"),
  url: field(Schema.NullOr(Schema.String), "Where they are sent"),
  state: field(
    Schema.Literals(states),
    "accepted: all; pending: some are on their way; rejected: the last try failed; the others say why nothing is sent"
  ),
  accepted: field(Fields.count(), "The last accepted change or event"),
  last: field(Fields.count(), "The company's last one"),
  failures: field(Fields.count(), "Rejected tries in a row"),
  failure: field(Schema.NullOr(Schema.String), "Why the last one was rejected"),
  nextAt: field(Schema.NullOr(Fields.time), "The time of the next try"),
  types: field(Schema.NullOr(Schema.Array(Schema.String)), "Of an endpoint: the types that it receives; null: all"),
  deadLetters: field(Fields.count(), "Webhooks that were given up")
}

const DeliveryView = Schema.Struct(fields).annotate({
  identifier: "Delivery",
  description: "The webhooks of a company for one receiver"
})

const body = field(Schema.NullOr(Fields.json), "The body of the next try; null if nothing is pending")

const receiver = {
  ...company,
  kind: field(Fields.oneOf(...kinds), "The kind of receiver"),
  receiver: field(Fields.text(), "The marketplace's slug, or the endpoint's id")
}

const endpoint = Schema.Struct({ ...company, endpoint: field(Fields.text(), "The endpoint's id, such as erp") })

const done = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotate({ description: "It is done" })

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("deliveries", `${base}/companies/:company_id/deliveries`, {
      params: Schema.Struct(company),
      success: listOf(DeliveryView, "Deliveries", "A company's receivers"),
      error: errors.read
    }).annotateMerge(
      described("List deliveries", "The progress of a company's webhooks, by receiver.", "webhooks")
    ),
    HttpApiEndpoint.get("delivery", `${base}/companies/:company_id/deliveries/:kind/:receiver`, {
      params: Schema.Struct(receiver),
      success: Schema.Struct({ ...fields, body }).annotate({
        identifier: "DeliveryWithBody",
        description: "A delivery and its body"
      }),
      error: errors.read
    }).annotateMerge(
      described("Read a delivery", "The progress of one receiver, and the body of its next webhook.", "webhooks")
    ),
    HttpApiEndpoint.post("wake", `${base}/companies/:company_id/deliveries/:kind/:receiver/wake`, {
      params: Schema.Struct(receiver),
      success: done({ receiver: receiver.receiver }),
      error: errors.write
    }).annotateMerge(
      described("Retry now", "Sends rejected webhooks now instead of within the hour, to a marketplace for all companies.", "webhooks")
    ),
    HttpApiEndpoint.get("deadLetters", `${base}/companies/:company_id/dead-letters`, {
      params: Schema.Struct(company),
      success: Schema.Struct({
        items: nestedList("The dead letters, by receiver, oldest first", {
          kind: fields.kind,
          receiver: fields.receiver,
          id: field(Schema.String, "The webhook id of its last try"),
          failures: fields.failures,
          failure: field(Schema.String, "Why the last try was rejected"),
          since: field(Fields.time, "The first try"),
          at: field(Fields.time, "When it was given up"),
          body: field(Fields.json, "Its body, as it was last sent")
        })
      }).annotate({ identifier: "DeadLetters", description: "A company's dead letters" }),
      error: errors.read
    }).annotateMerge(
      described("List dead letters", "Webhooks that were given up after three days, with their bodies.", "webhooks")
    ),
    HttpApiEndpoint.post("resend", `${base}/companies/:company_id/dead-letters/:kind/:receiver/:id/resend`, {
      params: Schema.Struct({ ...receiver, id: field(Fields.text(), "The dead letter's id") }),
      success: done({ id: field(Schema.String, "The dead letter's id") }),
      error: errors.write
    }).annotateMerge(
      described("Resend a dead letter", "Before newer webhooks; a marketplace gets the current quantities.", "webhooks")
    ),
    HttpApiEndpoint.put("putEndpoint", `${base}/companies/:company_id/endpoints/:endpoint`, {
      params: endpoint,
      payload: EndpointBody,
      success: DeliveryView,
      error: errors.write
    }).annotateMerge(
      described("Add or change an endpoint", "Also retries its rejected events at once.", "webhooks")
    ),
    HttpApiEndpoint.put("enableEndpoint", `${base}/companies/:company_id/endpoints/:endpoint/enabled`, {
      params: endpoint,
      payload: Schema.Struct({ enabled: field(Fields.flag, "Whether it receives events") }),
      success: DeliveryView,
      error: errors.write
    }).annotateMerge(
      described("Enable or disable an endpoint", "It keeps its cursor, and gets the missed events once enabled.", "webhooks")
    ),
    HttpApiEndpoint.delete("removeEndpoint", `${base}/companies/:company_id/endpoints/:endpoint`, {
      params: endpoint,
      success: done({ endpoint: field(Schema.String, "The endpoint's id") }),
      error: errors.write
    }).annotateMerge(described("Remove an endpoint", "Deletes it and its dead letters.", "webhooks"))
  )
  .middleware(OperatorAuthentication)
  .annotateMerge(group("Webhooks", "Notifications of stock and events: progress, bodies, dead letters, endpoints")) {}
