/**
 * Port: sends one webhook and returns the answer.
 */
import type { StoredWebhook, Webhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as RetrySchedule from "./RetrySchedule.ts"

/**
 * One try to send a webhook.
 */
export interface WebhookMessage {
  readonly webhook: Webhook
  readonly webhookId: string
  readonly body: string
  /** What says whose it is, by the name of the header. It is not signed. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The same before its secrets are decrypted. `place` is the row that the webhook is stored in.
 */
export interface StoredMessage extends Omit<WebhookMessage, "webhook"> {
  readonly webhook: StoredWebhook.StoredWebhook
  readonly place: string
}

/**
 * Sends one webhook to one receiver.
 */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Never fails: a broken connection is an answer too. */
    readonly send: (message: WebhookMessage) => Effect.Effect<RetrySchedule.Answer>
  }
>()("@crossdock/notifications/WebhookSender") {}
