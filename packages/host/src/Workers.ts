/** The background work of a host, by name. It runs as loops, or as a single pass for a host that a timer wakes. */
import { BillingWorker } from "@crossdock/billing"
import { Idempotency } from "@crossdock/kernel"
import { EventWebhookWorker, type WebhookSender, WebhookWorker } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import type { Services } from "./Services.ts"

/** The name of a kind of background work. */
export type WorkerName = "notifications" | "eventWebhooks" | "billing" | "idempotency"

/** Background work as a loop and as a single pass. `without` says what a host lacks if the work doesn't run. */
interface Worker {
  readonly layer: Layer.Layer<never, never, Services | WebhookSender>
  readonly once: Effect.Effect<ReadonlyArray<string>, never, Services | WebhookSender>
  readonly without: string
}

const workers: Readonly<Record<WorkerName, Worker>> = {
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
}

/** Runs all workers until the scope ends. */
export const layer: Worker["layer"] = Layer.mergeAll(Layer.empty, ...Object.values(workers).map(({ layer }) => layer))

/** Runs each worker once, one after the other. It returns their failures, which are also logged and retried. */
export const once: Effect.Effect<
  Readonly<Record<WorkerName, ReadonlyArray<string>>>,
  never,
  Services | WebhookSender
> = Effect.all(Record.map(workers, ({ once }) => once))

/** A log line for a host without workers. It lists the missing background work. */
export const withoutWorkers = `No background work runs in this host: ${Object.entries(workers)
  .map(([name, { without }]) => `without ${name}, ${without}`)
  .join("; ")}. Call runWorkers() here or in another host, or once() regularly.`
