/**
 * What every sender does alike: where a webhook goes, and with which headers.
 */
import type { Webhook } from "@crossdock/marketplaces"
import * as Base64 from "effect/encoding/Base64"
import type * as RetrySchedule from "./RetrySchedule.ts"
import type { WebhookMessage } from "./WebhookSender.ts"

/**
 * The header with a notification's channel, which is a seller's company. It is not signed and only serves to find gaps:
 * which stock is kept never depends on it. Source: docs/reference/notifications.md#headers.
 */
export const channelHeader = "x-crossdock-channel"

/** The header with the notification's number in its channel, from 1. It is not signed either. */
export const numberHeader = "x-crossdock-number"

/**
 * The header with the id of the endpoint that a webhook of events is for. Source: docs/reference/events.md#requests.
 */
export const endpointHeader = "x-crossdock-endpoint"

export const unanswered = (reason: string): RetrySchedule.Answer => ({ _tag: "Unanswered", reason })

/** The receiver's URL; undefined when it is not one of http or https. */
export const urlOf = ({ url }: Pick<Webhook, "url">): URL | undefined => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) ? parsed : undefined
}

/** The host of a URL without brackets. The URL parser has already normalized unusual forms of IPv4. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** The secrets that are valid at `now`, in epoch milliseconds. */
export const secretsOf = ({ retiring, secret }: Webhook, now: number): ReadonlyArray<string> =>
  retiring !== null && retiring.until > now ? [secret, retiring.secret] : [secret]

/** The key that a secret, `whsec_` and base64, is the text of. */
export const keyTextOf = (secret: string): string => secret.replace(/^whsec_/, "")

/** What is signed. `timestamp` is in seconds since 1970. */
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

/** The headers but for the body's length. The receiver's own never take the place of ours. */
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
