/** Writes the endpoint pages of docs/reference from the OpenAPI documents. Codes come from reference-notes.json. */
import { readFileSync } from "node:fs"
import { MarketplaceApi, OperatorApi, PlatformApi, SellerApi } from "@crossdock/http"
import * as OpenApi from "effect/http-api/OpenApi"

const { codes } = JSON.parse(readFileSync(new URL("reference-notes.json", import.meta.url), "utf8"))

const pages = { seller: SellerApi, marketplace: MarketplaceApi, platform: PlatformApi, operator: OperatorApi }

const kebab = (name) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(".", "-")
    .toLowerCase()
const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ")
const sentence = (text) => (text === undefined ? "" : withLinks(text))
const isSignIn = (id) => id.startsWith("token.")
const anchorOf = (id) => kebab(isSignIn(id) ? id.replace("token", "sign-in") : id)
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n")

/** Turns `docs/reference/bulk.md#moves` into a link called "bulk: moves". */
const withLinks = (text) =>
  text.replaceAll(/docs\/reference\/([\w-]+)\.md(?:#([\w-]+))?/g, (_, page, anchor) => {
    const name = anchor === undefined ? page : `${page}: ${anchor}`
    return `[${name.replaceAll("-", " ")}](${page}.md${anchor === undefined ? "" : `#${anchor}`})`
  })

const largest = Number.MAX_SAFE_INTEGER
const grouped = (value) => value.toLocaleString("en-US")
const recordOf = ({ $ref }) => $ref.split("/").at(-1)
const operationAnchors = new Set(
  Object.values(pages).flatMap((api) =>
    Object.values(OpenApi.fromApi(api).paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => anchorOf(operationId))
    )
  )
)
const recordAnchor = (name) => `${kebab(name)}${operationAnchors.has(kebab(name)) ? "-record" : ""}`
const linked = (name) => (name === "Error" ? "[error body](errors.md#body)" : `[${name}](#${recordAnchor(name)})`)

const range = ({ maximum, minimum }) => {
  if (maximum === undefined || minimum === undefined || (minimum === -largest && maximum === largest)) return ""
  return `, ${grouped(minimum)} to ${grouped(maximum)}`
}

/** A schema in words. The fields of an object have their own rows. */
const words = (schema) => {
  const { $ref, anyOf, const: only, enum: allowed, items, maxItems, maxLength, minItems, minLength, type } = schema
  if ($ref !== undefined) return linked(recordOf(schema))
  if (anyOf !== undefined) {
    const kinds = [...new Set(anyOf.filter((one) => one.type !== "null").map(words))]
    return [...kinds, ...(anyOf.some((one) => one.type === "null") ? ["null"] : [])].join(" or ")
  }
  if (only !== undefined) return `\`${only}\``
  if (allowed?.length > 100) return `one of ${allowed.length} values that the OpenAPI document lists`
  if (allowed !== undefined) return allowed.map((one) => `\`${one}\``).join(", ")
  if (type === "array") {
    const least = minItems > 0 ? "non-empty " : ""
    const most = maxItems === undefined ? "" : `at most ${grouped(maxItems)} `
    if (items === undefined) return `${least}list`
    const each = words(items).replace(/^object$/, "objects")
    return `${least}list of ${most}${each.includes(",") ? `(${each})` : each}`
  }
  if (type === "integer") return `whole number${range(schema)}`
  if (type === "number") return `number${range(schema)}`
  if (type === "string") {
    if (schema.format === "binary") return "file"
    const most = maxLength === undefined ? "" : `, at most ${grouped(maxLength)} characters`
    return `${minLength > 0 ? "non-empty " : ""}text${most}`
  }
  return type ?? "any JSON"
}

/** The objects whose fields are shown for a schema: the schema itself, or the items of its list. */
const inside = (schema) => {
  if (schema.properties !== undefined) return { suffix: "", schema }
  if (schema.items !== undefined) {
    const found = inside(schema.items)
    return found === undefined ? undefined : { suffix: `[]${found.suffix}`, schema: found.schema }
  }
  const one = schema.anyOf?.filter(({ type }) => type !== "null") ?? []
  return one.length === 1 ? inside(one[0]) : undefined
}

const rowsOf = (schema, prefix = "") =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const found = inside(field)
    return [
      [`\`${prefix}${name}\``, words(field), schema.required?.includes(name) ? "yes" : "", sentence(field.description)],
      ...(found === undefined ? [] : rowsOf(found.schema, `${prefix}${name}${found.suffix}.`))
    ]
  })

const fields = (schema, always) => table(["Field", "Type and limits", always, "Meaning"], rowsOf(schema))

/** A body or an answer: a sentence, and a table of its fields. If a named record has the fields, there is no table. */
const shape = (schema, always) => {
  const variants = schema.anyOf?.filter(({ type }) => type !== "null") ?? []
  if (variants.length > 1 && variants.some((one) => inside(one) !== undefined)) {
    return variants.map((one) => shape(one, always).trimStart()).join("\n\nor an object with these fields:\n\n")
  }
  const found = inside(schema)
  if (found === undefined) return words(schema)
  const rows = fields(found.schema, always)
  return found.suffix === "" ? `\n\n${rows}` : `${words(schema)}\n\n${rows}`
}

const contentOf = (content) =>
  content === undefined ? undefined : (content["application/json"] ?? Object.values(content)[0])?.schema

const parameterRows = (parameters) =>
  parameters
    .filter((one) => one.name !== "Idempotency-Key")
    .map(({ description, in: where, name, required, schema }) => [
      `\`${name}\``,
      where,
      words(schema),
      required ? "yes" : "",
      schema.default === undefined ? "" : `\`${schema.default}\``,
      sentence(description)
    ])

