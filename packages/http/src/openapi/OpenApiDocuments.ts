/**
 * The OpenAPI documents that a host serves: the contracts, with examples, webhooks and links between operations.
 */
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import { MarketplaceApi } from "../marketplace/MarketplaceApi.ts"
import { PlatformApi } from "../platform/PlatformApi.ts"
import { SellerApi } from "../seller/SellerApi.ts"
import * as Examples from "./Examples.ts"
import { InventoryEvent, webhooks } from "./InventoryWebhook.ts"

type Json = Readonly<Record<string, unknown>>
type Shown = ReturnType<typeof Examples.shown>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Parameters of a link are those of its address; none before its answer is recorded. */
const linkParameters = (link: string, path: string): Readonly<Record<string, string>> => {
  if (!URL.canParse(link)) return {}
  const { pathname, searchParams } = new URL(link)
  const name = /\{(\w+)\}$/.exec(path)?.[1] ?? ""
  return { [name]: decodeURIComponent(pathname.split("/").at(-1) ?? ""), ...Object.fromEntries(searchParams) }
}

const typed = (value: string, schema: unknown): unknown => {
  const type = isObject(schema) ? schema.type : undefined
  return type === "integer" ? Number(value) : type === "boolean" ? value === "true" : value
}

/**
 * What an example sends in a parameter. On pages where requests are tried, `x-disabled` is a parameter that is not sent: an
 * empty one would be rejected.
 */
const valueIn = (parameter: Json, path: string, [{ headers, link, path: inPath, query }]: Shown[number]): Json => {
  const sent = { ...inPath, ...query, ...headers, ...(link === undefined ? {} : linkParameters(link, path)) }
  const value = sent[String(parameter.name)]
  return value === undefined ? { "x-disabled": true } : { value: typed(value, parameter.schema) }
}

/** Keyed like the examples of the body, so that they are chosen together; without a body the first example is shown. */
const parameterWith = (parameter: unknown, path: string, its: Shown, hasBody: boolean): unknown =>
  isObject(parameter)
    ? {
        ...parameter,
        examples: Object.fromEntries(
          (hasBody ? its : its.slice(0, 1)).map((example) => [
            hasBody ? example[0].title : "default",
            valueIn(parameter, path, example)
          ])
        )
      }
    : parameter

const examplesOf = (values: ReadonlyArray<readonly [title: string, value: unknown]>) =>
  values.length === 0
    ? {}
    : { examples: Object.fromEntries(values.map(([title, value]) => [title, { summary: title, value }])) }

/** The media types of a body, with the examples that are sent in it. */
const contentWith = (content: unknown, values: Parameters<typeof examplesOf>[0]): Json =>
  Object.fromEntries(
    Object.entries(isObject(content) ? content : {}).map(([type, media]) => [
      type,
      isObject(media) ? { ...media, ...examplesOf(values) } : media
    ])
  )

const operationWith = (one: Json, path: string, its: Shown): Json => {
  if (its.length === 0) return one
  const sent = its.flatMap(([{ body, title }]) => (body === undefined ? [] : [[title, body] as const]))
  const responses = isObject(one.responses) ? one.responses : {}
  return {
    ...one,
    parameters: Array.isArray(one.parameters)
      ? one.parameters.map((each) => parameterWith(each, path, its, sent.length > 0))
      : [],
    ...(isObject(one.requestBody)
      ? { requestBody: { ...one.requestBody, content: contentWith(one.requestBody.content, sent) } }
      : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const given = its.flatMap(([{ title }, answer]) =>
          answer?.body !== undefined && String(answer.status) === status ? [[title, answer.body] as const] : []
        )
        return [
          status,
          isObject(response) && isObject(response.content) && given.length > 0
            ? { ...response, content: contentWith(response.content, given) }
            : response
        ]
      })
    )
  }
}

const withExamples =
  (name: string) =>
  (document: Json): Json => {
    const shown = Examples.shown()
    const paths = isObject(document.paths) ? document.paths : {}
    return {
      ...document,
      paths: Object.fromEntries(
        Object.entries(paths).map(([path, operations]) => [
          path,
          Object.fromEntries(
            Object.entries(isObject(operations) ? operations : {}).map(([method, one]) => [
              method,
              isObject(one)
                ? operationWith(
                    one,
                    path,
                    shown.filter(([{ operation }]) => operation === `${name} ${one.operationId}`)
                  )
                : one
            ])
          )
        ])
      )
    }
  }

const withWebhooks = (document: Json): Json => {
  const components = isObject(document.components) ? document.components : {}
  const schemas = isObject(components.schemas) ? components.schemas : {}
  const tag = { name: "Webhooks", description: "What a marketplace implements, and the service calls" }
  return {
    ...document,
    tags: [...(Array.isArray(document.tags) ? document.tags : []), tag],
    webhooks,
    components: { ...components, schemas: { ...schemas, InventoryEvent } }
  }
}

/** An interface's own changes of its document, and then one more. */
const after = (annotations: Context.Context<never>, change: (document: Json) => Json) => {
  const own = Context.getOrElse(annotations, OpenApi.Transform, () => (document: Json) => document)
  return (document: Record<string, unknown>) => change(own(document))
}

/**
 * The interfaces with their whole documents: `OpenApi.fromApi` gives the one that a host serves.
 */
export const seller = SellerApi.annotate(OpenApi.Transform, after(SellerApi.annotations, withExamples("seller")))

export const marketplace = MarketplaceApi.annotate(
  OpenApi.Transform,
  after(MarketplaceApi.annotations, (document) => withWebhooks(withExamples("marketplace")(document)))
)

export const platform = PlatformApi.annotate(
  OpenApi.Transform,
  after(PlatformApi.annotations, withExamples("platform"))
)
