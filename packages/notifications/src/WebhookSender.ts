/** Port: sends one webhook and returns the answer. Only `sendStored` decrypts the secrets of webhooks. */
import { Eventual, SecretCipher } from "@crossdock/kernel"
import { StoredWebhook, type Webhook } from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as AddressGuard from "./AddressGuard.ts"
import { Limits } from "./Limits.ts"

/** One attempt to send a webhook. */
export interface WebhookMessage {
  readonly webhook: Webhook
  readonly webhookId: string
  readonly body: string
  /** Headers that identify the channel or endpoint. They aren't signed. */
  readonly headers: Readonly<Record<string, string>>
}

/** A message before its webhook is decrypted. `place` identifies the webhook's row (`StoredWebhook.placeOf`). */
export interface StoredMessage extends Omit<WebhookMessage, "webhook"> {
  readonly webhook: StoredWebhook.StoredWebhook
  readonly place: string
}

/** The outcome of one attempt. `reason` is for operators, and has no address, secret or body. */
export type WebhookAnswer =
  | { readonly _tag: "Answered"; readonly status: number }
  | { readonly _tag: "Unanswered"; readonly reason: string }

/** Whether the receiver has accepted the webhook with a 2xx. Source: docs/reference/notifications.md#answers. */
export const isAccepted = (answer: WebhookAnswer): boolean =>
  answer._tag === "Answered" && answer.status >= 200 && answer.status <= 299

/** The reason why an attempt wasn't accepted. It is for operators, and has no address, secret or body. */
export const reasonOf = (answer: WebhookAnswer): string =>
  answer._tag === "Answered" ? `answered with status ${answer.status}` : answer.reason

const answeredWith =
  (...statuses: ReadonlyArray<number>) =>
  (answer: WebhookAnswer): boolean =>
    answer._tag === "Answered" && statuses.includes(answer.status)

/** Whether the receiver unsubscribes (410), which ends all attempts. Source: docs/reference/events.md#answers. */
export const isUnsubscribed = answeredWith(410)

/** Whether the body is too large (413), as it would be in every further attempt. */
export const isTooLarge = answeredWith(413)

/** Whether the body was rejected as invalid (400, 413, 422). Parts of it may still be accepted. */
export const isInvalid = answeredWith(400, 413, 422)

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Sends a message. The effect never fails, since a broken connection is an answer too. */
    readonly send: (message: WebhookMessage) => Effect.Effect<WebhookAnswer>
  }
>()("@crossdock/notifications/WebhookSender") {
  /** Makes a sender from a function that signs and sends a message. If it throws, the attempt has no answer. */
  static readonly from = (own: {
    readonly send: (message: WebhookMessage) => Eventual.Eventual<WebhookAnswer>
  }): Layer.Layer<WebhookSender> =>
    Layer.succeed(WebhookSender, {
      send: (message) =>
        Eventual.of(() => own.send(message)).pipe(
          Effect.catchDefect((cause) => Effect.succeed(unanswered(String(cause))))
        )
    })
}

/** A sender that checks the host and limits the time of each attempt. `post` makes one at `now` (epoch milliseconds). */
export const limited = (
  isAllowed: (host: string) => boolean,
  post: (message: WebhookMessage, url: URL, now: number) => Effect.Effect<WebhookAnswer>
) =>
  WebhookSender.of({
    send: Effect.fnUntraced(function* (message) {
      const now = yield* Clock.currentTimeMillis
      const url = urlOf(message.webhook)
      if (url === undefined) return unanswered("the address is not http or https")
      if (!isAllowed(hostOf(url))) return unanswered(AddressGuard.rejection)
      return yield* Effect.timeoutOrElse(post(message, url, now), {
        duration: Limits.answerMillis,
        orElse: () => Effect.succeed(unanswered("no answer in time"))
      })
    })
  })

/** Makes the function that sends a delivery. Secrets that can't be decrypted are treated like a rejection. */
export const sendStored = Effect.gen(function* () {
  const { send } = yield* WebhookSender
  const cipher = yield* SecretCipher.SecretCipher

  return (message: StoredMessage): Effect.Effect<WebhookAnswer> =>
    Result.match(StoredWebhook.decrypted({ cipher, place: message.place }, message.webhook), {
      onFailure: ({ message: reason }) =>
        Effect.as(Effect.logError(`A webhook is not sent: ${reason}`), { _tag: "Unanswered", reason } as const),
      onSuccess: (webhook) => send({ ...message, webhook })
    })
})

/** The header with a notification's channel: the company's id. Receivers need it to find gaps. It isn't signed. */
export const channelHeader = "x-crossdock-channel"

/** The header with the number of a notification in its channel, starting at 1. The header isn't signed. */
export const numberHeader = "x-crossdock-number"

/** The header with the id of the endpoint that an event webhook is for. Source: docs/reference/events.md#requests. */
export const endpointHeader = "x-crossdock-endpoint"

export const unanswered = (reason: string): WebhookAnswer => ({ _tag: "Unanswered", reason })

/** The URL of the receiver. It is undefined if the scheme is neither http nor https. */
export const urlOf = ({ url }: Pick<Webhook, "url">): URL | undefined => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) ? parsed : undefined
}

/** The host of a URL, without brackets. The URL parser has normalized unusual forms of IPv4 addresses. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** The secrets that are valid at `now`, in epoch milliseconds. */
export const secretsOf = ({ retiring, secret }: Webhook, now: number): ReadonlyArray<string> =>
  retiring !== null && retiring.until > now ? [secret, retiring.secret] : [secret]

/** The key in a secret. A secret consists of `whsec_` and Base64. */
export const keyTextOf = (secret: string): string => secret.replace(/^whsec_/, "")

/** The text to sign. `timestamp` is in seconds since 1970. */
export const signedText = (id: string, timestamp: number, body: string): string => `${id}.${timestamp}.${body}`

const authentication = ({ authentication: asked }: Webhook): Readonly<Record<string, string>> => {
  switch (asked.type) {
    case "none":
      return {}
    case "basic":
      return { authorization: `Basic ${Base64.encode(`${asked.username}:${asked.password}`)}` }
    case "bearer":
      return { authorization: `Bearer ${asked.token}` }
    case "header":
      return { [asked.name.toLowerCase()]: asked.value }
  }
}

/** All headers except content-length. The receiver's authentication header never replaces another. */
export const headersOf = (
  { headers, webhook, webhookId }: WebhookMessage,
  now: number,
  signature: string
): Record<string, string> => ({
  ...authentication(webhook),
  "content-type": "application/json",
  "user-agent": "crossdock",
  "webhook-id": webhookId,
  "webhook-timestamp": String(Math.floor(now / 1000)),
  "webhook-signature": signature,
  ...headers
})
