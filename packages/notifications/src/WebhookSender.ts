/**
 * Port: sends one webhook and returns the answer. `sendStored` is the one place where the secrets of a webhook are decrypted
 * to be used.
 */
import { SecretCipher } from "@crossdock/kernel"
import { StoredWebhook, type Webhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as RetrySchedule from "./RetrySchedule.ts"

/** One try to send a webhook. */
export interface WebhookMessage {
  readonly webhook: Webhook
  readonly webhookId: string
  readonly body: string
  /** What says whose it is, by the name of the header. It is not signed. */
  readonly headers: Readonly<Record<string, string>>
}

/** The same before its secrets are decrypted. `place` is the row that the webhook is stored in. */
export interface StoredMessage extends Omit<WebhookMessage, "webhook"> {
  readonly webhook: StoredWebhook.StoredWebhook
  readonly place: string
}

/** Sends one webhook to one receiver. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Never fails: a broken connection is an answer too. */
    readonly send: (message: WebhookMessage) => Effect.Effect<RetrySchedule.Answer>
  }
>()("@crossdock/notifications/WebhookSender") {}

/**
 * Makes the function that sends a delivery and returns the answer, which the caller settles. A webhook whose secrets can't be
 * decrypted is not sent, which counts as a rejection: its delivery is tried again, and others go on.
 */
export const sendStored = Effect.gen(function* () {
  const { send } = yield* WebhookSender
  const cipher = yield* SecretCipher.SecretCipher

  return (message: StoredMessage): Effect.Effect<RetrySchedule.Answer> =>
    Result.match(StoredWebhook.decrypted({ cipher, place: message.place }, message.webhook), {
      onFailure: ({ message: reason }) =>
        Effect.as(Effect.logError(`A webhook is not sent: ${reason}`), { _tag: "Unanswered", reason } as const),
      onSuccess: (webhook) => send({ ...message, webhook })
    })
})
