import { OpenApiDocuments } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { OpenApi } from "effect/http-api"
import { useHost } from "./TestHost.ts"

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string }>
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }
}

interface Write {
  readonly kind: "seller" | "marketplace" | "platform"
  readonly method: string
  readonly path: string
  readonly example: unknown
}

const values: Readonly<Record<string, string>> = {
  company_id: "1",
  companyId: "1",
  slug: "bazaar",
  marketplace: "bazaar"
}

/** Every operation of an interface that takes a key. */
const writesOf = (kind: Write["kind"]): ReadonlyArray<Write> =>
  Object.entries(OpenApi.fromApi(OpenApiDocuments[kind] as typeof OpenApiDocuments.seller).paths).flatMap(
    ([path, operations]) =>
      Object.entries(operations as Readonly<Record<string, Operation>>)
        .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === "Idempotency-Key"))
        .map(([method, { requestBody }]) => ({
          kind,
          method: method.toUpperCase(),
          path: path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "000000000001000000000001"),
          example: requestBody?.content?.["application/json"]?.example
        }))
  )

const writes = [...writesOf("seller"), ...writesOf("marketplace"), ...writesOf("platform")]

/** Statuses whose answers are not stored. Source: docs/reference/requests.md#idempotency. */
const unstored = new Set([401, 403, 413, 415, 429])

describe("the answer to a repeated key", () => {
  const host = useHost({ docsUrl: "https://docs.example.com/api" })

  const tokens = async () => ({
    seller: { "x-access-token": await host.tokenOf("/aggregator/v1/token", "acme") },
    marketplace: { "x-access-token": await host.tokenOf("/auth/bazaar/token", "bazaar") },
    platform: await host
      .send(
        "POST",
        "/service/panel/authentication/v1.0/company/1/oauth/token",
        { authorization: `Basic ${btoa("ops:ops-secret")}`, "content-type": "application/json" },
        '{"grant_type":"client_credentials"}'
      )
      .then(({ body }) => ({ authorization: `Bearer ${body.access_token}` }))
  })

  it("has the first answer's bytes on every route that takes a key, whatever the body", async () => {
    assertTrue(writes.length > 20, String(writes.length))
    const callers = await tokens()
    const different: Array<unknown> = []
    let replayed = 0
    for (const [nth, { example, kind, method, path }] of writes.entries()) {
      const bodies = ["", "{", "{}", "[]", "[{}]", "7", '"\\ud800"', '{"a":1,"a":2}']
      if (example !== undefined) bodies.push(JSON.stringify(example))
      for (const body of bodies) {
        const headers = {
          ...callers[kind],
          "idempotency-key": `replay-${nth}-${bodies.indexOf(body)}`,
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(body))
        }
        const send = () => host.send(method, path, headers, body)
        const [first, again] = [await send(), await send()]
        if (unstored.has(first.status) || first.status >= 500) continue
        replayed += again.headers["idempotent-replayed"] === "true" ? 1 : 0
        const seen = ({ headers, status, text }: typeof first) => [status, headers["content-type"], text]
        if (again.headers["idempotent-replayed"] === "true" && String(seen(first)) !== String(seen(again)))
          different.push([method, path, body, seen(first), seen(again)])
      }
    }
    deepStrictEqual(different, [])
    assertTrue(replayed > 4 * writes.length, `${replayed} replays of ${writes.length} routes`)
  })
})
