import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { SellerClient } from "@crossdock/client"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { useHost } from "../../http/test/TestHost.ts"
import * as Wire from "./Wire.ts"

const host = useHost()

const record = (quantity: number, sku = "85123A") => ({ location_id: "BLR1", sku, quantity })

const onHand = async (sku: string) => {
  const { body } = await host.acme.call<{ data: ReadonlyArray<{ location_id: string; quantity: number }> }>(
    "GET",
    `/ims/v3/listings?skus=${sku}`
  )
  return body.data.find(({ location_id }) => location_id === "BLR1")?.quantity
}

/** A client on the test clock, with what happens to its requests after the sign-in. */
const disturbed = (
  happens: (before: number) => Wire.Disturbance,
  options: Partial<Parameters<typeof SellerClient.make>[0]> = {}
) =>
  Effect.gen(function* () {
    const isSignIn = ({ path }: Wire.Sent) => path.includes("token")
    const wire = Wire.to(host, (sent, before) => (isSignIn(sent) ? undefined : happens(before - 1)), yield* Clock.Clock)
    const client = yield* Wire.over(wire)(SellerClient.make({ ...Wire.account, ...options }))
    const run = <A, E>(effect: Effect.Effect<A, E>) => Wire.inTime(wire, Wire.over(wire)(effect))
    return { client, run, calls: () => wire.sent.filter((sent) => !isSignIn(sent)) }
  })

const waits = (calls: ReadonlyArray<Wire.Sent>) => calls.slice(1).map(({ at }, i) => at - (calls[i]?.at ?? 0))

describe("a request is sent again", () => {
  for (const [status, code] of [
    [429, "TOO_MANY_REQUESTS"],
    [503, "STORAGE_UNAVAILABLE"]
  ] as const) {
    it.effect(`after the Retry-After of a ${status}`, () =>
      Effect.gen(function* () {
        const { calls, client, run } = yield* disturbed((n) => (n < 2 ? Wire.busy(status, code, "7") : undefined))
        const { data } = yield* run(client.stock.update({ payload: [record(5)] }))
        strictEqual(data.success_count, 1)
        deepStrictEqual(
          waits(calls()).map((wait) => wait >= 7_000 && wait < 7_500),
          [true, true]
        )
      })
    )
  }

  it.effect("with the same Idempotency-Key when the connection was cut after the write: it is done once", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => host.acme.call("PUT", "/ims/v3/inventory", [record(10)]))
      const { calls, client, run } = yield* disturbed((n) => (n === 0 ? "cut after" : undefined), {
        username: "acme-adjust",
        password: Wire.secretOf("acme-adjust")
      })
      const { data } = yield* run(client.stock.update({ payload: [record(5)] }))
      strictEqual(data.success_count, 1)
      const [first, second] = calls()
      strictEqual(calls().length, 2)
      assertTrue(first?.key !== null && first?.key === second?.key)
      strictEqual(yield* Effect.promise(() => onHand("85123A")), 15)
    })
  )

  it.effect("when the host can't be reached, with longer and longer waits", () =>
    Effect.gen(function* () {
      const { calls, client, run } = yield* disturbed(() => "cut")
      const error = yield* run(Effect.flip(client.listings.count()))
      strictEqual(error._tag, "NetworkError")
      strictEqual(
        error.message,
        "GET /ims/v3/listings/count got no answer from http://crossdock.test: the connection failed (ECONNREFUSED)."
      )
      strictEqual(calls().length, 6)
      const [first = 0, , , , last = 0] = waits(calls())
      assertTrue(first >= 100 && first <= 300, `${first}`)
      assertTrue(last >= 1_600 && last <= 3_300, `${last}`)
    })
  )

  it.effect("when there was no answer in time", () =>
    Effect.gen(function* () {
      const { client, run } = yield* disturbed(() => "never", { timeout: "3 seconds", retry: { times: 1 } })
      const error = yield* run(Effect.flip(client.listings.count()))
      deepStrictEqual([error._tag, error._tag === "NetworkError" && error.reason], ["NetworkError", "timeout"])
    })
  )

  it.effect("while the first one with its key is still running", () =>
    Effect.gen(function* () {
      const running = () => Wire.busy(409, "IDEMPOTENCY_IN_FLIGHT")
      const { calls, client, run } = yield* disturbed((n) => (n === 0 ? running() : undefined))
      yield* run(client.stock.update({ payload: [record(1)] }))
      strictEqual(calls().length, 2)
    })
  )

  it.effect("when its answer ended early", () =>
    Effect.gen(function* () {
      const { calls, client, run } = yield* disturbed((n) => (n === 0 ? new Response('{"data": {"lis') : undefined))
      yield* run(client.listings.count())
      strictEqual(calls().length, 2)
    })
  )
})

describe("a request is not sent again", () => {
  it.effect("when the Retry-After is longer than the longest wait", () =>
    Effect.gen(function* () {
      const { calls, client, run } = yield* disturbed(() => Wire.busy(429, "TOO_MANY_REQUESTS", "3600"))
      const error = yield* run(Effect.flip(client.listings.count()))
      deepStrictEqual(error._tag === "ApiError" && [error.status, error.code, error.retryAfter], [
        429,
        "TOO_MANY_REQUESTS",
        3600
      ])
      strictEqual(calls().length, 1)
    })
  )

  it.effect("when it is at fault itself; its error names the parts and the request", () =>
    Effect.gen(function* () {
      const { calls, client, run } = yield* disturbed(() => undefined)
      const error = yield* run(Effect.flip(client.shipments.read({ query: { pageSize: 1_000 } })))
      assertTrue(error._tag === "ApiError")
      strictEqual(error.status, 400)
      strictEqual(error.code, "VALIDATION_FAILED")
      strictEqual(error.errors[0]?.path, "/pageSize")
      assertTrue(error.requestId.length > 0)
      strictEqual(calls().length, 1)
    })
  )

  it.effect("when a proxy answers with a page of its own", () =>
    Effect.gen(function* () {
      const { client, run } = yield* disturbed(() => new Response("<html>Not here</html>", { status: 404 }))
      const error = yield* run(Effect.flip(client.listings.count()))
      strictEqual(error._tag === "ApiError" && error.code, "UNEXPECTED_ANSWER")
    })
  )

  it.live("to where a redirect leads, since the token would go there too", () =>
    Effect.gen(function* () {
      const paths: Array<string | undefined> = []
      const server = createServer((request, response) => {
        paths.push(request.url)
        if (request.url?.includes("token")) response.end('{"access_token":"t"}')
        else response.writeHead(302, { location: "/elsewhere" }).end()
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const client = yield* SellerClient.make({ ...Wire.account, url })
      const error = yield* Effect.flip(client.listings.count())
      strictEqual(error._tag === "ApiError" && error.status, 302)
      deepStrictEqual(paths, ["/aggregator/v1/token", "/ims/v3/listings/count"])
      server.close()
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})

it.effect("a key of the caller makes two calls one", () =>
  Effect.gen(function* () {
    yield* Effect.promise(() => host.acme.call("PUT", "/ims/v3/inventory", [record(10, "71053")]))
    const { client, run } = yield* disturbed(() => undefined, {
      username: "acme-adjust",
      password: Wire.secretOf("acme-adjust")
    })
    const adjust = client.stock.update({ payload: [record(1, "71053")] }, { idempotencyKey: "count-7" })
    yield* run(adjust)
    yield* run(adjust)
    strictEqual(yield* Effect.promise(() => onHand("71053")), 11)
  })
)
