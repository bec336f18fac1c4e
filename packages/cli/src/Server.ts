/** Node's HTTP server. It checks requests before Effect sees them, and shuts down gracefully. */
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import type { Duplex } from "node:stream"
import { type AnswerCode, answerCodes, bodyOf, Edge } from "@crossdock/http"
import { Effect } from "effect"

const rejections: Readonly<Record<string, readonly [AnswerCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers of the request are too large. Send shorter ones."],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request took too long to arrive. Send it again."]
}

/** A rejection outside the routes. It has the same error body as a rejection by a route. */
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
  response.writeHead(status, headers).end(body)
}

/** Closes the connection after the answer, since the request's body isn't read. */
const closing = { connection: "close" } as const

const rejectOnSocket = (socket: Duplex, ...why: Parameters<typeof rejection>) => {
  const { body, headers, status } = rejection(...why)
  const lines = Object.entries({ ...headers, ...closing }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Rejected\r\n${lines.join("")}\r\n${body}`)
}

/** Rejects broken HTTP with a JSON body, in place of Node's own answer. */
const rejectBroken = (error: NodeJS.ErrnoException, socket: Duplex, docsUrl: string) => {
  if (error.code === "ECONNRESET" || !socket.writable) return
  const malformed = ["MALFORMED_HTTP", "The request is not valid HTTP/1.1. Send it with an HTTP client."] as const
  rejectOnSocket(socket, docsUrl, ...(rejections[error.code ?? ""] ?? malformed))
}

/** Whether an event is a request. `Expect: 100-continue` has its own event, and Effect's server listens to both. */
const isRequest = (event: string) => event === "request" || event === "checkContinue"

const takeQueryCredentials = (request: IncomingMessage) => {
  // The header is deleted only if it exists, because a delete makes all headers slower to read.
  if (Edge.credentialsHeader in request.headers) delete request.headers[Edge.credentialsHeader]
  const { url = "" } = request
  // A target in absolute form includes a host, but routes match only paths.
  const path = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "") || "/"
  const taken = Edge.takeCredentials(path)
  request.url = taken?.url ?? path
  if (taken === undefined) return
  request.headers[Edge.credentialsHeader] = taken.query
}

export interface Stoppable {
  readonly server: Server
  /** Answers `/health/ready` with 503, so that balancers send no more requests. All other requests are still answered. */
  readonly unready: Effect.Effect<void>
  /** Accepts no new connections, closes each existing one with its next answer, and returns when none is left. */
  readonly drain: (bounds: DrainBounds) => Effect.Effect<void>
}

/** How many milliseconds idle connections remain open, and how many milliseconds requests may run after that. */
export interface DrainBounds {
  readonly idle: number
  readonly running: number
}

/** Closes a new connection at once if its address already has `most` connections. */
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
  /** The limit of all connections. */
  readonly connections: number
  readonly connectionsOfAddress: number
  /** The address to which `docs` in error bodies leads, for the port of the server. Empty without such an address. */
  readonly docsUrlAt: (port: number) => string
}

/** Makes a server. Connections beyond the limits are closed at once. */
export const make = ({
  connections = Infinity,
  connectionsOfAddress = Infinity,
  docsUrlAt = () => ""
}: Partial<Options> = {}) =>
  Effect.sync((): Stoppable => {
    let open = 0
    let isReady = true
    let isStopping = false
    let onEnd = () => {}
    const running = new Set<ServerResponse>()
    const early: Array<readonly [event: string, ...args: ReadonlyArray<never>]> = []
    // The time limit of connections without a request, and the interval of its checks.
    const silence = { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 }
    const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false, ...silence })
    if (Number.isFinite(connections)) server.maxConnections = connections
    if (Number.isFinite(connectionsOfAddress)) limitConnections(server, connectionsOfAddress)
    const docsUrl = () => {
      const address = server.address()
      return typeof address === "object" && address !== null ? docsUrlAt(address.port) : ""
    }
    server.on("clientError", (error, socket) => rejectBroken(error, socket, docsUrl()))
    const expectation = "The header Expect accepts only 100-continue. Leave it out."
    server.on("checkExpectation", (_, response) =>
      reject(response, docsUrl(), "EXPECTATION_FAILED", expectation, closing)
    )
    server.on("connect", (_, socket) =>
      rejectOnSocket(socket, docsUrl(), "METHOD_NOT_ALLOWED", "This host is not a proxy. Send the request itself.")
    )
    // The host supports no protocol but HTTP. If nothing listens to upgrades, Node treats an upgrade like any other
    // request. The listener of Effect's server would read an upgrade from the bare socket, so it is removed.
    server.on("newListener", (event, listener) => {
      if (event === "upgrade") queueMicrotask(() => server.off("upgrade", listener))
    })
    // The port is open for a moment before the routes exist. Early requests wait for the routes.
    server.on("newListener", (event) => {
      if (isRequest(String(event)))
        queueMicrotask(() => {
          for (const args of early.splice(0)) server.emit(...args)
        })
    })
    server.on("connection", (socket) => {
      open++
      socket.once("close", () => {
        open--
        onEnd()
      })
    })
    /** Rejects a request without a Host header, and a readiness check while the host stops. Returns whether it did. */
    const isRejected = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (request.httpVersion === "1.1" && request.headers.host === undefined)
        reject(response, docsUrl(), "MALFORMED_HTTP", "The request has no Host header. Send one.", closing)
      else if (!isReady && /^\/health\/ready(?:$|\?)/.test(request.url ?? ""))
        reject(response, docsUrl(), "STORAGE_UNAVAILABLE", "The host is stopping. Send requests to another host.")
      else return false
      return true
    }
    const emit = server.emit.bind(server)
    server.emit = (event: string, ...args: ReadonlyArray<never>) => {
      const [request, response]: ReadonlyArray<unknown> = args
      if (!isRequest(event) || !(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
        return emit(event, ...args)
      if (server.listenerCount(event) === 0) {
        early.push([event, ...args])
        return true
      }
      takeQueryCredentials(request)
      running.add(response)
      response.once("close", () => {
        running.delete(response)
        onEnd()
      })
      // After a request for another protocol, Node would not report broken HTTP on the same connection. So the
      // connection is closed.
      if (isStopping || request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      return isRejected(request, response) || emit(event, ...args)
    }
    const until = (isDone: () => boolean, longest: number) =>
      Effect.callback<void>((resume) => {
        onEnd = () => {
          if (isDone()) resume(Effect.void)
        }
        onEnd()
      }).pipe(Effect.timeoutOption(longest))
    const unready = Effect.sync(() => {
      isReady = false
    })
    const drain = Effect.fnUntraced(function* (most: DrainBounds) {
      yield* unready
      isStopping = true
      for (const response of running) response.shouldKeepAlive = false
      // The method of HTTP servers would also close idle connections, on which a request may be on its way.
      NetServer.prototype.close.call(server)
      yield* until(() => open === 0, most.idle)
      server.closeIdleConnections()
      yield* until(() => running.size === 0, most.running)
      server.closeAllConnections()
    })
    return { server, unready, drain }
  })
