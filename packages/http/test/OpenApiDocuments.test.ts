/**
 * The OpenAPI documents as a product: described whole, clean by a linter, and the same wherever a host shows them.
 */
import { readFileSync } from "node:fs"
import { OpenApiDocuments, PlatformScopes } from "@crossdock/http"
import { MarketplaceApi, OperatorApi, PlatformApi, SellerApi } from "@crossdock/http/contracts"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { OpenApi } from "effect/http-api"
import { describe, it } from "vitest"
import { useHost } from "./TestHost.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const documents = {
  seller: OpenApi.fromApi(OpenApiDocuments.seller),
  marketplace: OpenApi.fromApi(OpenApiDocuments.marketplace),
  platform: OpenApi.fromApi(OpenApiDocuments.platform),
  operator: OpenApi.fromApi(OpenApiDocuments.operator)
}

const names = ["seller", "marketplace", "platform", "operator"] as const

/** Places of fields that have no description. */
const undescribed = (value: unknown, at: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((one, nth) => undescribed(one, `${at}/${nth}`))
  if (!isObject(value)) return []
  const own = isObject(value.properties)
    ? Object.entries(value.properties).filter(([, field]) => !isObject(field) || field.description === undefined)
    : []
  return [
    ...own.map(([name]) => `${at}/${name}`),
    ...Object.entries(value)
      .filter(([key]) => key !== "examples" && key !== "example")
      .flatMap(([key, one]) => undescribed(one, `${at}/${key}`))
  ]
}

const wordsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value.replaceAll(/\{\w+\}|\d+/g, "#")]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(wordsIn)
      : []

interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Json>
  readonly security?: ReadonlyArray<Json>
  readonly requestBody?: Json
  readonly responses: Readonly<Record<number, { readonly content?: Json; readonly description?: string }>>
}

const operationsOf = (name: (typeof names)[number]): ReadonlyArray<Operation> =>
  Object.entries(documents[name].paths).flatMap(([path, entries]) =>
    Object.entries(entries).map(([method, one]) => ({ ...(one as unknown as Operation), method, path }))
  )

/** Examples of parameters say what a page sends. */
const withoutExamples = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (_, value) => {
    if (!isObject(value) || !("in" in value) || !("examples" in value)) return value
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "examples"))
  })

const descriptionsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, one]) =>
        key === "description" && typeof one === "string" ? [one] : key === "examples" ? [] : descriptionsIn(one)
      )

/** Every object within, with its place; those of examples are not part of the document's structure. */
const leavesIn = (value: unknown, at = ""): ReadonlyArray<readonly [at: string, one: Json]> =>
  typeof value !== "object" || value === null
    ? []
    : [
        ...(isObject(value) ? [[at, value] as const] : []),
        ...Object.entries(value).flatMap(([key, one]) => (key === "examples" ? [] : leavesIn(one, `${at}/${key}`)))
      ]

interface Example {
  readonly value: unknown
}

interface Exampled {
  readonly schema: Json
  readonly examples: Readonly<Record<string, Example | { readonly $ref: string }>>
}

/** Parameters and media types with their schema and examples. */
const exampledIn = (document: unknown): ReadonlyArray<readonly [at: string, one: Exampled]> =>
  leavesIn(document).filter(([, one]) => isObject(one.schema) && isObject(one.examples)) as never

const exampleIn = (name: (typeof names)[number], one: Example | { readonly $ref: string }): Example =>
  "value" in one
    ? one
    : (Reflect.get(documents[name].components, "examples")[one.$ref.split("/").at(-1) ?? ""] as Example)

const referred = (schemas: Json, schema: unknown): Json => {
  if (!isObject(schema)) return {}
  if (typeof schema.$ref === "string") return referred(schemas, schemas[schema.$ref.split("/").at(-1) ?? ""])
  const variants = Array.isArray(schema.anyOf) ? schema.anyOf.filter((one) => one.type !== "null") : []
  return variants.length === 1 ? { ...referred(schemas, variants[0]) } : schema
}

const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** Places of times in a value whose schema does not say that they are; free-form objects have no schema inside. */
const timesWithoutFormat = (schemas: Json, schema: unknown, value: unknown, at: string): ReadonlyArray<string> => {
  const own = referred(schemas, schema)
  if (typeof value === "string")
    return isTime.test(value) && own.type === "string" && own.format === undefined && own.pattern === undefined
      ? [at]
      : []
  if (Array.isArray(value)) return value.flatMap((one) => timesWithoutFormat(schemas, own.items, one, `${at}[]`))
  if (!isObject(value) || !isObject(own.properties)) return []
  const fields = own.properties
  return Object.entries(value).flatMap(([key, one]) => timesWithoutFormat(schemas, fields[key], one, `${at}.${key}`))
}

