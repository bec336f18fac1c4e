/** Makes packages/client/src/contracts, the types and operations of each interface, from the contracts of packages/http. */
import { MarketplaceApi, OperatorApi, PlatformApi, SellerApi } from "@crossdock/http/contracts"
import * as OpenApi from "effect/http-api/OpenApi"

/** Each interface, and the part of its paths that comes from the caller's account. */
const interfaces = [
  { name: "Seller", api: SellerApi, own: undefined },
  { name: "Marketplace", api: MarketplaceApi, own: "marketplace_slug" },
  { name: "Platform", api: PlatformApi, own: "company_id" },
  { name: "Operator", api: OperatorApi, own: undefined }
]

/** Operations that read and have a body. They can be resent safely without an Idempotency-Key. */
const readsWithBody = ["shipments.courierDetails", "shipments.track", "documents.labels", "documents.invoice"]

const pageParameters = ["page_no", "page_number", "pageNumber", "page", "cursor"]
const sizeParameters = ["page_size", "pageSize", "limit"]

const json = "application/json"
const comment = (text) => (text === undefined ? "" : `/** ${text.replaceAll("*/", "* /")} */\n`)
const keyOf = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const field = (name, type, { description, isRequired }) =>
  `${comment(description)}readonly ${keyOf(name)}${isRequired ? "" : "?"}: ${type}`

const objectType = ({ additionalProperties, properties = {}, required = [] }) => {
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, typeOf(schema), { description: schema.description, isRequired: required.includes(name) })
  )
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  const others =
    isOpen && fields.length === 0 && additionalProperties !== true ? typeOf(additionalProperties) : "unknown"
  return `{\n${[...fields, ...(isOpen || fields.length === 0 ? [`readonly [key: string]: ${others}`] : [])].join("\n")} }`
}

