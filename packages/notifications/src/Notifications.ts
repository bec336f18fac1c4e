/**
 * Use cases: notify marketplaces of stock. The service itself sends nothing: a worker asks which channels are due, begins a
 * delivery, sends it outside of any transaction, and settles it with the answer. Source: docs/reference/notifications.md.
 */
import type { Caller } from "@crossdock/access"
import type { AuditChain, AuditLog, CompanyWrite } from "@crossdock/audit"
import type { StockLevels } from "@crossdock/inventory"
import type { CompanyId, Ids, StaleWrite, StorageError, Transaction } from "@crossdock/kernel"
import { type Marketplace, type MarketplaceStore, StockResend } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Delivery, Settlement } from "./internal/Deliveries.ts"
import * as Deliveries from "./internal/Deliveries.ts"
import * as DueChannels from "./internal/DueChannels.ts"
import * as NextNotification from "./internal/NextNotification.ts"
import type { Progress } from "./internal/NotificationProgress.ts"
import * as NotificationProgress from "./internal/NotificationProgress.ts"
import * as QuietChannels from "./internal/QuietChannels.ts"
import * as Resend from "./internal/Resend.ts"
import type * as Channel from "./NotificationChannel.ts"
import type { NotificationStore } from "./NotificationStore.ts"
import type { Answer } from "./RetrySchedule.ts"

export type { Delivery, Progress, Settlement }

/**
 * Notifies marketplaces of stock: pending deliveries, their results, and resending.
 */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** The channels that may have something to send now and that no host works on. */
    readonly due: Effect.Effect<ReadonlyArray<Channel.ChannelKey>, StorageError>
    /**
     * Claims the channel for 15 s and returns what to send: the present stock after the cursor, at most 500 events by
     * rising sequence. Undefined when nothing is pending, the next try is not due, or another host was faster.
     */
    readonly begin: (key: Channel.ChannelKey) => Effect.Effect<Delivery | undefined, StorageError>
    /** Stores the outcome of a delivery and releases the channel. */
    readonly settle: (delivery: Delivery, answer: Answer) => Effect.Effect<Settlement, StorageError>
    /** Releases the channel when the host stops before an answer came. */
    readonly release: (delivery: Delivery) => Effect.Effect<void, StorageError>
    /** The dead letters of one marketplace, oldest first. */
    readonly deadLetters: (marketplace: string) => Effect.Effect<ReadonlyArray<Channel.DeadLetter>, StorageError>
    /**
     * Sends a dead letter again, with the present quantities, before anything else of its channel. False when no dead
     * letter has this id.
     */
    readonly resend: (caller: Caller, key: Channel.ChannelKey, id: string) => Effect.Effect<boolean, StorageError>
    /**
     * Sends the marketplace everything that it sells of these companies again, under new sequences, so that a receiver that
     * lost its data, or receives a location for the first time, has the right quantities. The same goes after the database
     * was replaced by an older copy: a SKU that the receiver then still has under a sequence below `sequencesFrom` is not
     * in stock. Source: docs/reference/notifications.md#reconcile.
     */
    readonly reconcile: (
      caller: Caller,
      marketplace: string,
      companies: ReadonlyArray<CompanyId>
    ) => Effect.Effect<void, StorageError>
    /** The same for one company, as a part of another change. */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /** Makes rejected notifications due at once. */
    readonly wake: (caller: Caller, marketplace: string) => Effect.Effect<void, StorageError>
    /** How far the marketplace has been notified, for each of its companies. */
    readonly progress: (marketplace: Marketplace) => Effect.Effect<ReadonlyArray<Progress>, StorageError>
  }
>()("@crossdock/notifications/Notifications") {}

/**
 * `Notifications`, the service that finds, hands out and settles deliveries, made from its storage ports, `CompanyWrite`,
 * `Transaction`, `AuditChain.Digest` and `Ids`.
 */
export const make = Effect.gen(function* () {
  const quiet = yield* QuietChannels.make
  const next = yield* NextNotification.make(quiet)
  const due = yield* DueChannels.make(quiet)
  const { begin, release, settle } = yield* Deliveries.make(next)
  const { deadLetters, reconcile, resend, restart, wake } = yield* Resend.make
  const progress = yield* NotificationProgress.make(next)
  return Notifications.of({
    due,
    begin,
    settle,
    release,
    deadLetters,
    resend,
    reconcile,
    restart,
    wake,
    progress
  })
})

/**
 * Provides `Notifications`, and the port `StockResend` of marketplaces. Requires the ports that it reads and writes
 * (`NotificationStore`, `MarketplaceStore`, `StockLevels`, `AuditLog`), `CompanyWrite`, `Transaction`, `AuditChain.Digest` and `Ids`.
 */
export const layer: Layer.Layer<
  Notifications | StockResend,
  never,
  | MarketplaceStore
  | CompanyWrite.CompanyWrite
  | StockLevels
  | NotificationStore
  | AuditLog
  | Transaction.Transaction
  | AuditChain.Digest
  | Ids.Ids
> = Layer.effect(
  StockResend,
  Effect.map(Notifications, ({ restart }) => ({ restart }))
).pipe(Layer.provideMerge(Layer.effect(Notifications, make)))
