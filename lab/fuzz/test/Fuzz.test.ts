import { Connection, Fuzz, Host, Report } from "@crossdock/fuzz"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { inject } from "vitest"

/** These tests don't depend on the machine's speed. */
const slowMillis = 30_000

type Change = (answer: Connection.Answer) => Partial<Connection.Answer>

/** A run on `host`; `change` puts faults into its answers. */
const fuzzed = (
  host: Host.Running,
  seed: number,
  requests: number,
  change: (answer: Connection.Answer, operation: string) => Partial<Connection.Answer> = () => ({})
) =>
  Effect.gen(function* () {
    const connection = Connection.make(host.url)
    const sent: Array<string> = []
    const send: typeof connection.send = async (request, abort) => {
      sent.push(`${request.operation.id}: ${request.broken}`)
      const answer = await connection.send(request, abort)
      return { ...answer, ...change(answer, request.operation.id) }
    }
    const session = yield* Effect.promise(() =>
      Fuzz.run({ ...connection, send }, { seed, requests, slowMillis, secret: Host.secret })
    )
    connection.close()
    return { session, sent }
  })

describe("Random requests", () => {
  for (const [database, requests] of [
    ["sqlite", 1_500],
    ["postgres", 400],
    ["memory", 300]
  ] as const) {
    it.live(`find no fault in any answer, and leave consistent data, on ${database}`, () =>
      Effect.gen(function* () {
        const host = yield* Host.start(database, inject("postgres"))
        const { session } = yield* fuzzed(host, 1, requests)
        strictEqual(session.failures.size, 0, Report.of(session).faults.join("\n"))
        assertTrue(session.aborted() > 0)
        deepStrictEqual(yield* host.discrepancies, [])
      }).pipe(Effect.scoped)
    )
  }

  it.live("are the same for the same seed", () =>
    Effect.gen(function* () {
      const of = (seed: number) =>
        Effect.scoped(Effect.flatMap(Host.start("memory"), (host) => fuzzed(host, seed, 220)))
      const [first, second, other] = [yield* of(7), yield* of(7), yield* of(8)]
      // The number of status requests for a catalog write depends on its duration.
      const choices = ({ sent }: typeof first) =>
        sent.filter((one) => !one.startsWith("seller products.status")).slice(0, 180)
      deepStrictEqual(choices(first), choices(second))
      assertTrue(choices(first).join() !== choices(other).join())
    })
  )
})

const json =
  (change: (body: Record<string, unknown>) => object): Change =>
  (answer) => {
    if (typeof answer.json !== "object" || answer.json === null || Array.isArray(answer.json)) return {}
    const changed = { ...answer.json, ...change(answer.json as Record<string, unknown>) }
    return { json: changed, text: JSON.stringify(changed) }
  }

/** A fault in one operation's answers each, and its report. */
const faults: Readonly<Record<string, readonly [change: Change, fault: RegExp]>> = {
  "seller listings.page": [json(() => ({ surprise: 1 })), /must NOT have additional properties/],
  "seller shipments.track": [({ status }) => (status === 404 ? { status: 500 } : {}), /the status is 500/],
  "seller catalog.brands": [({ status }) => (status === 200 ? { status: 202 } : {}), /no status 202/],
  "seller catalog.products": [
    json(({ message }) => (message === undefined ? {} : { message: "TypeError: x\n    at y (z.ts:1:2)" })),
    /a message has/
  ],
  "platform audit.logs": [
    json(({ code }) => (code === undefined ? {} : { code: "SURPRISE" })),
    /the code SURPRISE is not in the reference/
  ],
  "seller price.update": [
    json(() => ({ data: { payload_count: 7, success_count: 7, failed_count: 0, errors: [] } })),
    /records were sent/
  ],
  "platform audit.entityTypes": [
    ({ headers }) => ({ headers: { ...headers, "x-request-id": undefined } }),
    /x-request-id is missing/
  ],
  "seller shipments.status": [
    json(({ data, meta }) => {
      if (data === undefined) return {}
      const { payload_count } = data as { readonly payload_count: number }
      const success = { payload_count, success_count: payload_count, failed_count: 0, errors: [] }
      return { data: success, meta: { ...(meta as object), status: "SUCCESS" } }
    }),
    /is ok, by the lifecycle S4/
  ]
}

it.live("Random requests report each fault of a host, with a request that shows it", () =>
  Effect.gen(function* () {
    const host = yield* Host.start("memory")
    const { session } = yield* fuzzed(host, 1, 1_400, (answer, operation) => faults[operation]?.[0](answer) ?? {})
    const failures = [...session.failures.values()]
    for (const [operation, [, report]] of Object.entries(faults)) {
      const found = failures.find((one) => one.operation === operation && report.test(one.fault))
      assertTrue(found?.curl.startsWith("curl "), `${operation}\n${Report.of(session).faults.join("\n")}`)
    }
    deepStrictEqual([...new Set(failures.map((one) => one.operation))].sort(), Object.keys(faults).sort())
  }).pipe(Effect.scoped)
)
