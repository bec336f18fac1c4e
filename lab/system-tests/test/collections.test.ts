/** The collections for Bruno and Postman, read as those clients do: signing in, and a first call with its token. */
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type RunningHost, send, settings, startHost } from "./TestHost.ts"

const script = new URL("../../../scripts/collections.mjs", import.meta.url).href
const { files }: { readonly files: ReadonlyMap<string, string> } = await import(script)

interface Call {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

interface PostmanItem {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly url: string
    readonly header: ReadonlyArray<{ readonly key: string; readonly value: string }>
    readonly body?: { readonly raw: string }
  }
}

const ofPostman = (name: string): ReadonlyMap<string, Call> => {
  const { item } = JSON.parse(files.get(`${name}.postman_collection.json`) ?? "") as {
    readonly item: ReadonlyArray<{ readonly item: ReadonlyArray<PostmanItem> }>
  }
  return new Map(
    item.flatMap((group) =>
      group.item.map(({ name, request: { body, header, method, url } }) => [
        name,
        { method, url, headers: Object.fromEntries(header.map((one) => [one.key, one.value])), body: body?.raw }
      ])
    )
  )
}

const blockOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name} \\{\\n(.*?)^\\}$`, "ms").exec(text)?.[1]

const pairsOf = (text = ""): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/^ {2}([^:\n]+): (.*)$/gm)].map(([, key = "", value = ""]) => [key, value]))

const ofBruno = (name: string): ReadonlyMap<string, Call> =>
  new Map(
    [...files]
      .filter(([file]) => file.startsWith(`${name}/`) && file.endsWith(".bru") && !file.includes("/environments/"))
      .map(([, text]) => {
        const method = /^(get|post|put|delete) \{$/m.exec(text)?.[1] ?? ""
        return [
          pairsOf(blockOf(text, "meta")).name ?? "",
          {
            method: method.toUpperCase(),
            url: pairsOf(blockOf(text, method)).url ?? "",
            headers: pairsOf(blockOf(text, "headers")),
            body: blockOf(text, "body:json")
          }
        ]
      })
  )

const clients = { Bruno: ofBruno, Postman: ofPostman }
const firstCalls = {
  seller: "Update stock",
  marketplace: "Place an order",
  platform: "Search the audit trail"
} as const

describe("the collections of requests", () => {
  let host: RunningHost
  beforeAll(async () => {
    host = await startHost(settings())
    // The order's stock.
    await perform("Postman", "seller")
  })
  afterAll(() => host.stop())

  const perform = async (client: keyof typeof clients, name: keyof typeof firstCalls) => {
    const calls = clients[client](name)
    const call = async (title: string, token: string) => {
      const found = calls.get(title)
      assertTrue(found !== undefined, `${client} has no request ${title}`)
      const filled = (text: string) => text.replaceAll("{{baseUrl}}", "").replaceAll("{{token}}", token)
      const headers = Object.fromEntries(
        Object.entries(found?.headers ?? {}).map(([key, value]) => [key, filled(value)])
      )
      const isJson = found?.body === undefined ? {} : { "content-type": "application/json" }
      return send(host.url, found?.method ?? "", filled(found?.url ?? ""), { ...headers, ...isJson }, found?.body)
    }
    const signedIn = await call("Sign in", "")
    strictEqual(signedIn.status, 200)
    return call(firstCalls[name], signedIn.body.access_token ?? "")
  }

  it("sign in to each interface and make a first call with the token", async () => {
    for (const client of ["Bruno", "Postman"] as const) {
      for (const name of ["seller", "marketplace", "platform"] as const) {
        const answer = await perform(client, name)
        strictEqual(answer.status, 200, `${client} ${name}: ${answer.text}`)
      }
    }
  })
})
