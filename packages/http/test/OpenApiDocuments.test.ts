/**
 * The OpenAPI documents as a product: described whole, clean by a linter, and the same wherever a host shows them.
 */
import { OpenApiDocuments, PlatformScopes } from "@crossdock/http"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { OpenApi } from "effect/http-api"
import { describe, it } from "vitest"
import { useHost } from "./TestHost.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const documents = {
  seller: OpenApi.fromApi(OpenApiDocuments.seller),
  marketplace: OpenApi.fromApi(OpenApiDocuments.marketplace),
  platform: OpenApi.fromApi(OpenApiDocuments.platform)
}

const names = ["seller", "marketplace", "platform"] as const

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

interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Json>
  readonly security?: ReadonlyArray<Json>
  readonly requestBody?: Json
}

const operationsOf = (name: (typeof names)[number]): ReadonlyArray<Operation> =>
  Object.entries(documents[name].paths).flatMap(([path, entries]) =>
    Object.entries(entries).map(([method, one]) => ({ ...(one as unknown as Operation), method, path }))
  )

/** Accepting a charge answers a browser, which goes on to the return_url: 303 is its success. */
const exceptions = ["operation-2xx-response #/paths/~1billing~1confirm~1{link}/post/responses"]

describe("the OpenAPI documents", () => {
  const host = useHost()

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
          ...(description?.includes("docs/reference/") ? [] : [`${operationId} cites no rule`]),
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
          : [
              [[basic, otherwise], undefined],
              [[basic, otherwise], false]
            ]
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

  it("are served, and shown on their pages, as they are", async () => {
    for (const name of names) {
      const served = await host.send("GET", `/openapi/${name}.json`)
      deepStrictEqual(served.body as unknown, JSON.parse(JSON.stringify(documents[name])))
      const page = await host.send("GET", `/docs/${name}`)
      const [, shown = ""] = /\n\s+content: (\{.*\}),?\n/.exec(page.text) ?? []
      deepStrictEqual(JSON.parse(shown), served.body)
    }
  })

  it("have the webhook of stock changes with its signature", () => {
    const { webhooks } = documents.marketplace as unknown as { readonly webhooks: Json }
    const text = JSON.stringify(webhooks)
    for (const part of ["webhook-id", "webhook-timestamp", "webhook-signature", "HMAC-SHA256", "InventoryEvent"]) {
      assertTrue(text.includes(part), part)
    }
  })
})
