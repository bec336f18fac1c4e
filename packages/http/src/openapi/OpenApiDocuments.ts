/** The OpenAPI documents that a host serves: the contracts, with examples, webhooks and links between operations. */
import { CustomFields, JsonSchema } from "@crossdock/catalog"
import { OwnPapers } from "@crossdock/documents"
import { operationalStatuses, PaperNumbers, Shipments } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { isObject } from "effect/Predicate"
import * as Record from "effect/Record"
import * as FieldFilters from "../internal/FieldFilters.ts"
import { MarketplaceApi } from "../marketplace/MarketplaceApi.ts"
import { OperatorApi } from "../operator/OperatorApi.ts"
import { PlatformApi } from "../platform/PlatformApi.ts"
import { SellerApi } from "../seller/SellerApi.ts"
import * as Examples from "./Examples.ts"
import inventoryWebhook from "./inventoryWebhook.json" with { type: "json" }

type Json = { readonly [key: string]: unknown }
type Shown = ReturnType<typeof Examples.shown>

/** The value of a parameter in an example's link, whose path has one parameter at its end. Undefined without a link. */
const inLink = (link: string | undefined, parameter: Json): string | undefined => {
  if (link === undefined || !URL.canParse(link)) return undefined
  const { pathname, searchParams } = new URL(link)
  return parameter.in === "path"
    ? decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1))
    : (searchParams.get(String(parameter.name)) ?? undefined)
}

const typed = (value: string, schema: unknown): unknown => {
  const type = isObject(schema) ? schema.type : undefined
  return type === "integer" ? Number(value) : type === "boolean" ? value === "true" : value
}

/** The part of a document with the examples that have a value in it. Examples have the same title in every part. */
const withValues = (part: unknown, its: Shown, valueIn: (example: Shown[number]) => unknown): unknown => {
  const examples = its.flatMap((example) => {
    const [value, { title }] = [valueIn(example), example[0]]
    return value === undefined ? [] : [[title, { summary: title, value }] as const]
  })
  return isObject(part) && examples.length > 0 ? { ...part, examples: Object.fromEntries(examples) } : part
}

/** A body or an answer with the values of examples in each of its media types. */
const contentWith = (part: unknown, its: Shown, valueIn: (example: Shown[number]) => unknown): unknown =>
  isObject(part) && isObject(part.content)
    ? { ...part, content: Record.map(part.content, (media) => withValues(media, its, valueIn)) }
    : part

const parameterWith = (parameter: Json, its: Shown): unknown =>
  withValues(parameter, its, ([{ headers, link, path, query }]) => {
    const sent = { ...path, ...query, ...headers }
    const value = inLink(link, parameter) ?? sent[String(parameter.name)]
    return value === undefined ? undefined : typed(value, parameter.schema)
  })

const operationWith = (one: Json, responses: Json, its: Shown): Json => ({
  ...one,
  parameters: Array.isArray(one.parameters) ? one.parameters.map((each) => parameterWith(each, its)) : [],
  ...("requestBody" in one ? { requestBody: contentWith(one.requestBody, its, ([{ body }]) => body) } : {}),
  responses: Record.map(responses, (response, status) =>
    contentWith(response, its, ([, answer]) => (String(answer?.status) === status ? answer?.body : undefined))
  )
})

const withExamples =
  (name: string) =>
  (document: Json): Json => {
    const shown = Examples.shown()
    return JSON.parse(JSON.stringify(document), (_, value) => {
      if (!isObject(value) || !isObject(value.responses)) return value
      const its = shown.filter(([{ operation }]) => operation === `${name} ${value.operationId}`)
      return its.length === 0 ? value : operationWith(value, value.responses, its)
    })
  }

