/** Sends the examples of the OpenAPI documents to a host with sandbox data, and makes the answers comparable. */
import { setTimeout as sleep } from "node:timers/promises"
import { Examples, OpenApiDocuments } from "@crossdock/http"
import { OpenApi } from "effect/http-api"

const hour = 3_600_000
const day = 24 * hour

/** The time that all examples show. It is the instant before the sandbox's day begins. */
const base = Date.parse("2026-01-31T12:00:00.000Z")

/** A time of this run, as if it had begun at `base`. All times beyond 20 days become one, because months differ in length. */
const shiftedTime = (text: string, began: number): string => {
  const away = Date.parse(text) - began
  if (away < -5 * day) return text
  const moved = away < 20 * day ? base + Math.round(away / hour) * hour : base + 28 * day
  return new Date(moved).toISOString()
}

const numbered = (write: (nth: number) => string) => {
  const seen = new Map<string, string>()
  return (text: string): string => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const made = write(seen.size + 1)
    seen.set(text, made)
    return made
  }
}

const hex = (nth: number, length: number): string => nth.toString(16).padStart(length, "0")

/** Texts that differ between runs, with what the documents show instead. Texts that the examples send aren't replaced. */
const volatile = (
  began: number
): ReadonlyArray<readonly [what: string, pattern: RegExp, shown: (text: string) => string]> => [
  ["token", /eyJ[\w-]+\.[\w-]+\.[\w-]+/g, () => "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"],
  ["address of the host", /http:\/\/127\.0\.0\.1:\d+/g, () => "http://127.0.0.1:8080"],
  ["signature", /signature=[\w-]+/g, () => "signature=c2lnbmF0dXJl"],
  ["end of a link", /expires=\d+/g, () => "expires=1770076800"],
  ["secret of a link", /\b[0-9a-f]{64}\b/g, numbered((nth) => hex(nth, 64))],
  ["trace id", /\b[0-9a-f]{16}-\d{13}\b/g, numbered((nth) => `${hex(nth, 16)}-${base}`)],
  [
    "request id",
    /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
    numbered((nth) => `00000000-0000-4000-8000-${hex(nth, 12)}`)
  ],
  ["id", /\b(?!\w{12}0{5})[0-9a-f]{24}\b/g, numbered((nth) => `65ba4f00${hex(nth, 16)}`)],
  ["shipment id", /\b(?!1769860800)\d{20}\b/g, numbered((nth) => `2026013100000000${String(nth).padStart(4, "0")}`)],
  ["year of an invoice", /INV-\d{4}-/g, () => "INV-2026-"],
  ["time", /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, (text) => shiftedTime(text, began)]
]

const documents = [
  ["seller", OpenApi.fromApi(OpenApiDocuments.seller)],
  ["marketplace", OpenApi.fromApi(OpenApiDocuments.marketplace)],
  ["platform", OpenApi.fromApi(OpenApiDocuments.platform)],
  ["operator", OpenApi.fromApi(OpenApiDocuments.operator)]
] as const

const operations: ReadonlyMap<string, { readonly method: string; readonly path: string }> = new Map(
  documents.flatMap(([name, { paths }]) =>
    Object.entries(paths).flatMap(([path, entries]) =>
      Object.entries(entries).map(([method, operation]) => [
        `${name} ${"operationId" in operation ? operation.operationId : ""}`,
        { method: method.toUpperCase(), path }
      ])
    )
  )
)

const filled = (path: string, parameters: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""))

const tokenOf = (url: string) => {
  const paths = {
    acme: "/aggregator/v1/token",
    bazaar: "/auth/bazaar/token",
    ops: "/service/panel/authentication/v1.0/company/1/oauth/token",
    root: "/operator/v1/token"
  }
  const tokens = new Map<string, string>()
  return async (account: keyof typeof paths): Promise<string> => {
    const known = tokens.get(account)
    if (known !== undefined) return known
    const answer = await fetch(`${url}${paths[account]}`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${account}:${account}-secret`)}`, "content-type": "application/json" },
      body: account === "ops" ? JSON.stringify({ grant_type: "client_credentials" }) : null
    })
    const { access_token } = (await answer.json()) as { readonly access_token: string }
    tokens.set(account, access_token)
    return access_token
  }
}

/** Sends every example, and returns the answers as they are documented. */
export const run = async (url: string): Promise<ReadonlyArray<Examples.Answer>> => {
  const table = volatile(Date.now())
  const sent = JSON.stringify(Examples.examples)
  const comparable = (text: string): string =>
    table.reduce(
      (now, [, pattern, shown]) => now.replaceAll(pattern, (found) => (sent.includes(found) ? found : shown(found))),
      text
    )
  const token = tokenOf(url)
  const bodies = new Map<string, unknown>()

  const send = async (example: Examples.Example): Promise<Examples.Answer> => {
    const { as, body, headers, key, link, path, query, until } = Examples.resolved(example, (key) => bodies.get(key))
    const operation = operations.get(example.operation)
    if (operation === undefined) throw new Error(`There is no operation ${example.operation}`)
    const search = query === undefined ? "" : `?${new URLSearchParams(query)}`
    const isForm = example.operation === "platform confirm.decide"
    const answer = await fetch(link ?? `${url}${filled(operation.path, path)}${search}`, {
      method: operation.method,
      redirect: "manual",
      headers: {
        ...(as === undefined
          ? {}
          : as === "ops" || as === "root"
            ? { authorization: `Bearer ${await token(as)}` }
            : { "x-access-token": await token(as) }),
        ...(body === undefined
          ? {}
          : { "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json" }),
        ...headers
      },
      ...(body === undefined
        ? {}
        : { body: isForm ? new URLSearchParams(body as Record<string, string>) : JSON.stringify(body) })
    })
    const type = answer.headers.get("content-type")?.split(";")[0] ?? ""
    const text = await answer.text()
    if (type !== "application/json") return { status: answer.status, type }
    const json: unknown = JSON.parse(text)
    if (until !== undefined && Examples.valueAt(json, until[0]) !== until[1]) {
      await sleep(50)
      return send(example)
    }
    if (key !== undefined) bodies.set(key, json)
    return { status: answer.status, type, body: JSON.parse(comparable(text)) }
  }

  const answers: Array<Examples.Answer> = []
  for (const example of Examples.examples) answers.push(await send(example))
  return answers
}
