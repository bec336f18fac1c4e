/**
 * Node's server: what must happen before Effect sees a request, and how the host stops.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { QueryCredentials } from "@crossdock/http"
import { Effect } from "effect"

const statuses: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "HEADERS_TOO_LARGE", "The request's headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "REQUEST_TIMEOUT", "The request did not arrive in time"]
}

/**
 * Node's own refusals of broken HTTP, with a JSON body too.
 */
const refuseBroken = (error: NodeJS.ErrnoException, socket: Duplex) => {
  if (error.code === "ECONNRESET" || !socket.writable) return
  const [status, code, message] = statuses[error.code ?? ""] ?? [400, "MALFORMED_HTTP", "The request is not HTTP"]
  const body = JSON.stringify({ message, code, request_id: crypto.randomUUID() })
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
}

/**
 * The port is open before the routes are there (storage, sandbox and keys are made ready meanwhile): a request that comes
 * then must not wait for a handler that never hears of it.
 */
const refuseEarly = (response: ServerResponse) => {
  const body = JSON.stringify({
    message: "The host is starting",
    code: "STORAGE_UNAVAILABLE",
    request_id: crypto.randomUUID()
  })
  response.writeHead(503, { "content-type": "application/json", "retry-after": "1", connection: "close" }).end(body)
}

const takeQueryCredentials = (request: IncomingMessage) => {
  delete request.headers[QueryCredentials.header]
  const taken = QueryCredentials.take(request.url ?? "")
  if (taken === undefined) return
  request.url = taken.url
  request.headers[QueryCredentials.header] = taken.query
}

export interface Stoppable {
  readonly server: Server
  /** No new requests; answers when the running ones have ended, or after `longest` milliseconds. */
  readonly drain: (longest: number) => Effect.Effect<void>
}

/**
 * Counts requests in the outermost place, so that stopping waits for exactly those that run.
 */
export const make = Effect.sync((): Stoppable => {
  let running = 0
  let stopping = false
  let whenIdle = () => {}
  const server = createServer({ keepAliveTimeout: 65_000 })
  server.on("clientError", refuseBroken)
  server.on("request", (request, response) => {
    takeQueryCredentials(request)
    running++
    if (stopping) response.setHeader("connection", "close")
    if (server.listenerCount("request") === 1) refuseEarly(response)
    response.once("close", () => {
      running--
      if (running === 0) whenIdle()
    })
  })
  const idle = Effect.async<void>((resume) => {
    whenIdle = () => resume(Effect.void)
    if (running === 0) whenIdle()
  })
  const drain = (longest: number) =>
    Effect.gen(function* () {
      stopping = true
      server.close()
      server.closeIdleConnections()
      yield* Effect.timeoutOption(idle, longest)
      server.closeAllConnections()
    })
  return { server, drain }
})
