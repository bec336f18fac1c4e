/**
 * Receivers of webhooks for tests: real servers on loopback.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import type { Webhook } from "@crossdock/marketplaces"
import { Effect, Queue } from "effect"

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly answer: ServerResponse
}

const listening = <S extends Server>(server: S, sockets: Set<Socket>) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )

export const webhookOf = (url: string, authentication: Webhook["authentication"] = { type: "none" }): Webhook => ({
  url,
  secret,
  retiring: null,
  authentication
})

/**
 * Answers as `reply` says once the whole request is read. Requests are in `received`, in order.
 */
export const make = (reply: (request: Received) => void) =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<Received>()
    const sockets = new Set<Socket>()
    const server = createServer((request, answer) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("error", () => {})
      answer.on("error", () => {})
      request.on("end", () => {
        const { headers, method = "", url = "" } = request
        const one = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8"), answer }
        reply(one)
        Queue.offerUnsafe(received, one)
      })
    })
    const port = yield* listening(server, sockets)
    return { received: Queue.take(received), port, webhook: webhookOf(`http://127.0.0.1:${port}/hook?a=1`), sockets }
  })

export const answering = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  make(({ answer }) => answer.writeHead(status, headers).end("done"))

/**
 * A TCP server that handles each connection with `serve`.
 */
export const raw = (serve: (socket: Socket) => void) => listening(createTcpServer(serve), new Set())

/**
 * A listener that counts connections and answers each.
 */
export const counter = Effect.gen(function* () {
  const sockets = new Set<Socket>()
  const seen = { connections: 0 }
  const server = createTcpServer((socket) => {
    seen.connections += 1
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
  })
  const port = yield* listening(server, sockets)
  return { port, seen }
})