/** The type of a JSON Schema. It knows the keywords that the contracts use. */
const typeOf = (schema) => {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ")
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" | ")
  if (Object.keys(schema).some((key) => ["allOf", "oneOf", "not", "const", "prefixItems"].includes(key))) {
    throw new Error(`No type for ${JSON.stringify(schema).slice(0, 300)}`)
  }
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type
    case "integer":
    case "number":
      return "number"
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {})}>`
    case "object":
      return objectType(schema)
    default:
      return "unknown"
  }
}

/** The type of a parameter. Only the description says that a list has commas. */
const parameterType = ({ description, schema }) =>
  schema.type === "string" && /comma-separated/.test(description ?? "")
    ? "ReadonlyArray<string | number>"
    : typeOf(schema)

const inputPart = (name, parameters, where) => {
  const own = parameters.filter((one) => one.in === where)
  if (own.length === 0) return []
  const fields = own.map((one) =>
    field(one.name, parameterType(one), { description: one.description, isRequired: one.required })
  )
  return [`readonly ${name}${own.some(({ required }) => required) ? "" : "?"}: {\n${fields.join("\n")} }`]
}

const written = ({ api, name, own }) => {
  const { components, paths } = OpenApi.fromApi(api)
  const resolved = (schema) =>
    schema?.$ref === undefined ? (schema ?? {}) : components.schemas[schema.$ref.split("/").at(-1)]
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ path, method, ...one }))
  )

  /** The list of records in a body. It is the body, one of its alternatives, or one of its fields. */
  const listIn = (body) => {
    const schema = resolved(body)
    const array = schema.type === "array" ? schema : schema.anyOf?.map(resolved).find(({ type }) => type === "array")
    if (array !== undefined) return { list: "", schema: array }
    const [found] = Object.entries(schema.properties ?? {}).filter(([, one]) => one.maxItems !== undefined)
    return found === undefined ? undefined : { list: found[0], schema: found[1], fields: schema }
  }

  const operation = ({ method, operationId, parameters, path, requestBody, responses, summary }) => {
    const sent = parameters.filter((one) => one.name !== own && one.name !== "Idempotency-Key")
    const hasKey = parameters.some((one) => one.name === "Idempotency-Key")
    if (method !== "get" && !hasKey && !readsWithBody.includes(operationId)) {
      throw new Error(`${operationId} writes and takes no Idempotency-Key: a client must not send it again`)
    }
    const answer = responses["200"].content
    const isJson = json in answer
    const body = requestBody?.content[json]?.schema
    const input = [
      ...inputPart("params", sent, "path"),
      ...inputPart("query", sent, "query"),
      ...inputPart("headers", sent, "header"),
      ...(body === undefined ? [] : [`readonly payload: ${typeOf(body)}`])
    ]
    const inQuery = (names) => sent.find((one) => one.in === "query" && names.includes(one.name))
    const number = method === "get" ? inQuery(pageParameters) : undefined
    const size = inQuery(sizeParameters)
    const success = isJson ? resolved(answer[json].schema) : {}
    const [items, item] =
      success.type === "array"
        ? ["", success.items]
        : (Object.entries(success.properties ?? {})
            .filter(([, one]) => one.type === "array")
            .map(([key, one]) => [key, one.items])[0] ?? [])
    const { data, errors = resolved(data).properties?.errors } = success.properties ?? {}
    const bulk = hasKey && body !== undefined && errors !== undefined ? listIn(body) : undefined
    const restOf = ({ properties, required }, list) =>
      objectType({
        properties: Object.fromEntries(Object.entries(properties).filter(([key]) => key !== list)),
        required: required.filter((key) => key !== list)
      })
    const rest =
      bulk === undefined
        ? []
        : [
            ...inputPart("query", sent, "query"),
            ...(bulk.fields === undefined ? [] : [`readonly payload?: ${restOf(bulk.fields, bulk.list)}`])
          ]
    const types = [
      `readonly input: ${input.length === 0 ? "Record<string, never>" : `{ ${input.join("\n")} }`}`,
      `readonly success: ${isJson ? typeOf(answer[json].schema) : "Uint8Array"}`,
      ...(number === undefined ? [] : [`readonly item: ${typeOf(item)}`]),
      ...(bulk === undefined
        ? []
        : [
            `readonly record: ${typeOf(bulk.schema.items)}`,
            `readonly failed: ${typeOf(errors.items ?? errors.additionalProperties)}`,
            ...(rest.length === 0 ? [] : [`readonly rest: { ${rest.join("\n")} }`])
          ])
    ]
    const entry = {
      method: method.toUpperCase(),
      path,
      ...(hasKey ? { key: true } : {}),
      ...(isJson ? {} : { bytes: true }),
      ...(number === undefined
        ? {}
        : { page: { number: number.name, size: size.name, most: size.schema.maximum, items } }),
      ...(bulk === undefined ? {} : { bulk: { list: bulk.list, most: bulk.schema.maxItems } })
    }
    return {
      id: operationId.split("."),
      type: `${comment(summary)}readonly ${operationId.split(".")[1]}: { ${types.join("\n")} }`,
      entry: `${operationId.split(".")[1]}: ${JSON.stringify(entry)}`
    }
  }

  /** Operations with a token. The others are left out: the client signs in itself, and pages and links are for browsers. */
  const withToken = all.filter(({ security }) => security.some((one) => "token" in one))
  const operations = withToken.map(operation)
  const groups = [...new Set(operations.map(({ id }) => id[0]))]
  const grouped = (part, separator) =>
    groups.map((group) => [
      group,
      operations
        .filter(({ id }) => id[0] === group)
        .map((one) => one[part])
        .join(separator)
    ])
  const names = new Set()
  const visit = (schema) => {
    for (const [, one] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (names.has(one) || one === "Error") continue
      names.add(one)
      visit(components.schemas[one])
    }
  }
  visit(withToken)
  const signIn = all.find(({ method, operationId }) => method === "post" && operationId.startsWith("token."))

  return `/**
 * The ${name.toLowerCase()} interface on the wire. Made by scripts/client-contracts.mjs from the contracts of @crossdock/http: change those.
 */
import type { Table } from "../Operation.ts"

${Object.entries(components.schemas)
  .filter(([key]) => names.has(key))
  .map(([key, schema]) => `${comment(schema.description)}export type ${key} = ${typeOf(schema)}`)
  .join("\n\n")}

/** The operations by group, with the types of what they take and answer. */
export interface Operations {
${grouped("type", "\n")
  .map(([group, types]) => `readonly ${group}: { ${types} }`)
  .join("\n")}
}

/** Where a client signs in. */
export const signInPath = ${JSON.stringify(signIn.path)}

export const operations: Table<Operations> = {
${grouped("entry", ",\n")
  .map(([group, entries]) => `${group}: { ${entries} }`)
  .join(",\n")}
}
`
}

const indented = (text) => {
  let depth = 0
  const lines = text.split("\n").map((line) => {
    const code = line.replace(/^ *\/?\*.*|"[^"]*"/g, "")
    const closing = /^[}\]]/.test(code) ? 1 : 0
    const written = "  ".repeat(Math.max(0, depth - closing)) + line
    depth += code.replace(/[^{[]/g, "").length - code.replace(/[^}\]]/g, "").length
    return line === "" ? "" : written
  })
  return lines.join("\n")
}

export const documents = Object.fromEntries(
  interfaces.map((one) => [`packages/client/src/contracts/${one.name}.ts`, indented(written(one))])
)
