/**
 * The guide's recipe: our spans and log lines belong to the active span of the program's OpenTelemetry.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Host, orThrow } from "@crossdock/host"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import pino from "pino"
import { acme, bazaar, orderOf, start } from "./Shop.ts"

const root = join(import.meta.dirname, "../../..")
const folder = join(root, ".examples/telemetry")
const guide = readFileSync(join(root, "docs/guides/existing-backend.md"), "utf8")

// biome-ignore lint/suspicious/noExplicitAny: a module of a tool
const tool = (name: string): Promise<any> => import(/* @vite-ignore */ name)

interface Ended {
  readonly name: string
  readonly parentSpanContext?: { readonly spanId: string }
  readonly spanContext: () => { readonly traceId: string; readonly spanId: string }
  readonly status: { readonly code: number }
}

describe("The recipe for OpenTelemetry and pino", () => {
  let host: Host.Host
  const ended: Array<Ended> = []
  const lines: Array<Record<string, unknown>> = []
  // biome-ignore lint/suspicious/noExplicitAny: modules of tools
  let [api, manager]: ReadonlyArray<any> = []

  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, "lab/tools/install.mjs"), "applications"])
    const [, recipe = ""] = /```js\n(import { context, ROOT_CONTEXT.*?)```/s.exec(guide) ?? []
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "recipe.js"), recipe)
    api = await tool("@opentelemetry/api")
    const { AsyncLocalStorageContextManager } = await tool("@opentelemetry/context-async-hooks")
    const { BasicTracerProvider, SimpleSpanProcessor } = await tool("@opentelemetry/sdk-trace-base")
    const exporter = {
      export: (spans: ReadonlyArray<Ended>, done: (result: { code: number }) => void) => {
        ended.push(...spans)
        done({ code: 0 })
      },
      shutdown: async () => {}
    }
    manager = new AsyncLocalStorageContextManager().enable()
    api.context.setGlobalContextManager(manager)
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
    const { observabilityOf } = await tool(join(folder, "recipe.js"))
    const logger = pino({ level: "trace" }, { write: (line: string) => lines.push(JSON.parse(line)) })
    host = (await start({ observability: observabilityOf(logger.child({ shop: "S" })) })).host
  })
  afterAll(async () => {
    await host.dispose()
    api.trace.disable()
    api.context.disable()
  })

  /** Does the work in a span of the program, and returns that, our spans and the lines. */
  const inSpan = async (work: () => Promise<unknown>) => {
    ended.length = 0
    lines.length = 0
    const span = api.trace.getTracer("shop").startSpan("own")
    await api.context.with(api.trace.setSpan(api.context.active(), span), work)
    span.end()
    const { spanId, traceId } = span.spanContext()
    return { spanId, traceId, ours: ended.filter(({ name }) => name !== "own"), lines: [...lines] }
  }

  it("makes a call's spans children of the active one", async () => {
    const { ours, spanId, traceId } = await inSpan(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      await orThrow(host.services.orders.place(bazaar, orderOf("TRACED")))
      await orThrow(host.services.auditTrail.verify(acme))
    })
    assertTrue(ours.length > 0)
    deepStrictEqual(new Set(ours.map((one) => one.spanContext().traceId)), new Set([traceId]))
    assertTrue(ours.some(({ parentSpanContext }) => parentSpanContext?.spanId === spanId))
  })

  it("makes a request's span a child of the active one, and its line has their ids", async () => {
    const headers = { traceparent: "00-11111111111111111111111111111111-2222222222222222-01" }
    const request = () => host.handler(new Request("https://shop.example/ims/v3/listings", { headers }))
    const { lines, ours, spanId, traceId } = await inSpan(request)
    const [span] = ours.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId)
    assertTrue(span !== undefined)
    const answered = lines.filter((line) => line.trace_id === traceId)
    assertTrue(answered.length > 0, JSON.stringify(lines))
    deepStrictEqual([answered[0]?.shop, answered[0]?.level], ["S", 30])
    // Without an active span, the caller's is the parent.
    ended.length = 0
    await request()
    deepStrictEqual(new Set(ended.map((one) => one.spanContext().traceId)), new Set([headers.traceparent.slice(3, 35)]))
  })

  it("marks failures, and logs their errors", async () => {
    const failing = Effect.withSpan(
      Effect.andThen(Effect.logError("broken", new Error("why")), Effect.fail("no")),
      "failing"
    )
    const { lines, ours, traceId } = await inSpan(() => host.run(failing).catch(() => undefined))
    deepStrictEqual([ours[0]?.name, ours[0]?.status.code], ["failing", 2])
    deepStrictEqual([lines[0]?.msg, lines[0]?.level, lines[0]?.trace_id], ["broken", 50, traceId])
    strictEqual(JSON.stringify(lines[0]).includes("why"), true)
  })
})
