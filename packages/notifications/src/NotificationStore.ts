/**
 * Port: how far each marketplace has been told, and what could not be told.
 */
import type { StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Channel, ChannelKey, DeadLetter } from "./NotificationChannel.ts"

/**
 * Laws: what was written is read back equal; of several that save what they read, one wins and the others fail with
 * `StaleWrite`; a dead letter is taken once.
 */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /** Every channel that was ever saved, by company, then marketplace. */
    readonly channels: Effect.Effect<ReadonlyArray<Channel>, StorageError>
    readonly find: (key: ChannelKey) => Effect.Effect<Channel | undefined, StorageError>
    /** Fails with `StaleWrite` when the stored channel has another version (0: none is stored); else raises it by one. */
    readonly save: (channel: Channel) => Effect.Effect<void, StaleWrite | StorageError>
    readonly bury: (letter: DeadLetter) => Effect.Effect<void, StorageError>
    /** Those of one marketplace, oldest first. */
    readonly deadLetters: (marketplace: string) => Effect.Effect<ReadonlyArray<DeadLetter>, StorageError>
    /** Removes a dead letter and answers it; undefined when there is none, or somebody else has it. */
    readonly takeDeadLetter: (key: ChannelKey, id: string) => Effect.Effect<DeadLetter | undefined, StorageError>
  }
>()("@crossdock/notifications/NotificationStore") {}
