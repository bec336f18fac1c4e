/**
 * Compares every answer that a test gets with the OpenAPI documents: its status, content type, body and headers are
 * declared, and its body has no field that is not.
 */
import { MarketplaceApi, OpenApiDocuments, OperatorApi, PlatformApi, SellerApi } from "@crossdock/http"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { OpenApi } from "effect/http-api"

type Json = Readonly<Record<string, unknown>>

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
}

interface Entry {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: RegExp
  readonly responses: Readonly<Record<string, Response>>
  readonly schemas: Json
  readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const documents = { seller: SellerApi, marketplace: MarketplaceApi, platform: PlatformApi, operator: OperatorApi }

const operations: ReadonlyArray<Operation> = Object.entries(documents).flatMap(([name, api]) => {
  const { components, paths } = OpenApi.fromApi(api as typeof SellerApi)
  const operationsAt = paths as unknown as Readonly<Record<string, Readonly<Record<string, Entry>>>>
  const headers = (components as unknown as { headers: Operation["headers"] }).headers
  return Object.entries(operationsAt).flatMap(([path, entries]) =>
    Object.entries(entries).map(([method, { operationId, responses }]) => ({
      id: `${name} ${operationId}`,
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      responses,
      schemas: components.schemas,
      headers
    }))
  )
})

/** The schema without references. */
const resolved = (schemas: Json, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => resolved(schemas, one))
  if (!isObject(value)) return value
  if (typeof value.$ref === "string") return resolved(schemas, schemas[value.$ref.split("/").at(-1) ?? ""])
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(schemas, one)]))
}

/** The schema without references, in which an object has no other fields than those it declares. */
const closed = (schemas: Json, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => closed(schemas, one))
  if (!isObject(value)) return value
  if (typeof value.$ref === "string") return closed(schemas, schemas[value.$ref.split("/").at(-1) ?? ""])
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(schemas, one)]))
  if (Array.isArray(value.allOf)) {
    // The parts restrict the same object; only together they have all of its fields.
    const parts = value.allOf.map((one) => resolved(schemas, one))
    return { allOf: parts, unevaluatedProperties: false }
  }
  const isOpen = value.properties === undefined || value.additionalProperties !== undefined
  return value.type === "object" && !isOpen ? { ...inner, additionalProperties: false } : inner
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
const compiled = new Map<Json, ValidateFunction>()

const bodyFaults = ({ schemas }: Operation, schema: Json, body: unknown): ReadonlyArray<string> => {
  const validate = compiled.get(schema) ?? ajv.compile(closed(schemas, schema) as Json)
  compiled.set(schema, validate)
  return validate(body)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`
      )
}

/** Headers of HTTP itself, and those that only keep browsers from guessing or listing. */
const plain =
  /^(?:content-type|content-length|date|connection|keep-alive|transfer-encoding|x-content-type-options|x-robots-tag)$/

const headerFaults = ({ headers: known }: Operation, declared: Response, sent: Json): ReadonlyArray<string> => {
  const names = Object.keys(declared.headers ?? {})
  return [
    ...Object.keys(sent)
      .filter((name) => sent[name] !== undefined && !plain.test(name) && !names.includes(name))
      .map((name) => `the header ${name} is not declared`),
    ...names
      .filter((name) => known[name]?.required === true && sent[name] === undefined)
      .map((name) => `the header ${name} is missing`)
  ]
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Statuses and codes that answer a request before it has an operation. */
const beforeRouting = /"code":"(?:ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED)"/

export interface Given {
  readonly status: number
  readonly headers: Json
  readonly text: string
}

/** How many answers were compared, and of which operations a success was. */
export const compared = { answers: 0, succeeded: new Set<string>() }

/** Every operation of an interface. */
export const operationsOf = (name: string): ReadonlyArray<string> =>
  operations.flatMap(({ id }) => (id.startsWith(`${name} `) ? [id] : []))

/**
 * What an answer has that its operation does not declare; empty for requests that reach no operation of an interface.
 */
export const faults = (method: string, target: string, { headers, status, text }: Given): ReadonlyArray<string> => {
  const path = target.replace(/^https?:\/\/[^/]+/, "").split("?")[0] ?? ""
  const operation = operations.find((one) => one.method === method && one.path.test(path))
  if (operation === undefined || beforeRouting.test(text)) return []
  compared.answers += 1
  if (status < 300) compared.succeeded.add(operation.id)
  const declared = operation.responses[status]
  if (declared === undefined) return [`${operation.id} has no status ${status}: ${text.slice(0, 200)}`]
  const type = String(headers["content-type"] ?? "").split(";")[0] ?? ""
  const content = declared.content?.[type]
  const body =
    content === undefined
      ? text === ""
        ? []
        : [`the content type ${type} is not declared`]
      : type === "application/json"
        ? bodyFaults(operation, content.schema, jsonOf(text))
        : []
  return [...body, ...headerFaults(operation, declared, headers)].map((fault) => `${operation.id} ${status}: ${fault}`)
}

interface Webhook {
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly schema: Json }>
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
}

/**
 * What a notification has that the marketplace's document does not declare, or lacks of it.
 */
export const webhookFaults = (headers: Json, body: string): ReadonlyArray<string> => {
  const document = OpenApi.fromApi(OpenApiDocuments.marketplace) as unknown as {
    readonly components: { readonly schemas: Json }
    readonly webhooks: { readonly inventory: { readonly post: Webhook } }
  }
  const { parameters, requestBody } = document.webhooks.inventory.post
  const validate = (schema: unknown, value: unknown, at: string): ReadonlyArray<string> =>
    ajv.validate(closed(document.components.schemas, schema) as Json, value) ? [] : [`${at}: ${ajv.errorsText()}`]
  return [
    ...parameters.flatMap(({ name, schema }) => validate(schema, headers[name], name)),
    ...validate(requestBody.content["application/json"]?.schema, JSON.parse(body), "body")
  ]
}
