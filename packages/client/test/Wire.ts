/**
 * The connection between a client and a real host. Tests read what was sent, and disturb it.
 */
import { createHmac } from "node:crypto"
import { type Clock, Effect, Fiber, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as TestHost from "../../http/test/TestHost.ts"

export const tokenSecret = "a secret of the tests, 32 bytes or more"

export interface Sent {
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly token: string | null
  readonly body: string
  /** Milliseconds of the client's clock. */
  readonly at: number
}

/** What happens to a request: its own answer instead of the host's, or a cut connection before or after the host has it. */
export type Disturbance = Response | "cut" | "cut after" | "never" | undefined

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The same token, expired. */
export const expired = (token: string): string => {
  const [head = "", body = ""] = token.split(".")
  const claims = JSON.parse(Buffer.from(body, "base64url").toString())
  const signed = `${head}.${base64({ ...claims, iat: claims.iat - 200_000, exp: claims.exp - 200_000 })}`
  return `${signed}.${createHmac("sha256", tokenSecret).update(signed).digest("base64url")}`
}

export interface Wire {
  readonly fetch: typeof globalThis.fetch
  readonly sent: ReadonlyArray<Sent>
  readonly running: () => number
  /** From now on, the tokens that were given out are expired. */
  readonly expireTokens: () => void
}

const headerOf = (headers: Headers) => headers.get("x-access-token") ?? headers.get("authorization")

/**
 * A connection to `host`. `disturb` gets each request and how many came before it.
 */
export const to = (
  host: TestHost.TestHost,
  disturb: (sent: Sent, before: number) => Disturbance = () => undefined,
  clock?: Clock.Clock
): Wire => {
  const sent: Array<Sent> = []
  const aged = new Set<string>()
  let running = 0
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input))
    const headers = new Headers(init.headers)
    const token = headerOf(headers)
    if (token !== null && aged.has(token)) headers.set("x-access-token", expired(token))
    const body = init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : String(init.body ?? "")
    const one = {
      method: init.method ?? "GET",
      path: url.pathname + url.search,
      key: headers.get("idempotency-key"),
      token,
      body,
      at: clock?.currentTimeMillisUnsafe() ?? Date.now()
    }
    sent.push(one)
    const happens = disturb(one, sent.length - 1)
    running += 1
    try {
      if (happens instanceof Response) return happens
      if (happens === "never") {
        running -= 1
        await new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
        running += 1
      }
      if (happens === "cut") throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })
      const answer = await host.fetch(one.path, { ...init, headers })
      if (happens === "cut after") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })
      return answer
    } finally {
      running -= 1
    }
  }
  return {
    fetch: fetch as typeof globalThis.fetch,
    sent,
    running: () => running,
    expireTokens: () => {
      for (const { token } of sent) if (token?.startsWith("ey")) aged.add(token)
    }
  }
}

/** An answer of a host that is too busy. */
export const busy = (status: number, code: string, retryAfter?: string) =>
  Response.json(
    { message: "Busy", code, request_id: "r" },
    { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } }
  )

export const account = { url: TestHost.publicUrl, username: "acme", password: Redacted.make("acme-secret") }

/** Effects whose requests go over `wire`. */
export const over =
  (wire: Wire) =>
  <A, E>(effect: Effect.Effect<A, E, import("effect/http").HttpClient.HttpClient>) =>
    effect.pipe(Effect.provide(FetchHttpClient.layer), Effect.provideService(FetchHttpClient.Fetch, wire.fetch))

/**
 * Runs an effect on the test clock, which goes on in steps of 100 ms while no request is under way.
 */
export const inTime = <A, E, R>(wire: Wire, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      for (let idle = 0; idle < 5; idle++) {
        yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
        if (wire.running() > 0) idle = 0
      }
      yield* TestClock.adjust("100 millis")
    }
    return yield* Fiber.join(fiber)
  })

export const secretOf = (username: string) => Redacted.make(`${username}-secret`)
