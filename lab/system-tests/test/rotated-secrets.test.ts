import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { Signature } from "@crossdock/notifications/node"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { setStock } from "../../../packages/http/test/TestOrders.ts"
import * as Api from "../src/Api.ts"
import * as HostProcess from "../src/HostProcess.ts"

const marketSecret = `whsec_${Buffer.from("the secret of the marketplace".padEnd(32)).toString("base64")}`
const sku = "85123A"

interface Arrived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Accepts and keeps webhooks. `until` resolves once an arrival satisfies `isEnough`. */
const receiver = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly arrived: ReadonlyArray<Arrived>
    readonly until: (isEnough: () => boolean) => Promise<void>
    readonly close: () => void
  }>((resume) => {
    const arrived: Array<Arrived> = []
    const waiting = new Map<() => boolean, () => void>()
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        response.writeHead(204).end()
        arrived.push({ path: request.url ?? "", headers: request.headers, body })
        for (const [isEnough, done] of waiting) if (isEnough()) done()
      })
    })
    const until = (isEnough: () => boolean) =>
      new Promise<void>((resolve) => {
        waiting.set(isEnough, resolve)
        if (isEnough()) resolve()
      })
    server.listen(0, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      resume(Effect.succeed({ url, arrived, until, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const [oldKey, newKey] = ["0a".repeat(32), "0b".repeat(32)]

describe("Three hosts that have the present key of secrets and the previous one", () => {
  it.live("sign every webhook with its own secret and lose none while all secrets are encrypted again and again", () =>
    Effect.gen(function* () {
      const { arrived, until, url } = yield* receiver
      const database = Redacted.value(yield* PostgresDatabase.make(inject("postgres")))
      const environment = {
        DATABASE_URL: database,
        LOG_LEVEL: "none",
        SANDBOX: "1",
        SANDBOX_WEBHOOK_URL: `${url}/market`,
        SANDBOX_WEBHOOK_SECRET: marketSecret,
        WEBHOOK_ALLOW_PRIVATE: "1"
      }
      const crossdock = (keys: Readonly<Record<string, string>>, line: string) =>
        Effect.promise(() => HostProcess.crossdock({ ...environment, ...keys }, line.split(" ")))
      const before = yield* HostProcess.scoped({ ...environment, SECRETS_KEY: oldKey })
      const added = yield* crossdock({ SECRETS_KEY: oldKey }, `endpoint add 1 erp --url ${url}/erp --cursor 0`)
      const { secret } = added as { readonly secret: string }
      yield* Effect.promise(before.stop)

      const keys = { SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey }
      const start = HostProcess.scoped({ ...environment, ...keys })
      const hosts = yield* Effect.all([start, start, start], { concurrency: "unbounded" })
      const sellers = yield* Effect.forEach(hosts, (host) => Effect.promise(() => Api.seller(host.url)))

      let quantity = 0
      let isOver = false
      const selling = Effect.gen(function* () {
        while (!isOver) {
          for (const seller of sellers) yield* Effect.promise(() => setStock(seller, ++quantity, [sku]))
          // The rate of webhooks: faster changes share one.
          yield* Effect.sleep("20 millis")
        }
      })
      const rotating = Effect.gen(function* () {
        for (const [present, previous] of [
          [newKey, oldKey],
          [oldKey, newKey],
          [newKey, oldKey]
        ] as const) {
          const done = yield* crossdock(
            { SECRETS_KEY: present, SECRETS_KEY_PREVIOUS: previous },
            "rotate-secret secrets-key"
          )
          deepStrictEqual(done, { encrypted: 2, unchanged: 0, unreadable: [] })
        }
        isOver = true
      })
      yield* Effect.all([selling, rotating], { concurrency: "unbounded" })
      for (const seller of sellers) seller.close()

      const of = (path: string) => arrived.filter((one) => one.path === path)
      const quantities = () =>
        of("/market").flatMap(({ body }) => JSON.parse(body).map((one: { readonly quantity: number }) => one.quantity))
      const numbers = () =>
        new Set(
          of("/erp").flatMap(({ body }) => JSON.parse(body).map((one: { readonly number: number }) => one.number))
        )
      assertTrue(quantity > 10)
      const [status] = (yield* crossdock(keys, "endpoint list")) as ReadonlyArray<{ readonly lastEvent: number }>
      assertTrue(status !== undefined)
      yield* Effect.promise(() => until(() => quantities().includes(quantity) && numbers().size === status.lastEvent))
      strictEqual(Math.max(...numbers()), status.lastEvent)
      for (const [path, own] of [
        ["/market", marketSecret],
        ["/erp", secret]
      ] as const) {
        const wrong = of(path).filter(
          ({ body, headers }) => !Signature.matches(own, headers, body, Math.floor(Date.now() / 1000))
        )
        deepStrictEqual([path, wrong.length], [path, 0])
      }
    })
  )
})
