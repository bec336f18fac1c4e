/** Requests to a program's own server on Node, as a host's handler takes them. */
import type { IncomingMessage } from "node:http"

const addresses = new WeakMap<Request, string>()

/** Express takes its mount path off the URL and keeps the whole one here. */
interface Incoming extends IncomingMessage {
  readonly originalUrl?: string
}

/** A client may send the whole URL: the server's own origin counts. */
const pathOf = ({ originalUrl, url = "/" }: Incoming): string => {
  const path = (originalUrl ?? url).replace(/^https?:\/\/[^/?]*/i, "")
  return path.startsWith("/") ? path : `/${path}`
}

/** The request that `node:http`, Express, Fastify or the like received, with its body. `publicUrl` is the host's. */
export const requestOf = (incoming: Incoming, publicUrl: string, body?: Uint8Array | null): Request => {
  const { method = "GET", rawHeaders, socket } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2)
    // HTTP/2 has pseudo-headers.
    if (!name.startsWith(":")) headers.append(name, value)
  }
  // No Request can be made with these, though a server receives them.
  const isForbidden = /^(CONNECT|TRACE|TRACK)$/i.test(method)
  const hasBody = body instanceof Uint8Array && method !== "GET" && method !== "HEAD"
  const request = new Request(`${new URL(publicUrl).origin}${pathOf(incoming)}`, {
    method: isForbidden ? "OPTIONS" : method,
    headers,
    body: hasBody ? Uint8Array.from(body) : null
  })
  if (isForbidden) Object.defineProperty(request, "method", { value: method })
  addresses.set(request, socket.remoteAddress ?? "unknown")
  return request
}

/** The address of the connection of a `requestOf`, for `addressOf` of a host without a proxy in front. */
export const addressOf = (request: Request): string => addresses.get(request) ?? "unknown"
