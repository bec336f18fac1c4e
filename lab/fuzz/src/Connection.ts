/** Sends requests to a host, one after the other on one connection, and reads the answers. */
import { Agent, request as open } from "node:http"
import * as Abort from "@crossdock/system-tests/Abort"
import * as Request from "./Request.ts"

export interface Answer {
  /** The status. It is 0 if the connection ended without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. It is undefined if it isn't JSON. */
  readonly json: unknown
  readonly millis: number
}

export interface Connection {
  readonly url: string
  readonly send: (request: Request.Request, abort?: Abort.Abort) => Promise<Answer>
  readonly close: () => void
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const longestMillis = 30_000

export const make = (url: string): Connection => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(url)
  let sent = 0
  const send = (request: Request.Request, abort?: Abort.Abort) =>
    new Promise<Answer>((resolve) => {
      const began = performance.now()
      const bytes = Request.bytesOf(request)
      // Each request has another address. With a single address, sign-ins would soon be blocked.
      sent++
      const address = `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`
      const headers: Record<string, string> = { "x-forwarded-for": address, ...Request.headersOf(request) }
      if (bytes !== undefined) headers["content-length"] ??= String(bytes.length)
      const failed = (error: Error) =>
        resolve({
          status: 0,
          headers: {},
          bytes: Buffer.alloc(0),
          text: error.message,
          json: undefined,
          millis: performance.now() - began
        })
      const outgoing = open(
        {
          agent,
          hostname,
          port,
          method: request.method,
          path: Request.targetOf(request),
          headers,
          timeout: longestMillis
        },
        (incoming) => {
          const chunks: Array<Buffer> = []
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
          incoming.on("error", failed)
          incoming.on("end", () => {
            const read = Buffer.concat(chunks)
            const text = read.toString("utf8")
            const millis = performance.now() - began
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              bytes: read,
              text,
              json: jsonOf(text),
              millis
            })
          })
        }
      )
      outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${longestMillis} ms`)))
      outgoing.on("error", failed)
      Abort.send(outgoing, bytes, abort)
    })
  return { url, send, close: () => agent.destroy() }
}
