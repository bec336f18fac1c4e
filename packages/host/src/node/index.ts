/** Everything that a host needs from Node. */
import { AsyncLocalStorage } from "node:async_hooks"
import type { IncomingMessage } from "node:http"
import {
  DigestNode,
  LinkSignerHmac,
  NonceNode,
  PasswordHashScrypt,
  type ScryptCost,
  SecretCipherNode,
  TokenCodecJose
} from "@crossdock/crypto"
import { DocumentRendererNode } from "@crossdock/documents/node"
import { WebhookSenderNode } from "@crossdock/notifications/node"
import * as Layer from "effect/Layer"
import type { Flow, Runtime } from "../Runtime.ts"

export * as PaymentProviderHttp from "./PaymentProviderHttp.ts"

/** Options of the runtime. */
export interface Options {
  /** The cost of a password hash. The default is the recommended cost. Use a lower one for tests. */
  readonly passwordCost?: ScryptCost | undefined
  readonly documents?: Partial<DocumentRendererNode.Settings>
}

const flow = (): Flow => {
  const current = new AsyncLocalStorage<object>()
  return { run: (value, work) => current.run(value, work), current: () => current.getStore() }
}

/** The runtime of Node: scrypt, jose, threads that draw documents, and webhooks guarded against private addresses. */
export const runtime = ({ documents, passwordCost }: Options = {}): Runtime => ({
  hashing: Layer.mergeAll(PasswordHashScrypt.layer(passwordCost), DigestNode.layer, NonceNode.layer),
  signing: (secret, previous) =>
    Layer.merge(TokenCodecJose.layer(secret, previous), LinkSignerHmac.layer(secret, previous)),
  encryption: SecretCipherNode.layer,
  documents: DocumentRendererNode.layer(documents),
  webhooks: WebhookSenderNode.layer,
  flow: flow()
})

const addresses = new WeakMap<Request, string>()

/** A request. Express removes its mount path from `url`, and `originalUrl` has the whole URL. */
type Incoming = IncomingMessage & { readonly originalUrl?: string }

/** The path of a request. A client may send an absolute URL, but its origin isn't used. */
const pathOf = ({ originalUrl, url = "/" }: Incoming): string => {
  const path = (originalUrl ?? url).replace(/^https?:\/\/[^/?]*/i, "")
  return path.startsWith("/") ? path : `/${path}`
}

/** Makes a `Request` from a request of `node:http`, Express, Fastify or a similar server, and from its body. */
export const requestOf = (incoming: Incoming, publicUrl: string, body?: Uint8Array | null): Request => {
  const { method = "GET", rawHeaders, socket } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2)
    // In HTTP/2, names that begin with a colon are pseudo-headers.
    if (!name.startsWith(":")) headers.append(name, value)
  }
  // A server can receive these methods, but a `Request` can't be made with them.
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

/** The address of the connection of a request that `requestOf` made. It is the `addressOf` of a host without proxies. */
export const addressOf = (request: Request): string => addresses.get(request) ?? "unknown"
