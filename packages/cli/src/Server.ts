/**
 * Node's HTTP server: what must happen before Effect sees a request, and the graceful shutdown.
 */

import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type AnswerCode, answerCodes, bodyOf, QueryCredentials } from "@crossdock/http"
import { Effect } from "effect"

const rejections: Readonly<Record<string, readonly [AnswerCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers of the request are too large. Send shorter ones."],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request took too long to arrive. Send it again."]
}

/**
 * A rejection outside the routes, with the same error body.
 */
const rejection = (docsUrl: string, code: AnswerCode, message: string, more: Readonly<Record<string, string>> = {}) => {
  const requestId = crypto.randomUUID()
  const body = JSON.stringify(bodyOf({ code, message }, requestId, docsUrl))
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    ...more
  }
  return { body, headers, status: answerCodes[code].status }
}

const reject = (response: ServerResponse, ...why: Parameters<typeof rejection>) => {
  const { body, headers, status } = rejection(...why)
  // The connection closes, since the request's body is not read.
  response.writeHead(status, { ...headers, connection: "close" }).end(body)
}

const rejectOnSocket = (socket: Duplex, ...why: Parameters<typeof rejection>) => {
  const { body, headers, status } = rejection(...why)
  const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Rejected\r\n${lines.join("")}\r\n${body}`)
}

/**
 * Gives Node's own rejections of broken HTTP a JSON body.
 */
const rejectBroken = (error: NodeJS.ErrnoException, socket: Duplex, docsUrl: string) => {
  if (error.code === "ECONNRESET" || !socket.writable) return
  const malformed = ["MALFORMED_HTTP", "The request is not valid HTTP/1.1. Send it with an HTTP client."] as const
  rejectOnSocket(socket, docsUrl, ...(rejections[error.code ?? ""] ?? malformed))
}

/**
 * The port opens before the routes exist, while storage, sandbox and keys are prepared. A request that arrives then would
 * never reach a handler, so it is rejected.
 */
const rejectEarly = (response: ServerResponse, docsUrl: string) =>
  reject(response, docsUrl, "STORAGE_UNAVAILABLE", "The host is still starting. Send the request again in a moment.", {
    "retry-after": "1"
  })

const lacksHost = ({ headers, httpVersion }: IncomingMessage) => httpVersion === "1.1" && headers.host === undefined

/** A request with `Expect: 100-continue` has an event of its own; Effect's server listens to both. */
const isRequest = (event: string) => event === "request" || event === "checkContinue"

const takeQueryCredentials = (request: IncomingMessage) => {
  delete request.headers[QueryCredentials.header]
  // A target in absolute form includes a host; routes match paths only.
  request.url = request.url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "") || "/"
  const taken = QueryCredentials.take(request.url)
  if (taken === undefined) return
  request.url = taken.url
  request.headers[QueryCredentials.header] = taken.query
}

export interface Stoppable {
  readonly server: Server
  /** Takes no new requests; ends when the running ones have ended, or after `longest` milliseconds. */
  readonly drain: (longest: number) => Effect.Effect<void>
}

/**
 * Closes connections of an address that already has `most` of them.
 */
const limitConnections = (server: Server, most: number) => {
  const open = new Map<string, number>()
  server.on("connection", (socket) => {
    const { remoteAddress = "" } = socket
    const count = (open.get(remoteAddress) ?? 0) + 1
    open.set(remoteAddress, count)
    socket.once("close", () => {
      const left = (open.get(remoteAddress) ?? 1) - 1
      if (left > 0) open.set(remoteAddress, left)
      else open.delete(remoteAddress)
    })
    if (count > most) socket.destroy()
  })
}

export interface Options {
  /** Connections in all. */
  readonly connections: number
  /** Connections of one network address. */
  readonly connectionsOfAddress: number
  /** Where the `docs` of error bodies lead when the server listens on a port; empty for none. */
  readonly docsUrlAt: (port: number) => string
}

/**
 * A connection that sends no request has so long to begin one, and is looked for so often.
 */
const silence = { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 } as const

/**
 * Counts requests outside of everything else, so that a shutdown ends exactly when all of them have ended. Connections beyond
 * the limits are closed at once.
 */
export const make = ({
  connections = Infinity,
  connectionsOfAddress = Infinity,
  docsUrlAt = () => ""
}: Partial<Options> = {}) =>
  Effect.sync((): Stoppable => {
    let running = 0
    let stopping = false
    let whenIdle = () => {}
    const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false, ...silence })
    if (Number.isFinite(connections)) server.maxConnections = connections
    if (Number.isFinite(connectionsOfAddress)) limitConnections(server, connectionsOfAddress)
    const docsUrl = () => {
      const address = server.address()
      return typeof address === "object" && address !== null ? docsUrlAt(address.port) : ""
    }
    server.on("clientError", (error, socket) => rejectBroken(error, socket, docsUrl()))
    server.on("checkExpectation", (_, response) =>
      reject(response, docsUrl(), "EXPECTATION_FAILED", "The header Expect accepts only 100-continue. Leave it out.")
    )
    server.on("connect", (_, socket) =>
      rejectOnSocket(socket, docsUrl(), "METHOD_NOT_ALLOWED", "This host is not a proxy. Send the request itself.")
    )
    // The host speaks no other protocol. Without a listener, Node treats an upgrade like any other request; Effect's server
    // would read it from the bare socket.
    server.on("newListener", (event, listener) => {
      if (event === "upgrade") queueMicrotask(() => server.off("upgrade", listener))
    })
    // A listener can't hide a request from the next one, so requests without a Host header are stopped before the listeners.
    const emit = server.emit.bind(server)
    server.emit = (event: string, ...args: ReadonlyArray<never>) => {
      const [request, response]: ReadonlyArray<unknown> = args
      const isRejected = isRequest(event) && request instanceof IncomingMessage && lacksHost(request)
      if (!isRejected || !(response instanceof ServerResponse)) return emit(event, ...args)
      reject(response, docsUrl(), "MALFORMED_HTTP", "The request has no Host header. Send one.")
      return true
    }
    const admit = (request: IncomingMessage, response: ServerResponse) => {
      takeQueryCredentials(request)
      running++
      // After a request for another protocol, Node would not report broken HTTP on the same connection.
      if (stopping || request.headers.upgrade !== undefined) response.setHeader("connection", "close")
      if (server.listenerCount("request") === 1) rejectEarly(response, docsUrl())
      response.once("close", () => {
        running--
        if (running === 0) whenIdle()
      })
    }
    server.on("request", admit)
    server.on("checkContinue", admit)
    const idle = Effect.callback<void>((resume) => {
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