/** `docs/reference/bulk.md#moves` becomes a link called "bulk: moves", which works from /openapi and from /docs. */
const linked = (text: string): string =>
  text
    .replaceAll(/docs\/reference\/([\w-]+)\.md(?:#([\w-]+))?/g, (_, page: string, anchor?: string) => {
      const name = anchor === undefined ? page : `${page}: ${anchor}`
      return `[${name.replaceAll("-", " ")}](../docs/reference/${page}${anchor === undefined ? "" : `#${anchor}`})`
    })
    .replaceAll(/(?<![\w(.])\/docs\/errors\b/g, "[/docs/errors](../docs/errors)")

const withLinks = (document: Json): Json =>
  JSON.parse(JSON.stringify(document), (key, value) =>
    key === "description" && typeof value === "string" ? linked(value) : value
  )

/** The webhook of marketplaces. Source: docs/reference/notifications.md. */
const { InventoryEvent, webhooks } = inventoryWebhook

const withWebhooks = (document: Json): Json => {
  const components = isObject(document.components) ? document.components : {}
  const schemas = isObject(components.schemas) ? components.schemas : {}
  const tag = { name: "Webhooks", description: "Operations that a marketplace implements and the service calls" }
  return {
    ...document,
    tags: [...(Array.isArray(document.tags) ? document.tags : []), tag],
    webhooks,
    components: { ...components, schemas: { ...schemas, InventoryEvent } }
  }
}

type Change = (document: Json) => Json

/** An interface with additional changes to its document. */
const changed = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  ...changes: ReadonlyArray<Change>
) => {
  const own = Context.getOrElse(api.annotations, OpenApi.Transform, () => (document: Json) => document)
  return api.annotate(OpenApi.Transform, (document: Record<string, unknown>) =>
    changes.reduce((whole, change) => change(whole), own(document))
  )
}

/** The interfaces. Their documents have examples and links, but nothing of a particular host. */
export const seller = changed(SellerApi, withExamples("seller"), withLinks)

export const marketplace = changed(MarketplaceApi, withExamples("marketplace"), withWebhooks, withLinks)

export const platform = changed(PlatformApi, withExamples("platform"), withLinks)

export const operator = changed(OperatorApi, withExamples("operator"), withLinks)

/** The parts that a host adds: its own fields and papers, the statuses of its lifecycle, and whether it numbers papers. */
export interface Own {
  readonly isNumbered: boolean
  readonly papers: typeof OwnPapers.Service
  readonly fields: CustomFields.CustomFields
  readonly statuses: ReadonlyArray<string>
}

export const own: Effect.Effect<Own> = Effect.gen(function* () {
  return {
    isNumbered: (yield* PaperNumbers.Series) !== undefined,
    papers: yield* OwnPapers,
    fields: yield* CustomFields.Policy,
    statuses: (yield* Shipments.Policy).statuses
  }
})

/** The record whose custom fields a schema has. A seller's shipment also has the custom fields of its order. */
const recordOf: Readonly<Record<string, CustomFields.RecordName>> = {
  Order: "order",
  OrderView: "order",
  OrderShipment: "shipment",
  ShipmentOfOrder: "shipment",
  Shipment: "shipment",
  ShipmentInfo: "shipment",
  OrderLine: "item",
  Bag: "item",
  OrderItem: "item",
  ProductCreate: "product",
  ProductUpdate: "product",
  Product: "product"
}

/** The schemas of requests, in which null counts as absent. */
const sent: ReadonlySet<string> = new Set(["Order", "OrderShipment", "OrderLine", "ProductCreate", "ProductUpdate"])

const fieldsIn = (schema: string, { declared, shapeOf }: CustomFields.CustomFields): Json => {
  const orNull = sent.has(schema) ? { type: ["object", "null"] } : {}
  const member = (name: string, record: CustomFields.RecordName | undefined) =>
    record === undefined || declared[record] === undefined
      ? {}
      : { [name]: { ...JsonSchema.of(shapeOf(record)), ...orNull } }
  const isSellers = schema === "Shipment" || schema === "ShipmentInfo"
  return { ...member("custom_fields", recordOf[schema]), ...(isSellers ? member("order_custom_fields", "order") : {}) }
}

