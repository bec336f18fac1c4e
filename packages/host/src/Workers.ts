/** A host's background work by name: as loops, or one pass for a host that a timer wakes. */
import { BillingWorker } from "@crossdock/billing"
import { Idempotency } from "@crossdock/kernel"
import { EventWebhookWorker, type WebhookSender, WebhookWorker } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Services } from "./Services.ts"

export type WorkerName = "notifications" | "eventWebhooks" | "billing" | "idempotency"

const workers = {
  notifications: {
    layer: WebhookWorker.layer(),
    once: WebhookWorker.once,
    without: "marketplaces are not notified of stock"
  },
  eventWebhooks: {
    layer: EventWebhookWorker.layer,
    once: EventWebhookWorker.once,
    without: "endpoints receive no events"
  },
  billing: { layer: BillingWorker.layer(), once: BillingWorker.once, without: "nothing is billed or collected" },
  idempotency: {
    layer: Idempotency.worker,
    once: Idempotency.forgetExpired,
    without: "answers of Idempotency-Keys are never deleted"
  }
} satisfies Readonly<Record<WorkerName, unknown>>

/** Runs every worker until the scope ends. */
export const layer: Layer.Layer<never, never, Services | WebhookSender> = Layer.mergeAll(
  workers.notifications.layer,
  workers.eventWebhooks.layer,
  workers.billing.layer,
  workers.idempotency.layer
)

/** Runs each worker once, in turn. Returns their failures, which are logged and retried. */
export const once: Effect.Effect<
  Readonly<Record<WorkerName, ReadonlyArray<string>>>,
  never,
  Services | WebhookSender
> = Effect.gen(function* () {
  return {
    notifications: yield* workers.notifications.once,
    eventWebhooks: yield* workers.eventWebhooks.once,
    billing: yield* workers.billing.once,
    idempotency: yield* workers.idempotency.once
  }
})

/** A log line for a host without workers: the missing background work. */
export const withoutWorkers = `No background work runs in this host: ${Object.entries(workers)
  .map(([name, { without }]) => `without ${name}, ${without}`)
  .join("; ")}. Call runWorkers() here or in another host, or once() regularly.`
