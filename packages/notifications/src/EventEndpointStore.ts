/**
 * Port: the endpoints that receive events, and their dead letters.
 */
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EndpointKey, EventDeadLetter, EventEndpoint } from "./EventEndpoint.ts"

/** An endpoint, the number of its company's last event, and how many dead letters it has. */
export interface StoredEndpoint {
  readonly endpoint: EventEndpoint
  readonly lastEvent: number
  readonly deadLetters: number
}

/**
 * Laws: of several hosts that save the endpoint that they read, one succeeds. It joins the change feed, so a storage fills
 * both.
 */
export class EventEndpointStore extends Context.Service<
  EventEndpointStore,
  {
    /**
     * The endpoints that aren't paused and have dead letters to send again, or another cursor than the number of their
     * company's last event, in no particular order. Without those whose next try is after `now`, unless by more than the
     * longest delay: such a time was written before the clock was set back. It reads only what it returns.
     */
    readonly pending: (now: number) => Effect.Effect<ReadonlyArray<EventEndpoint>, StorageError>
    /** Undefined for an unknown endpoint. */
    readonly find: (key: EndpointKey) => Effect.Effect<EventEndpoint | undefined, StorageError>
    /** The endpoints of a company by id, or of all companies by company and id. */
    readonly list: (company: CompanyId | null) => Effect.Effect<ReadonlyArray<StoredEndpoint>, StorageError>
    /** Fails with `StaleWrite` when the stored endpoint has another version (0: none is stored); else raises it by one. */
    readonly save: (endpoint: EventEndpoint) => Effect.Effect<void, StaleWrite | StorageError>
    /** At most `limit` endpoints of all companies, by company and id, after a key or from the first. */
    readonly after: (
      key: EndpointKey | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<EventEndpoint>, StorageError>
    /** Inside a transaction: the same, and no other transaction can change them until this one ends. */
    readonly lockAfter: (
      key: EndpointKey | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<EventEndpoint>, StorageError>
    /** Saves stored endpoints of which only the webhook has changed, all or none; fails as `save` does. */
    readonly saveAll: (endpoints: ReadonlyArray<EventEndpoint>) => Effect.Effect<void, StaleWrite | StorageError>
    /** Deletes the endpoint and its dead letters. Fails with `StaleWrite` when the stored one has another version. */
    readonly remove: (endpoint: EventEndpoint) => Effect.Effect<void, StaleWrite | StorageError>
    /** Stores a dead letter, in place of one with the same id. */
    readonly putDeadLetter: (letter: EventDeadLetter) => Effect.Effect<void, StorageError>
    /** The dead letters of one endpoint, oldest first. */
    readonly deadLetters: (key: EndpointKey) => Effect.Effect<ReadonlyArray<EventDeadLetter>, StorageError>
    /** Undefined for an unknown one. */
    readonly deadLetter: (key: EndpointKey, id: string) => Effect.Effect<EventDeadLetter | undefined, StorageError>
    readonly removeDeadLetter: (key: EndpointKey, id: string) => Effect.Effect<void, StorageError>
    /** Deletes at most `limit` dead letters of any endpoint from before a time, the oldest first, and returns how many. */
    readonly deleteDeadLetters: (before: number, limit: number) => Effect.Effect<number, StorageError>
    /**
     * After this no file of the storage contains the bodies that endpoints had before; outside a transaction. It may
     * rewrite them all, so it takes as long as it does.
     */
    readonly purge: Effect.Effect<void, StorageError>
  }
>()("@crossdock/notifications/EventEndpointStore") {}
