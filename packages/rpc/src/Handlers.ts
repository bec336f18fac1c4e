/** Answers procedures with a host. Each call becomes the HTTP request of its operation. */
import { addressOf, faultsOf, fromAnswer, type Input, notValid, type Operation } from "@crossdock/client/contracts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import type { Made, Procedures } from "./Procedures.ts"

/** The handler and `publicUrl` of a host, such as one made by `Host.make` of `@crossdock/host`. */
export interface Host {
  readonly handler: (request: Request) => Promise<Response>
  readonly url: string
}

/** The headers that a call may set. X-Forwarded-For isn't one, because hosts may trust it. */
const allowed = ["authorization", "x-access-token", "idempotency-key", "user-agent", "x-request-id", "x-batch-product"]

type Brought = Readonly<Record<string, string | undefined>>

const headersOf = (brought: Brought): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(brought).flatMap(([name, value]) =>
      value !== undefined && allowed.includes(name.toLowerCase()) ? [[name.toLowerCase(), value]] : []
    )
  )

/** HTTP headers can have visible characters of Latin-1, spaces and tabs. */
const headerFaults = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).flatMap(([name, value]) =>
    /[^\t\x20-\x7e\x80-\xff]/.test(value)
      ? [{ path: `/${name}`, code: "INVALID_TEXT", message: "has a character that a header can't have" }]
      : []
  )

const requestOf = (
  url: string,
  operation: Operation,
  input: Input,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal
) =>
  new Request(addressOf(url, operation, input), {
    method: operation.method,
    headers: { "content-type": "application/json", ...headers },
    signal,
    ...(input.payload === undefined ? {} : { body: JSON.stringify(input.payload) })
  })

const answerOf = Effect.fnUntraced(function* (operation: Operation, response: Response) {
  if (response.ok && operation.bytes === true)
    return new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
  const text = yield* Effect.promise(() => response.text())
  if (response.ok) return JSON.parse(text) as unknown
  const headers = Object.fromEntries(response.headers)
  return yield* fromAnswer(response.status, headers, text, yield* Clock.currentTimeMillis)
})

/** The handlers of an interface's procedures. As over HTTP, a call is interrupted when its caller gives up. */
export const layer = <R extends Rpc.Any>(
  { group, operations }: Procedures<R>,
  { handler, url }: Host
): Layer.Layer<Rpc.ToHandler<R>> => {
  const handlers = Object.fromEntries(
    Array.from(operations, ([tag, operation]) => [
      tag,
      Effect.fnUntraced(function* (input: Input, call: { readonly headers: Brought }) {
        const headers = headersOf({ ...call.headers, ...input.headers })
        const faults = [...faultsOf(operation, input), ...headerFaults(headers)]
        if (faults.length > 0) return yield* notValid(faults)
        const response = yield* Effect.promise((signal) => handler(requestOf(url, operation, input, headers, signal)))
        return yield* answerOf(operation, response)
      })
    ])
  )
  // R is the caller's type of the same procedures. Each procedure accepts an `Input`, so these handlers fit all of them.
  const made = group as RpcGroup.Any as RpcGroup.RpcGroup<Made>
  return made.toLayer(handlers) as Layer.Layer<Rpc.ToHandler<R>>
}
