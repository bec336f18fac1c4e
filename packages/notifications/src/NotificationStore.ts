/**
 * Port: the channels of notifications, and dead letters.
 */
import type { StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Channel, ChannelKey, DeadLetter } from "./NotificationChannel.ts"

/**
 * Port: channels and dead letters. What was written is read back equal. Of several hosts that save the channel they read,
 * one succeeds and the others fail with `StaleWrite`. A dead letter is taken once.
 */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /** Every channel that was ever saved, by company, then marketplace. */
    readonly channels: Effect.Effect<ReadonlyArray<Channel>, StorageError>
    /** Undefined for a channel that was never saved. */
    readonly find: (key: ChannelKey) => Effect.Effect<Channel | undefined, StorageError>
    /** Fails with `StaleWrite` when the stored channel has another version (0: none is stored); else raises it by one. */
    readonly save: (channel: Channel) => Effect.Effect<void, StaleWrite | StorageError>
    /** Stores a dead letter. */
    readonly addDeadLetter: (letter: DeadLetter) => Effect.Effect<void, StorageError>
    /** The dead letters of one marketplace, oldest first. */
    readonly deadLetters: (marketplace: string) => Effect.Effect<ReadonlyArray<DeadLetter>, StorageError>
    /** Deletes a dead letter and returns it; undefined when it does not exist or another host took it. */
    readonly takeDeadLetter: (key: ChannelKey, id: string) => Effect.Effect<DeadLetter | undefined, StorageError>
    /** Deletes at most `limit` dead letters of any channel from before a time, the oldest first, and returns how many. */
    readonly deleteDeadLetters: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/notifications/NotificationStore") {}
