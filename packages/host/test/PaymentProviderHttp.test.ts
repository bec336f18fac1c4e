import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { PaymentProvider } from "@crossdock/billing"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Logger, Redacted } from "effect"

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly body: string
  readonly isSigned: boolean
  readonly id: unknown
}

interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const receivedOf = async (request: IncomingMessage): Promise<Received> => {
  const body = await text(request)
  const { headers, method, url: path } = request
  const isSigned = Signature.matches(secret, headers, body, Date.now() / 1000)
  return { method, path, body, isSigned, id: headers["webhook-id"] }
}

/** An endpoint that gives these answers in turn, and then closes connections without one. */
const endpoint = (...answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const left = [...answers]
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const listening = createServer(async (request, response) => {
          received.push(await receivedOf(request))
          const answer = left.shift()
          if (answer === undefined) request.socket.destroy()
          else response.writeHead(answer.status, answer.headers).end(answer.body)
        }).listen(0, "127.0.0.1")
        await once(listening, "listening")
        return listening
      }),
      (listening) => Effect.sync(() => listening.close())
    )
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay`
    const logged: Array<string> = []
    const log = Logger.make(({ message }) => logged.push(String(message)))
    const layer = Node.PaymentProviderHttp.layer({ url, secret: Redacted.make(secret) })
    const on = <A>(use: (provider: PaymentProvider["Service"]) => Effect.Effect<A>) =>
      Effect.flatMap(PaymentProvider, use).pipe(Effect.provide([layer, Logger.layer([log])]))
    return { received, logged, on }
  })

const payment = { key: "inv1-0", companyId: CompanyId.make(7), amount: 117_882, currency: "INR", description: "INV-1" }

const says = (outcome: string) => ({ status: 200, body: JSON.stringify({ outcome }) })

describe("A payment endpoint", () => {
  it.live("is asked to charge by a signed request with the payment's key, and says the outcome", () =>
    Effect.gen(function* () {
      const { on, received } = yield* endpoint(says("succeeded"), says("failed"), says("unknown"))
      const outcomes = yield* on(({ charge }) => Effect.forEach([1, 2, 3], () => charge(payment)))
      deepStrictEqual(outcomes, ["succeeded", "failed", "unknown"])
      deepStrictEqual(received[0], {
        method: "POST",
        path: "/pay",
        body: '{"key":"inv1-0","company_id":7,"amount":117882,"currency":"INR","description":"INV-1"}',
        isSigned: true,
        id: "inv1-0"
      })
    }).pipe(Effect.scoped)
  )

  it.live("is asked for an outcome by the key, which it may not know", () =>
    Effect.gen(function* () {
      const { on, received } = yield* endpoint(says("succeeded"), { status: 404 })
      deepStrictEqual(yield* on(({ ask }) => Effect.forEach(["a/b", "c"], (key) => ask(key))), ["succeeded", "absent"])
      deepStrictEqual(
        received.map(({ id, isSigned, method, path }) => [method, path, isSigned, id]),
        [
          ["GET", "/pay/a%2Fb", true, "a/b"],
          ["GET", "/pay/c", true, "c"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("that says nothing clear leaves the outcome unknown, with a warning and without the secret", () =>
    Effect.gen(function* () {
      const unclear: ReadonlyArray<Answer> = [
        { status: 500 },
        { status: 401 },
        { status: 404 },
        { status: 302, headers: { location: "/elsewhere" } },
        { status: 200, body: "OK" },
        { status: 200, body: '{"outcome":"paid"}' }
      ]
      const { logged, on, received } = yield* endpoint(...unclear)
      const outcomes = yield* on(({ charge }) => Effect.forEach([...unclear, "none"], () => charge(payment)))
      deepStrictEqual(new Set(outcomes), new Set(["unknown"]))
      strictEqual(received.length, unclear.length + 1)
      strictEqual(logged.length, unclear.length + 1)
      assertTrue(logged.every((line) => !line.includes(secret)))
    }).pipe(Effect.scoped)
  )
})
