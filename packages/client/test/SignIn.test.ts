import { inspect } from "node:util"
import { MarketplaceClient, PlatformClient, SellerClient } from "@crossdock/client"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, References, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { useHost } from "../../http/test/TestHost.ts"
import * as Wire from "./Wire.ts"

const host = useHost()

const signIns = (wire: Wire.Wire) => wire.sent.filter(({ path }) => path.includes("token")).length

describe("a client signs in", () => {
  it.live("once for all calls that begin together", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const client = yield* Wire.over(wire)(SellerClient.make(Wire.account))
      const counts = Effect.replicateEffect(client.listings.count(), 20, { concurrency: 20 })
      strictEqual((yield* Wire.over(wire)(counts)).length, 20)
      strictEqual(signIns(wire), 1)
    })
  )

  it.live("once more when its token has expired, for all calls together", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const client = yield* Wire.over(wire)(SellerClient.make(Wire.account))
      yield* Wire.over(wire)(client.listings.count())
      wire.expireTokens()
      yield* Wire.over(wire)(Effect.replicateEffect(client.listings.count(), 20, { concurrency: 20 }))
      strictEqual(signIns(wire), 2)
    })
  )

  it.live("also when the call that began it is interrupted while others wait", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const client = yield* Wire.over(wire)(SellerClient.make(Wire.account))
      const first = yield* Effect.forkChild(Wire.over(wire)(client.listings.count()), { startImmediately: true })
      const second = yield* Effect.forkChild(Wire.over(wire)(client.listings.count()), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* Fiber.join(second)
      strictEqual(signIns(wire), 1)
    })
  )

  it.live("with a wrong password once, and every waiting call fails", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const client = yield* Wire.over(wire)(
        SellerClient.make({ ...Wire.account, username: "acme-blr1", password: Wire.secretOf("wrong") })
      )
      const calls = Effect.replicateEffect(Effect.flip(client.listings.count()), 5, { concurrency: 5 })
      const errors = yield* Wire.over(wire)(calls)
      deepStrictEqual(
        errors.map((error) => error._tag === "ApiError" && error.code),
        Array.from({ length: 5 }, () => "CREDENTIALS_INVALID")
      )
      strictEqual(signIns(wire), 1)
    })
  )

  it.live("at the marketplace interface under its own slug", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const account = { url: Wire.account.url, slug: "bazaar", username: "bazaar", password: Wire.secretOf("bazaar") }
      const client = yield* Wire.over(wire)(MarketplaceClient.make(account))
      const error = yield* Wire.over(wire)(Effect.flip(client.orders.read({ query: { platform_order_id: "none" } })))
      strictEqual(error._tag === "ApiError" && error.status, 404)
    })
  )

  it.live("at the platform interface in its own company", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const account = { url: Wire.account.url, companyId: 1, clientId: "ops", clientSecret: Wire.secretOf("ops") }
      const client = yield* Wire.over(wire)(PlatformClient.make(account))
      const { items } = yield* Wire.over(wire)(client.audit.entityTypes())
      assertTrue(items.length > 0)
    })
  )
})

it.live("secrets are in no error and no trace", () =>
  Effect.gen(function* () {
    const wire = Wire.to(host, ({ path }) => (path.includes("token") ? undefined : "cut"))
    const spans: Array<unknown> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span.attributes)
        return span
      }
    })
    const client = yield* Wire.over(wire)(SellerClient.make({ ...Wire.account, retry: { times: 0 } }))
    const error = yield* Wire.over(wire)(Effect.flip(client.listings.count())).pipe(
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provideService(References.TracerEnabled, true),
      Effect.provideService(HttpClient.TracerHeaderFilter, () => true)
    )
    const shown = inspect([error, spans], { depth: 12 })
    assertTrue(spans.length >= 2 && shown.includes("http.request.header"))
    const secrets = ["acme-secret", btoa("acme:acme-secret"), wire.sent.at(-1)?.token ?? "no token"]
    deepStrictEqual(
      secrets.filter((secret) => shown.includes(secret)),
      []
    )
  })
)
