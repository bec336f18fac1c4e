/** Makes Markdown from the recorded examples of the OpenAPI documents: curl, typed client, and answer. */
import { Marketplace, Operator, Platform, Seller } from "@crossdock/client/contracts"
import { Examples, OpenApiDocuments } from "@crossdock/http"
import { OpenApi } from "effect/http-api"

const address = "http://127.0.0.1:8080"

const interfaces = {
  seller: { api: OpenApiDocuments.seller, operations: Seller.operations, by: "acme" },
  marketplace: { api: OpenApiDocuments.marketplace, operations: Marketplace.operations, by: "bazaar" },
  platform: { api: OpenApiDocuments.platform, operations: Platform.operations, by: "ops" },
  operator: { api: OpenApiDocuments.operator, operations: Operator.operations, by: "root" }
}

const clients = {
  acme: `Client.seller({ url: "${address}", username: "acme", password: "acme-secret" })`,
  bazaar: `Client.marketplace({ url: "${address}", slug: "bazaar", username: "bazaar", password: "bazaar-secret" })`,
  ops: `Client.platform({ url: "${address}", companyId: 1, clientId: "ops", clientSecret: "ops-secret" })`,
  root: `Client.operator({ url: "${address}", username: "root", password: "root-secret" })`
}

const json = (value) => JSON.stringify(value, undefined, 2)
const literal = (value) => json(value).replaceAll(/^( *)"(\w+)":/gm, "$1$2:")
const fenced = (lang, text) => `\`\`\`${lang}\n${text}\n\`\`\``
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

const documented = new Map(
  Object.entries(interfaces).flatMap(([name, { api }]) =>
    Object.entries(OpenApi.fromApi(api).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [] }]) => [
        `${name} ${operationId}`,
        { method: method.toUpperCase(), path, parameters }
      ])
    )
  )
)

const addressOf = ({ link, path, query }, operation) => {
  if (link !== undefined) return link
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path?.[name] ?? ""))
  return `${address}${filled}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`
}

const curlOf = (example, operation) => {
  const { as, body, headers = {}, operation: id } = example
  const token =
    as === undefined
      ? {}
      : as === "ops" || as === "root"
        ? { authorization: "Bearer $TOKEN" }
        : { "x-access-token": "$TOKEN" }
  const isForm = id === "platform confirm.decide"
  const type = body === undefined || isForm ? {} : { "content-type": "application/json" }
  const sent = isForm ? new URLSearchParams(body).toString() : json(body)
  return [
    `curl${operation.method === "GET" ? "" : ` -X ${operation.method}`} ${quoted(addressOf(example, operation))}`,
    ...Object.entries({ ...token, ...type, ...headers }).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${quoted(sent)}`])
  ].join(" \\\n  ")
}

/** Parameters that may have several values. In a URL, the values are separated by commas. */
const lists = new Set(["item_code", "skus"])

/** The call of the client. It is undefined for operations that the client doesn't call. */
const clientOf = ({ body, headers, operation: id, path = {}, query = {} }, { parameters }) => {
  const [name, operation] = id.split(" ")
  const { by, operations } = interfaces[name]
  const [group, member] = operation.split(".")
  if (operations[group]?.[member] === undefined) return undefined
  const typed = (key, value) => {
    if (lists.has(key)) return [value]
    const type = parameters.find((one) => one.name === key)?.schema?.type
    return type === "integer" ? Number(value) : type === "boolean" ? value === "true" : value
  }
  const others = name === "operator" ? [] : ["marketplace_slug", "company_id"]
  const own = Object.fromEntries(
    Object.entries(path).flatMap(([key, value]) => (others.includes(key) ? [] : [[key, typed(key, value)]]))
  )
  const asked = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, typed(key, value)]))
  const filled = (part) => Object.keys(part).length > 0
  const input = {
    ...(filled(own) ? { params: own } : {}),
    ...(filled(asked) ? { query: asked } : {}),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { payload: body })
  }
  return [
    'import * as Client from "@crossdock/client/promise"',
    `const ${by} = ${clients[by]}`,
    `const answer = await ${by}.${group}.${member}(${filled(input) ? literal(input) : ""})`
  ].join("\n\n")
}

const answerOf = ({ body, status, type }) =>
  body === undefined
    ? `Answer: ${status}${type === "" ? "" : `, \`${type}\``}.`
    : `Answer: ${status}\n\n${fenced("json answer", json(body))}`

const shown = Examples.shown().map(([example, answer]) => {
  const operation = documented.get(example.operation)
  return { answer, client: clientOf(example, operation), curl: curlOf(example, operation), example, operation }
})

/** The calls of the client, each as a program. */
export const programs = shown.flatMap(({ client }) => client ?? [])

/** The examples of an operation as Markdown. Ids are texts such as `seller stock.update`. */
export const examplesOf = (id) =>
  shown
    .filter(({ example }) => example.operation === id)
    .map(({ answer, client, curl, example }) =>
      [
        `### ${example.title}`,
        `With curl:\n\n${fenced("sh no-run", curl)}`,
        ...(client === undefined ? [] : [`With the client:\n\n${fenced("ts no-run", client)}`]),
        answerOf(answer)
      ].join("\n\n")
    )
    .join("\n\n")

/** The id of an operation, found by its anchor in docs/reference. */
export const operationAt = (page, anchor) =>
  [...documented.keys()].find((id) => {
    const [name, operation] = id.split(" ")
    const own = operation.startsWith("token.") ? operation.replace("token", "sign-in") : operation
    return (
      name === page &&
      own
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
        .replaceAll(".", "-")
        .toLowerCase() === anchor
    )
  })
