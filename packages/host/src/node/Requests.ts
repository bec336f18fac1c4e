/** `Request`s for a host's handler, from an application's server on Node. */
import type { IncomingMessage } from "node:http"

const addresses = new WeakMap<Request, string>()

/** Express removes its mount path from the URL and has the whole URL here. */
interface Incoming extends IncomingMessage {
  readonly originalUrl?: string
}

/** A client may send an absolute URL; the server's own origin replaces its origin. */
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
  // A server can receive these methods, but a `Request` can't have them.
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
