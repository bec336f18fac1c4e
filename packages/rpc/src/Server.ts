/**
 * Answers procedures with a host: each call becomes the request that HTTP would have brought, so that sign-in, limits, judging,
 * and the one effect of a repeated write are the same.
 */
import { addressOf, fromAnswer, type Input, type Operation } from "@crossdock/client/contracts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Rpc from "effect/rpc/Rpc"
import type { Procedures } from "./Procedures.ts"

/**
 * A host that answers web requests, such as `Host.make` of `@crossdock/host`, and its `publicUrl`.
 */
export interface Host {
  readonly handler: (request: Request) => Promise<Response>
  readonly url: string
}

/**
 * What a caller may say besides the operation's own. A server behind a proxy believes others, such as X-Forwarded-For, which
 * a call must not bring.
 */
const allowed = ["authorization", "x-access-token", "idempotency-key", "user-agent", "x-request-id", "x-batch-product"]

const requestOf = (
  url: string,
  operation: Operation,
  input: Input,
  headers: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal
) => {
  const sent = new Headers({ "content-type": "application/json" })
  for (const [name, value] of Object.entries({ ...headers, ...input.headers })) {
    if (value !== undefined && allowed.includes(name.toLowerCase())) sent.set(name, value)
  }
  return new Request(addressOf(url, operation, input), {
    method: operation.method,
    headers: sent,
    signal,
    ...(input.payload === undefined ? {} : { body: JSON.stringify(input.payload) })
  })
}

const answerOf = (operation: Operation, response: Response) =>
  Effect.gen(function* () {
    if (response.ok && operation.bytes === true) {
      return new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
    }
    const text = yield* Effect.promise(() => response.text())
    if (response.ok) return JSON.parse(text) as unknown
    const headers = Object.fromEntries(response.headers)
    return yield* fromAnswer(response.status, headers, text, yield* Clock.currentTimeMillis)
  })

/**
 * The handlers of an interface's procedures. A call that its caller gives up is interrupted, as over HTTP.
 */
export const layer = <R extends Rpc.Any>(
  { group, operations }: Procedures<R>,
  { handler, url }: Host
): Layer.Layer<Rpc.ToHandler<R>> => {
  const handlers = Object.fromEntries(
    Array.from(operations, ([tag, operation]) => [
      tag,
      (input: Input, { headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
        Effect.flatMap(
          Effect.promise((signal) => handler(requestOf(url, operation, input, headers, signal))),
          (response) => answerOf(operation, response)
        )
    ])
  )
  return group.toLayer(handlers as never)
}