const mentioned = new Set()

/** The rejections that many operations share. Each page shows them once. */
const shared = [
  [
    "All",
    {
      400: ["VALIDATION_FAILED"],
      429: ["TOO_MANY_REQUESTS"],
      500: ["INTERNAL_SERVER_ERROR"],
      503: ["STORAGE_UNAVAILABLE"]
    }
  ],
  [
    "With an access token",
    { 400: ["UNKNOWN_PARAMETER"], 401: ["TOKEN_EXPIRED", "TOKEN_INVALID", "TOKEN_MISSING"], 403: ["FORBIDDEN"] }
  ],
  [
    "With a body",
    {
      400: ["FORBIDDEN_KEY", "MALFORMED_JSON", "TOO_DEEP"],
      413: ["BODY_TOO_LARGE"],
      415: ["UNSUPPORTED_MEDIA_TYPE"]
    }
  ],
  ["With an Idempotency-Key", { 409: ["IDEMPOTENCY_IN_FLIGHT"], 422: ["IDEMPOTENCY_MISMATCH"] }]
]

const rejections = (codes) =>
  Object.entries(codes)
    .filter(([, own]) => own.length > 0)
    .map(([status, own]) => `[${status}](errors.md#status-${status}) ${own.map((code) => `\`${code}\``).join(", ")}`)
    .join("; ")

/** The rejections of an operation. A group of shared ones is left out if the operation has the whole group. */
const ownRejections = (responses) => {
  const all = Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status >= "400")
      .map(([status, { content }]) => [status, content["application/json"].schema.allOf[1].properties.code.enum])
  )
  const left = shared
    .map(([, group]) => Object.entries(group))
    .filter((group) => group.every(([status, codes]) => codes.every((code) => all[status]?.includes(code))))
    .flat()
  return Object.fromEntries(
    Object.entries(all).map(([status, codes]) => [
      status,
      codes.filter((code) => !left.some(([known, out]) => known === status && out.includes(code)))
    ])
  )
}

const endpoint =
  (page) =>
  ([method, path, operation]) => {
    const id = operation.operationId
    const key = isSignIn(id) ? `${page}.${id}` : id
    mentioned.add(key)
    const parameters = parameterRows(operation.parameters ?? [])
    const hasKey = operation.parameters?.some(({ name }) => name === "Idempotency-Key")
    const body = contentOf(operation.requestBody?.content)
    const [text, rules] = operation.description.split("\n\nRules: ")
    const [[status, success]] = Object.entries(operation.responses)
    const own = rejections(ownRejections(operation.responses))
    const answer = contentOf(success.content)
    const type = Object.keys(success.content ?? {})[0]
    return [
      `<a id="${anchorOf(id)}"></a>`,
      `### ${method.toUpperCase()} ${path}`,
      `${operation.summary}. ${text}`,
      [
        `- Rules: ${withLinks(rules).replace(/\.$/, "")}`,
        ...(codes[key] === undefined ? [] : [`- Codes of records: ${codes[key]}`]),
        ...(own === "" ? [] : [`- Other rejections: ${own}`]),
        ...(hasKey ? ["- Accepts an [Idempotency-Key](requests.md#idempotency)"] : [])
      ].join("\n"),
      ...(parameters.length === 0
        ? []
        : [table(["Parameter", "In", "Type and limits", "Required", "Default", "Meaning"], parameters)]),
      ...(body === undefined ? [] : [`Body: ${shape(body, "Required")}`]),
      answer === undefined
        ? `Answer: ${status}.`
        : `Answer: ${status} ${type === "application/json" ? shape(answer, "Always present") : `\`${type}\``}`
    ]
      .join("\n\n")
      .replaceAll(/ +\n/g, "\n")
  }

const pageOf = (page, api) => {
  const document = OpenApi.fromApi(api)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, path, operation])
  )
  const groups = document.tags.map(({ description, name }) => {
    const own = operations.filter(([, , operation]) => operation.tags.includes(name))
    return `## ${name}\n\n${description}.\n\n${own.map(endpoint(page)).join("\n\n")}`
  })
  const index = operations.map(([method, path, { operationId, summary }]) => [
    `[${method.toUpperCase()} ${path}](#${anchorOf(operationId)})`,
    summary
  ])
  const records = Object.entries(document.components.schemas)
    .filter(([name]) => name !== "Error")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const its = rowsOf(schema).length === 0 ? words(schema) : fields(schema, "Required")
      return `<a id="${recordAnchor(name)}"></a>\n\n### ${name}\n\n${sentence(schema.description)}.\n\n${its}`
    })
  return `<!-- Made by scripts/reference-docs.mjs from the contracts of packages/http and the codes in scripts/reference-notes.json. Change those, then npm run docs. -->

# ${document.info.title}, version ${document.info.version}

${withLinks(document.info.description)}

This page is generated from the OpenAPI document \`/openapi/${page}.json\`. The [glossary](../guides/glossary.md) explains terms such as SKU.

${table(["Endpoint", "What it does"], index)}

## Rejections

${table(
  ["Operations", "Rejections"],
  shared.map(([kind, codes]) => [kind, rejections(codes)])
)}

The operations below list only rejections that aren't in this table.

${groups.join("\n\n")}

## Records

A "required" field must be in a request, and is always in an answer.

${records.join("\n\n")}
`
}

export const documents = Object.fromEntries(
  Object.entries(pages).map(([page, api]) => [`docs/reference/${page}.md`, pageOf(page, api)])
)

/** Codes of operations that no longer exist. */
export const faults = Object.keys(codes)
  .filter((id) => !mentioned.has(id))
  .map((one) => `scripts/reference-notes.json has codes of ${one}, which is not in the interfaces`)
