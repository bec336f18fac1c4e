/** `node scripts/collections.mjs FOLDER` writes requests for Bruno and Postman from the examples of the OpenAPI documents. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { OpenApiDocuments } from "@crossdock/http"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"

const interfaces = ["seller", "marketplace", "platform", "operator"]

const firstOf = ({ examples } = {}) => Object.values(examples ?? {})[0]?.value

/** A request in a form that doesn't depend on the program. */
const requestOf = (path, method, operation) => {
  const { operationId, parameters, requestBody, security, summary, tags } = operation
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const named = (where) =>
    parameters
      .filter((one) => one.in === where && firstOf(one) !== undefined)
      .map((one) => [one.name, String(firstOf(one))])
  return {
    id: operationId,
    name: summary,
    group: tags[0],
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(firstOf(parameters.find((one) => one.name === name)) ?? name)
    ),
    query: named("query"),
    headers: named("header"),
    type,
    body: firstOf(media),
    isSignIn: operationId.startsWith("token.") && method === "post",
    needsToken: security.length > 0 && !operationId.startsWith("token.")
  }
}

const requestsOf = (document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(path, method, operation))
  )

const tokenHeader = (name) =>
  name === "platform" || name === "operator" ? ["authorization", "Bearer {{token}}"] : ["x-access-token", "{{token}}"]

const headersOf = (name, request) => [
  ...(request.needsToken ? [tokenHeader(name)] : []),
  ...(request.isSignIn && name === "platform" ? [["authorization", `Basic ${btoa("ops:ops-secret")}`]] : []),
  ...request.headers
]

const search = (query) => (query.length === 0 ? "" : `?${new URLSearchParams(query)}`)
const isForm = (type) => type === "application/x-www-form-urlencoded"

const baseUrl = "http://127.0.0.1:8080"

const postmanItem = (name) => (request) => ({
  name: request.name,
  ...(request.isSignIn
    ? {
        event: [
          {
            listen: "test",
            script: {
              type: "text/javascript",
              exec: ['pm.collectionVariables.set("token", pm.response.json().access_token)']
            }
          }
        ]
      }
    : {}),
  request: {
    method: request.method,
    header: headersOf(name, request).map(([key, value]) => ({ key, value })),
    url: `{{baseUrl}}${request.path}${search(request.query)}`,
    ...(request.body === undefined
      ? {}
      : {
          body: isForm(request.type)
            ? { mode: "urlencoded", urlencoded: Object.entries(request.body).map(([key, value]) => ({ key, value })) }
            : { mode: "raw", raw: JSON.stringify(request.body, undefined, 2), options: { raw: { language: "json" } } }
        })
  }
})

const postman = (name, document, requests) => ({
  info: {
    name: `Crossdock: ${document.info.title}`,
    // A relative link doesn't work in a saved collection, which has no address.
    description: document.info.description.replaceAll("](../docs/", `](${baseUrl}/docs/`),
    schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
  },
  variable: [
    { key: "baseUrl", value: baseUrl },
    { key: "token", value: "" }
  ],
  item: document.tags
    .map((tag) => ({
      name: tag.name,
      description: tag.description,
      item: requests.filter(({ group }) => group === tag.name).map(postmanItem(name))
    }))
    .filter(({ item }) => item.length > 0)
})

const block = (name, lines) =>
  lines.length === 0 ? "" : `\n${name} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`
const pairs = (entries) => entries.map(([key, value]) => `${key}: ${value}`)

const bruno = (name, request, seq) => {
  const { body, method, path, query, type } = request
  const kind = body === undefined ? "none" : isForm(type) ? "formUrlEncoded" : "json"
  return [
    block(
      "meta",
      pairs([
        ["name", request.name],
        ["type", "http"],
        ["seq", seq]
      ])
    ).trimStart(),
    block(
      method.toLowerCase(),
      pairs([
        ["url", `{{baseUrl}}${path}${search(query)}`],
        ["body", kind],
        ["auth", "none"]
      ])
    ),
    block("params:query", pairs(query)),
    block("headers", pairs(headersOf(name, request))),
    body === undefined
      ? ""
      : isForm(type)
        ? block("body:form-urlencoded", pairs(Object.entries(body)))
        : block("body:json", JSON.stringify(body, undefined, 2).split("\n")),
    request.isSignIn ? block("vars:post-response", ["token: res.body.access_token"]) : ""
  ].join("")
}

/** The texts of all files by path. */
export const files = new Map()
const own = Effect.runSync(OpenApiDocuments.own)
for (const name of interfaces) {
  const document = OpenApi.fromApi(OpenApiDocuments.onPage(OpenApiDocuments[name], "", own))
  const requests = requestsOf(document)
  files.set(`${name}.postman_collection.json`, `${JSON.stringify(postman(name, document, requests), undefined, 2)}\n`)
  const title = `Crossdock: ${document.info.title}`
  files.set(
    `${name}/bruno.json`,
    `${JSON.stringify({ version: "1", name: title, type: "collection" }, undefined, 2)}\n`
  )
  files.set(`${name}/environments/Sandbox.bru`, block("vars", pairs([["baseUrl", baseUrl]])).trimStart())
  for (const [at, request] of requests.entries()) {
    files.set(`${name}/${request.group}/${request.id}.bru`, bruno(name, request, at + 1))
  }
}

const [, program, folder] = process.argv
if (program === import.meta.filename && folder !== undefined) {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  console.log(
    `Bruno opens a folder of ${folder}, and Postman imports a file. Start a host with npm start, and send Sign in first.`
  )
}
