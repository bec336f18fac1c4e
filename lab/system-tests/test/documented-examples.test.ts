/** Sends every example of the OpenAPI documents to a sandbox host, whose answer must be the documented one. */
import { Examples, OpenApiDocuments } from "@crossdock/http"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Option } from "effect"
import { OpenApi } from "effect/http-api"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as DocumentedExamples from "../src/DocumentedExamples.ts"
import { type RunningHost, settings, startHost } from "./TestHost.ts"

const documents = [
  ["seller", OpenApi.fromApi(OpenApiDocuments.seller)],
  ["marketplace", OpenApi.fromApi(OpenApiDocuments.marketplace)],
  ["platform", OpenApi.fromApi(OpenApiDocuments.platform)],
  ["operator", OpenApi.fromApi(OpenApiDocuments.operator)]
] as const

interface Body {
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
  >
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

const operations = documents.flatMap(([name, { paths }]) =>
  Object.values(paths).flatMap((entries) =>
    Object.values(entries).map((one) => ({ name, ...(one as unknown as Operation) }))
  )
)

describe("the examples of the OpenAPI documents", () => {
  let host: RunningHost
  let answers: ReadonlyArray<Examples.Answer>
  beforeAll(async () => {
    host = await startHost(settings({ sandbox: Option.some("day") }))
    answers = await DocumentedExamples.run(host.url)
  })
  afterAll(() => host.stop())

  it("are sent, and each is answered as it is recorded", () => {
    const differing = Examples.examples.flatMap(({ operation, title }, at) =>
      JSON.stringify(answers[at]) === JSON.stringify(Examples.recorded[at])
        ? []
        : [{ operation, title, answer: answers[at], recorded: Examples.recorded[at] }]
    )
    deepStrictEqual(differing, [])
    process.stdout.write(`${answers.length} examples of ${operations.length} operations were sent\n`)
  })

  it("are there for every operation, and succeed", () => {
    const without = operations.filter(
      ({ name, operationId }) => !Examples.examples.some(({ operation }) => operation === `${name} ${operationId}`)
    )
    deepStrictEqual(
      without.map(({ name, operationId }) => `${name} ${operationId}`),
      []
    )
    deepStrictEqual(
      Examples.recorded.filter(({ status }) => status !== 200 && status !== 303),
      []
    )
  })

  it("are in the documents, request and answer", () => {
    const count = (body: Body | undefined): number =>
      Object.values(body?.content ?? {})
        .slice(0, 1)
        .reduce((sum, { examples = {} }) => sum + Object.keys(examples).length, 0)
    const requests = operations.reduce((sum, { requestBody }) => sum + count(requestBody), 0)
    const shown = operations.reduce(
      (sum, { responses }) =>
        sum +
        Object.entries(responses).reduce(
          (own, [status, response]) => own + (Number(status) < 400 ? count(response) : 0),
          0
        ),
      0
    )
    deepStrictEqual(requests, Examples.examples.filter(({ body }) => body !== undefined).length)
    deepStrictEqual(shown, Examples.recorded.filter(({ body }) => body !== undefined).length)
    assertTrue(shown > operations.length / 2)
  })
})
