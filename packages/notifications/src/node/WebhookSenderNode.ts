/** Adapter: sends notifications with Node's HTTP client. Source: docs/reference/notifications.md#addresses. */
import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AddressGuard from "../AddressGuard.ts"
import { Limits } from "../Limits.ts"
import { headersOf, limited, unanswered, type WebhookAnswer, WebhookSender } from "../WebhookSender.ts"
import * as Signature from "./Signature.ts"

/** Returns the addresses of a name, as `lookup` of node:dns does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/** Which addresses are allowed, and how names are resolved. */
export interface Options {
  /** Whether addresses on loopback and private networks are allowed. */
  readonly allowPrivate: boolean
  /** Resolves names. By default it is the system's resolver. */
  readonly resolve?: Resolve
}

/** At most this many bytes of an answer's body are read before the connection is closed. Only the status is needed. */
const readAtMost = 64 * 1024

class AddressRejected extends Error {}

/** Resolves a name and checks the addresses. Node connects to exactly these addresses. */
const checkedLookup =
  (resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "")
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
        return callback(new AddressRejected(AddressGuard.rejection), "")
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      callback(null, first?.address ?? "", first?.family)
    })
  }

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "error")

/** Makes a `WebhookSender` of Node. It makes one attempt, follows no redirects, and connects only to checked addresses. */
export const make = ({ allowPrivate, resolve = lookup }: Options) => {
  const isAllowed = allowPrivate ? () => true : AddressGuard.isPublic
  return limited(
    // If the URL has an address instead of a name, nothing is looked up.
    (host) => !AddressGuard.isAddress(host) || isAllowed(host),
    (message, url, now) =>
      Effect.callback<WebhookAnswer>((resume) => {
        const { body, webhook, webhookId } = message
        const fail = (reason: string) => resume(Effect.succeed(unanswered(reason)))
        const { request } = url.protocol === "https:" ? Https : Http
        const sent = request(
          url,
          {
            method: "POST",
            // Each attempt has its own connection, so that no receiver delays another.
            agent: false,
            lookup: checkedLookup(resolve, isAllowed),
            headers: {
              ...headersOf(message, now, Signature.header(webhook, webhookId, body, now)),
              "content-length": String(Buffer.byteLength(body))
            }
          },
          (answer) => {
            let read = 0
            answer.on("data", (chunk: Buffer) => {
              read += chunk.length
              if (read > readAtMost) answer.destroy()
            })
            answer.on("error", () => {})
            // An answer that never ends must not keep its connection open.
            const end = setTimeout(() => answer.destroy(), Limits.answerMillis).unref()
            answer.on("close", () => clearTimeout(end))
            resume(Effect.succeed({ _tag: "Answered", status: answer.statusCode ?? 0 }))
          }
        )
        sent.on("error", (error) =>
          fail(error instanceof AddressRejected ? AddressGuard.rejection : `the connection failed (${codeOf(error)})`)
        )
        // If the receiver upgrades the connection although no upgrade was requested, there is neither an answer nor an error.
        sent.on("close", () => fail("the connection failed (closed)"))
        sent.end(body)
        return Effect.sync(() => sent.destroy())
      }).pipe(
        // Node throws if a header is invalid. The code of the error can be logged, but its message may contain secrets.
        Effect.catchDefect((error) => Effect.succeed(unanswered(`the request can't be made (${codeOf(error)})`)))
      )
  )
}

/** The service `WebhookSender` of Node. `allowPrivate` is for hosts whose receivers are in their own network. */
export const layer = (options: Options) => Layer.succeed(WebhookSender, make(options))
