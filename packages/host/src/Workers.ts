/** The background work of a host, by name: as loops, or once for a host that a timer wakes. */
import { BillingWorker } from "@crossdock/billing"
import { Idempotency } from "@crossdock/kernel"
import { EventWebhookWorker, type WebhookSender, WebhookWorker } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Services } from "./Services.ts"

export type WorkerName = "notifications" | "eventWebhooks" | "billing" | "idempotency"

/** Each worker, and what a host without it lacks. */
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

/** Every worker, until the layer's scope ends. */
export const layer: Layer.Layer<never, never, Services | WebhookSender> = Layer.mergeAll(
  workers.notifications.layer,
  workers.eventWebhooks.layer,
  workers.billing.layer,
  workers.idempotency.layer
)

/** Runs every worker once, one after the other. Returns their failures, which were logged and are retried. */
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

/** A sentence for the log of a host without workers: the missing background work. */
export const withoutWorkers = `No background work runs in this host: ${Object.entries(workers)
  .map(([name, { without }]) => `without ${name}, ${without}`)
  .join("; ")}. Call runWorkers() here or in another host, or once() regularly.`
