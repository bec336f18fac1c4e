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

/** A name's addresses, as `lookup` of node:dns returns them. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/** The allowed addresses, and the resolver of names. */
export interface Options {
  /** Allows addresses on loopback and private networks. */
  readonly allowPrivate: boolean
  /** By default the system's resolver. */
  readonly resolve?: Resolve
}

/** Bytes of an answer's body to read before closing the connection; only the status counts. */
const readAtMost = 64 * 1024

class AddressRejected extends Error {}

/** Checks the very addresses to which Node connects: the name can't resolve to others in between. */
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

/** A `WebhookSender` on Node's HTTP client: one try, no redirect, only checked addresses. Needs no service. */
export const make = ({ allowPrivate, resolve = lookup }: Options) => {
  const isAllowed = allowPrivate ? () => true : AddressGuard.isPublic
  return limited(
    // An address in place of a name is never looked up.
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
            // One connection per try, so that no receiver delays another.
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
            // An endless answer must not keep its connection.
            const end = setTimeout(() => answer.destroy(), Limits.answerMillis).unref()
            answer.on("close", () => clearTimeout(end))
            resume(Effect.succeed({ _tag: "Answered", status: answer.statusCode ?? 0 }))
          }
        )
        sent.on("error", (error) =>
          fail(error instanceof AddressRejected ? AddressGuard.rejection : `the connection failed (${codeOf(error)})`)
        )
        // An unrequested upgrade causes neither an answer nor an error.
        sent.on("close", () => fail("the connection failed (closed)"))
        sent.end(body)
        return Effect.sync(() => sent.destroy())
      }).pipe(
        // Node throws on an invalid header. The error's code is safe to log; its message may have secrets.
        Effect.catchDefect((error) => Effect.succeed(unanswered(`the request can't be made (${codeOf(error)})`)))
      )
  )
}

/** Provides `WebhookSender` on Node's HTTP client. `allowPrivate` is for hosts with receivers on their own network. */
export const layer = (options: Options) => Layer.succeed(WebhookSender, make(options))