/** The required fields of a schema. On a host that numbers papers, the number isn't required. */
const requiredIn = (schema: string, { required }: Json, isNumbered: boolean): Json =>
  isNumbered && schema === "InvoiceRecord" && Array.isArray(required)
    ? { required: required.filter((name) => name !== "invoiceNumber") }
    : {}

const filtersOf = (route: string, fields: CustomFields.CustomFields): ReadonlyArray<Json> =>
  !FieldFilters.isList(route)
    ? []
    : FieldFilters.parametersOf(fields, route).map(({ name, parameter, record, shape }) => {
        const description = `Only those with this value of the custom field ${name} of the ${record}`
        return { name: parameter, in: "query", required: false, description, schema: JsonSchema.of(shape) }
      })

const ofHost =
  ({ fields, isNumbered, papers, statuses }: Own): Change =>
  (document) => {
    const listed = String(operationalStatuses)
    return JSON.parse(JSON.stringify(document), (key, value) => {
      if (Array.isArray(value) && String(value) === listed) return statuses
      if (!isObject(value)) return value
      if (isObject(value.properties)) {
        const properties = { ...value.properties, ...fieldsIn(key, fields) }
        return { ...value, properties, ...requiredIn(key, value, isNumbered) }
      }
      const own = papers[/^\/oms\/v3\/shipment\/(labels|invoice)$/.exec(key)?.[1] as keyof typeof papers]
      if (own !== undefined)
        return JSON.parse(JSON.stringify(value).replaceAll('"application/pdf"', JSON.stringify(own.mimeType)))
      const { get } = value
      if (!isObject(get) || !Array.isArray(get.parameters)) return value
      return { ...value, get: { ...get, parameters: [...get.parameters, ...filtersOf(`GET ${key}`, fields)] } }
    })
  }

const onServer =
  (url: string, description: string): Change =>
  (document) =>
    url === "" ? document : { ...document, servers: [{ url, description }] }

/** An interface with a host's document. Its server is `publicUrl` or, if that is empty, the server of the document. */
export const at = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  publicUrl: string,
  own: Own
) => changed(api, ofHost(own), onServer(publicUrl, "This host, by its public address"))

const titlesIn = (content: unknown): ReadonlyArray<string> =>
  Object.values(isObject(content) ? content : {})
    .slice(0, 1)
    .flatMap((media) => (isObject(media) && isObject(media.examples) ? Object.keys(media.examples) : []))

/** The examples that the page offers: those of the body, or else the first one of the answer. */
const chosenIn = ({ requestBody, responses }: Json): ReadonlyArray<string> => {
  const sent = isObject(requestBody) ? titlesIn(requestBody.content) : []
  const success = isObject(responses) ? responses["200"] : undefined
  return sent.length > 0 ? sent : isObject(success) ? titlesIn(success.content).slice(0, 1) : []
}

/** `x-disabled` marks a parameter that an example doesn't send: the page would send an empty one, which is rejected. */
const tried = (parameter: unknown, titles: ReadonlyArray<string>): unknown => {
  if (!isObject(parameter)) return parameter
  const own = isObject(parameter.examples) ? parameter.examples : {}
  const shown = titles.length > 0 ? titles : Object.keys(own)
  const examples = shown.map((title) => [title, own[title] ?? { "x-disabled": true }])
  return {
    ...parameter,
    examples: examples.length > 0 ? Object.fromEntries(examples) : { default: { "x-disabled": true } }
  }
}

const withTries = (_: string, value: unknown): unknown =>
  isObject(value) && "responses" in value && Array.isArray(value.parameters)
    ? { ...value, parameters: value.parameters.map((one) => tried(one, chosenIn(value))) }
    : value

/** An interface for the page to try requests. The page sends them to its own host. */
export const onPage = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  publicUrl: string,
  own: Own
) =>
  changed(
    api,
    ofHost(own),
    onServer(publicUrl === "" ? "" : new URL(publicUrl).pathname, "The host that serves this page"),
    (document) => JSON.parse(JSON.stringify(document), withTries)
  )
