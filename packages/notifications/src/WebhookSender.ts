/**
 * Port: sends one notification and says what came of it.
 */
import type { Webhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as RetrySchedule from "./RetrySchedule.ts"

/**
 * One try at one address.
 */
export interface WebhookMessage {
  readonly webhook: Webhook
  readonly webhookId: string
  readonly body: string
  readonly companyId: number
  /** Counts the notifications of this company to this marketplace from 1. */
  readonly number: number
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Never fails: whatever happens is an answer. */
    readonly send: (message: WebhookMessage) => Effect.Effect<RetrySchedule.Answer>
  }
>()("@crossdock/notifications/WebhookSender") {}
