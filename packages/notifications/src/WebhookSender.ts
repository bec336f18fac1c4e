/**
 * Port: sends one notification and returns the answer.
 */
import type { Webhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as RetrySchedule from "./RetrySchedule.ts"

/**
 * One try to send a notification.
 */
export interface WebhookMessage {
  readonly webhook: Webhook
  readonly webhookId: string
  readonly body: string
  readonly companyId: number
  /** The number of the notification from this company to this marketplace, from 1. */
  readonly number: number
}

/**
 * Sends one notification to one receiver.
 */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Never fails: a broken connection is an answer too. */
    readonly send: (message: WebhookMessage) => Effect.Effect<RetrySchedule.Answer>
  }
>()("@crossdock/notifications/WebhookSender") {}