/** Accepting a charge answers a browser, which goes on to the return_url: 303 is its success. */
const exceptions = ["operation-2xx-response #/paths/~1billing~1confirm~1{link}/post/responses"]

/** With the names of the schemas that are referred to. */
const resolvedIn = (name: (typeof names)[number], value: unknown): unknown => {
  const schemas: Json = documents[name].components.schemas
  return JSON.parse(JSON.stringify(value), (key, one) =>
    key === "examples" ? undefined : isObject(one) && "$ref" in one ? referred(schemas, one) : one
  )
}

describe("the OpenAPI documents", () => {
  const host = useHost()

  it("have every text of texts.json, with the limits that it names", () => {
    const contracts = {
      seller: OpenApi.fromApi(SellerApi),
      marketplace: OpenApi.fromApi(MarketplaceApi),
      platform: OpenApi.fromApi(PlatformApi),
      operator: OpenApi.fromApi(OperatorApi)
    }
    for (const name of names) {
      const { description: _, ...texts } = JSON.parse(
        readFileSync(new URL(`../src/${name}/texts.json`, import.meta.url), "utf8")
      )
      const shown = new Set(wordsIn(contracts[name]))
      deepStrictEqual(
        wordsIn(texts).filter((text) => !shown.has(text)),
        []
      )
    }
  })

  it("describe every field, parameter, operation and group", () => {
    for (const name of names) {
      const { components, paths, tags } = documents[name]
      deepStrictEqual(undescribed(paths, "paths"), [])
      deepStrictEqual(undescribed(components.schemas, "schemas"), [])
      deepStrictEqual(
        Object.entries(components.schemas)
          .filter(([, schema]) => schema.description === undefined)
          .map(([record]) => record),
        []
      )
      deepStrictEqual(
        operationsOf(name).flatMap(({ description, operationId, parameters, summary = "" }) => [
          ...(summary === "" || summary.length > 40 ? [`${operationId} has no short title`] : []),
          ...(description?.includes("../docs/reference/") ? [] : [`${operationId} cites no rule`]),
          ...parameters.filter((one) => one.description === undefined).map((one) => `${operationId} ${one.name}`)
        ]),
        []
      )
      deepStrictEqual(
        tags.filter(({ description }) => description === undefined),
        []
      )
    }
  })

  it("say that credentials come by HTTP Basic, which is the only way of the platform", () => {
    const [basic, otherwise] = [{ basic: [] }, {}]
    for (const name of names) {
      deepStrictEqual(
        operationsOf(name)
          .filter(({ operationId }) => operationId.startsWith("token."))
          .map(({ requestBody, security }) => [security, requestBody?.required]),
        name === "platform"
          ? [[[basic], true]]
          : // Operators have no sign-in with the query.
            [undefined, false].map((required) => [[basic, otherwise], required]).slice(name === "operator" ? 1 : 0)
      )
      assertTrue("basic" in documents[name].components.securitySchemes)
    }
  })

  it("name the scope that each operation of the platform needs", () => {
    const without = Object.entries(PlatformScopes.scopes).filter(([route, scope]) => {
      const operation = operationsOf("platform").find(
        ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}` === route
      )
      return !operation?.description?.includes(`\`${scope}\``)
    })
    deepStrictEqual(without, [])
  })

  it("are clean by the linter's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] })
    for (const name of names) {
      const source = JSON.stringify(documents[name])
      const problems = await lintFromString({ source, absoluteRef: `/${name}.json`, config })
      deepStrictEqual(
        problems
          .map(({ location, message, ruleId }) => ({ place: `${ruleId} ${location[0]?.pointer}`, message }))
          .filter(({ place }) => !exceptions.includes(place)),
        []
      )
    }
  })

  it("are served with the public URL of their host", async () => {
    for (const name of names) {
      const served = await host.send("GET", `/openapi/${name}.json`)
      const servers = [{ url: host.url, description: "This host, by its public address" }]
      deepStrictEqual(served.body as unknown, JSON.parse(JSON.stringify({ ...documents[name], servers })))
    }
  })

  it("are shown on their pages as they are, with requests that go to the host which serves the page", async () => {
    for (const name of names) {
      const { text } = await host.send("GET", `/docs/${name}`)
      const [, shown = ""] = /\n\s+content: (\{.*\}),?\n/.exec(text) ?? []
      const { servers, ...page } = JSON.parse(shown)
      const { servers: _, ...document } = JSON.parse(JSON.stringify(documents[name]))
      deepStrictEqual(servers, [{ url: "/", description: "The host that serves this page" }])
      deepStrictEqual(withoutExamples(page), withoutExamples(document))
    }
  })

  it("have no keyword that is only for a tool", () => {
    for (const name of names)
      deepStrictEqual(JSON.stringify(documents[name]).match(/"x-[a-z-]+":(?!\{"(?:desc|\$ref))/g), null)
  })

  it("have only links that lead to a page, and to a place on it, of the host that serves them", async () => {
    const places = new Set(
      names.flatMap((name) =>
        descriptionsIn(documents[name]).flatMap((text) =>
          [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(
            ([, link = ""]) => new URL(link, `${host.url}/openapi/${name}.json`).href
          )
        )
      )
    )
    assertTrue(places.size > 40, String(places.size))
    const pages = new Map<string, string>()
    for (const place of places) {
      const { hash, origin, pathname } = new URL(place)
      strictEqual(origin, host.url, place)
      if (!pages.has(pathname)) {
        const { status, text } = await host.send("GET", pathname)
        strictEqual(status, 200, pathname)
        pages.set(pathname, text)
      }
      assertTrue(hash === "" || pages.get(pathname)?.includes(`id="${hash.slice(1)}"`) === true, place)
    }
  })

  it("name no file that only the repository has", () => {
    for (const name of names)
      for (const text of descriptionsIn(documents[name])) assertTrue(!/\.md\b|docs\/internals/.test(text), text)
  })

  it("give a format to every time, in all examples too", () => {
    for (const name of names) {
      deepStrictEqual(
        leavesIn(documents[name].components.schemas).filter(
          ([, { anyOf, description = "", format, pattern, type }]) =>
            /ISO 8601|^The same as (?:date|canceled_at)/.test(String(description)) &&
            type === "string" &&
            anyOf === undefined &&
            format === undefined &&
            pattern === undefined
        ),
        []
      )
    }
  })

  it("have examples and recorded answers that fit their schemas, with every time in a field that says so", () => {
    for (const name of names) {
      const ajv = new Ajv2020({ strict: false, allErrors: true })
      formats.default(ajv)
      ajv.addSchema({ $id: "document", components: documents[name].components })
      for (const [at, { examples, schema }] of exampledIn(documents[name])) {
        const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))
        const validate = ajv.compile(local)
        for (const [title, example] of Object.entries(examples)) {
          const { value } = exampleIn(name, example)
          assertTrue(validate(value), `${name} ${at} "${title}": ${ajv.errorsText(validate.errors)}`)
          deepStrictEqual(timesWithoutFormat(documents[name].components.schemas, schema, value, at), [])
        }
      }
    }
  })

  it("have an example for each code of an error", () => {
    for (const name of names) {
      const errors = operationsOf(name).flatMap(({ responses }) =>
        Object.entries(responses).filter(([status]) => Number(status) >= 400)
      )
      assertTrue(errors.length > 20, `${errors.length} of ${name}`)
      for (const [status, { content }] of errors) {
        const { examples = {}, schema } = (content?.["application/json"] ?? {}) as unknown as Partial<Exampled>
        const codes = /"enum":(\["[A-Z_0-9",]+\])/.exec(JSON.stringify(schema))?.[1]
        deepStrictEqual(Object.keys(examples), JSON.parse(codes ?? "[]"), `${name} ${status}`)
        for (const [code, example] of Object.entries(examples)) {
          deepStrictEqual((exampleIn(name, example).value as { readonly code: string }).code, code)
        }
      }
    }
  })

  it("bound every number of an answer that counts something from below", () => {
    for (const name of names) {
      const found = leavesIn(documents[name]).filter(
        ([at, { minimum, type }]) =>
          type === "integer" && minimum !== undefined && Number(minimum) < -1_000_000_000 && !at.includes("reasonCode")
      )
      deepStrictEqual(found, [])
    }
  })

  it("say of each bulk, before anything else, that 200 may be a partial success", () => {
    const bulks = names.flatMap((name) =>
      operationsOf(name)
        .filter(({ requestBody, responses }) =>
          /"failed(?:_count|Count)?":/.test(
            JSON.stringify(resolvedIn(name, requestBody === undefined ? {} : (responses[200]?.content ?? {})))
          )
        )
        .map(({ operationId, responses }) => [operationId, responses[200]?.description ?? ""] as const)
    )
    deepStrictEqual(bulks.length, 16, bulks.map(([id]) => id).join())
    for (const [id, description] of bulks)
      assertTrue(/^Look at (?:data\.)?failed(?:_count|Count)? first: /.test(description), `${id}: ${description}`)
  })

  it("have the webhook of stock changes with its signature", () => {
    const { webhooks } = documents.marketplace as unknown as { readonly webhooks: Json }
    const text = JSON.stringify(webhooks)
    for (const part of ["webhook-id", "webhook-timestamp", "webhook-signature", "HMAC-SHA256", "InventoryEvent"]) {
      assertTrue(text.includes(part), part)
    }
  })
})
