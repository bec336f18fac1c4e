/**
 * Use case: send what a service has begun to deliver. The one place where the secrets of a webhook are decrypted to be used.
 */
import { SecretCipher } from "@crossdock/kernel"
import { StoredWebhook } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { unanswered } from "./internal/WebhookRequest.ts"
import { type StoredMessage, WebhookSender } from "./WebhookSender.ts"

/**
 * Makes the function that sends a delivery and returns the answer, which the caller settles. A webhook whose secrets can't be
 * decrypted is not sent, which counts as a rejection: its delivery is tried again, and others go on.
 */
export const make = Effect.gen(function* () {
  const { send } = yield* WebhookSender
  const cipher = yield* SecretCipher.SecretCipher

  return (message: StoredMessage) =>
    Result.match(StoredWebhook.decrypted({ cipher, place: message.place }, message.webhook), {
      onFailure: ({ message: why }) => Effect.as(Effect.logError(`A webhook is not sent: ${why}`), unanswered(why)),
      onSuccess: (webhook) => send({ ...message, webhook })
    })
})
