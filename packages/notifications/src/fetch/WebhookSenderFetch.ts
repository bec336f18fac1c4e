/** Adapter: sends notifications with `fetch`, without Node. See docs/reference/notifications.md#addresses. */
import type { Webhook } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as AddressGuard from "../AddressGuard.ts"
import { headersOf, keyTextOf, limited, secretsOf, signedText, unanswered, WebhookSender } from "../WebhookSender.ts"

/** Which addresses are allowed, and the `fetch` function to use. */
export interface Options {
  /** Whether local names, and addresses on loopback and private networks, are allowed. */
  readonly allowPrivate: boolean
  /** The `fetch` function. By default it is the runtime's own. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
}

const encoder = new TextEncoder()

/** Makes one signature in the form of Standard Webhooks. The promise is rejected if the Base64 is invalid. */
const sign = async (secret: string, text: string): Promise<string> => {
  const bytes = new Uint8Array(Result.getOrThrow(Base64.decode(keyTextOf(secret))))
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return `v1,${Base64.encode(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))))}`
}

const signatureOf = (webhook: Webhook, id: string, body: string, now: number) => {
  const text = signedText(id, Math.floor(now / 1000), body)
  return Effect.tryPromise(() => Promise.all(secretsOf(webhook, now).map((one) => sign(one, text))))
}

/** Whether a host may be public. An IP address must be public. A name must have a form that public names have. */
const isPublic = (host: string): boolean =>
  AddressGuard.isAddress(host) ? AddressGuard.isPublic(host) : AddressGuard.isPublicName(host)

/** The code of a failed connection. The error's message isn't used, since it may contain secrets. */
const codeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error && "code" in cause ? String(cause.code) : "error"
}

/**
 * Makes a `WebhookSender` that uses `fetch`. It makes one attempt and follows no redirects. It checks only the text of the
 * URL, so a public name can resolve to a private address. That is harmless on Cloudflare, whose `fetch` reaches only public
 * addresses. Elsewhere, use `WebhookSenderNode`, or a proxy that checks resolved addresses.
 */
export const make = ({ allowPrivate, fetch: request = (url, init) => fetch(url, init) }: Options) =>
  limited(
    (host) => allowPrivate || isPublic(host),
    Effect.fnUntraced(function* (message, url, now) {
      const { body, webhook, webhookId } = message
      const signatures = yield* Effect.result(signatureOf(webhook, webhookId, body, now))
      if (Result.isFailure(signatures)) return unanswered("the request can't be made (secret)")
      const headers = headersOf(message, now, signatures.success.join(" "))
      return yield* Effect.tryPromise((signal) =>
        request(url, { method: "POST", redirect: "manual", headers, body, signal })
      ).pipe(
        // Only the status is needed, so the body isn't awaited.
        Effect.tap((answer) => Effect.ignore(Effect.tryPromise(() => answer.body?.cancel() ?? Promise.resolve()))),
        Effect.map(({ status }) => ({ _tag: "Answered", status }) as const),
        Effect.catch(({ cause }) => Effect.succeed(unanswered(`the connection failed (${codeOf(cause)})`)))
      )
    })
  )

/** The service `WebhookSender`, which uses `fetch`. `allowPrivate` is for hosts whose receivers are in their own network. */
export const layer = (options: Options) => Layer.succeed(WebhookSender, make(options))
