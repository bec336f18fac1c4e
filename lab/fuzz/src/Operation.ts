/** The operations of the interfaces, from their OpenAPI documents. */
import * as Fields from "@crossdock/histories/Fields"
import { OpenApiDocuments } from "@crossdock/http"
import { MarketplaceApi, OperatorApi, PlatformApi, SellerApi } from "@crossdock/http/contracts"
import { operationalStatuses } from "@crossdock/shipments"
import { Ajv2020, type AnySchema } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import * as OpenApi from "effect/http-api/OpenApi"
import { isObject } from "./JsonText.ts"

export type Interface = "seller" | "marketplace" | "platform" | "operator"

/** A JSON schema without references. */
export type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly in: "path" | "query" | "header"
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

/** Returns the faults of a value. */
type Validate = (value: unknown) => ReadonlyArray<string>

export interface Operation {
  /** The id of the operation, such as `seller stock.update`. */
  readonly id: string
  readonly interface: Interface
  readonly method: string
  readonly path: string
  /** All methods of the path. */
  readonly methods: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly type: string; readonly schema: Schema; readonly validate: Validate } | undefined
  readonly answers: ReadonlyMap<number, { readonly type: string | undefined; readonly validate: Validate }>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Entry {
  readonly operationId: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
// @ts-expect-error Its types describe another module format.
formats.default?.(ajv) ?? formats(ajv)

const validator = (schema: Schema): Validate => {
  const validate = ajv.compile(schema as AnySchema)
  return (value) =>
    validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

/** Resolves each `$ref`. Our schemas don't refer to themselves. */
const resolved = (schemas: Readonly<Record<string, unknown>>, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => resolved(schemas, one))
  if (!isObject(value)) return value
  if (typeof value.$ref === "string") return resolved(schemas, schemas[value.$ref.split("/").at(-1) ?? ""])
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(schemas, one)]))
}

const isOpen = ({ additionalProperties, properties }: Schema): boolean =>
  properties === undefined || additionalProperties !== undefined

/** A schema that also rejects fields that the document doesn't have. The parts of an `allOf` share their fields. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (!isObject(value)) return value
  if (Array.isArray(value.allOf)) return { ...value, unevaluatedProperties: false }
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]))
  return value.type === "object" && !isOpen(value) ? { ...inner, additionalProperties: false } : inner
}

const operationsOf = (name: Interface, document: OpenApi.OpenAPISpec): ReadonlyArray<Operation> => {
  const schemas = document.components.schemas
  const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Entry>>>>
  return Object.entries(paths).flatMap(([path, entries]) =>
    Object.entries(entries).map(([method, entry]): Operation => {
      const [type, content] = Object.entries(entry.requestBody?.content ?? {})[0] ?? []
      const schema = content === undefined ? undefined : (resolved(schemas, content.schema) as Schema)
      const answers = Object.entries(entry.responses).map(([status, { content }]) => {
        const [answerType, answer] = Object.entries(content ?? {})[0] ?? []
        const validate = answerType === "application/json" && answer !== undefined
        return [
          Number(status),
          {
            type: answerType,
            validate: validate ? validator(closed(resolved(schemas, answer.schema)) as Schema) : () => []
          }
        ] as const
      })
      return {
        id: `${name} ${entry.operationId}`,
        interface: name,
        method: method.toUpperCase(),
        path,
        methods: Object.keys(entries).map((one) => one.toUpperCase()),
        parameters: entry.parameters,
        body: type === undefined || schema === undefined ? undefined : { type, schema, validate: validator(schema) },
        answers: new Map(answers)
      }
    })
  )
}

const own: OpenApiDocuments.Own = {
  fields: Fields.policy,
  isNumbered: true,
  papers: {},
  statuses: operationalStatuses
}

/** All operations, with the fields and series of the fuzzer's host. */
export const all: ReadonlyArray<Operation> = [
  ...operationsOf("seller", OpenApi.fromApi(OpenApiDocuments.at(SellerApi, "", own))),
  ...operationsOf("marketplace", OpenApi.fromApi(OpenApiDocuments.at(MarketplaceApi, "", own))),
  ...operationsOf("platform", OpenApi.fromApi(PlatformApi)),
  ...operationsOf("operator", OpenApi.fromApi(OperatorApi))
]

/** The operation with this id. */
export const named = (id: string): Operation => {
  const found = all.find((one) => one.id === id)
  if (found === undefined) throw new Error(`The documents have no operation ${id}`)
  return found
}

/** Whether callers need a token. Signing in doesn't need one, nor do links that are secrets. */
export const needsToken = ({ id }: Operation): boolean => !/ (token|documentLinks|confirm|invoiceDocuments)\./.test(id)

/** Whether the operation checks the host's own fields in each record, and the rest of the body as a whole. */
export const judgesFields = ({ id }: Operation): boolean => /^seller products\.(create|update)$/.test(id)

/** Whether the operation checks each record of its body separately. */
export const judgesRecords = ({ id }: Operation): boolean =>
  /^seller (price\.update|stock\.update|products\.delete|shipments\.(confirm|cancel|invoiceUpdate|pack|dispatch|awb|status|return|courierDetails))$/.test(
    id
  ) || /^(marketplace orders\.(awb|status)|operator companies\.sellers)$/.test(id)
