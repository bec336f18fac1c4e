/**
 * Port: the endpoints that receive events, and their dead letters.
 */
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EndpointKey, EventDeadLetter, EventEndpoint } from "./EventEndpoint.ts"

/**
 * An endpoint, and how many dead letters it has.
 */
export interface StoredEndpoint {
  readonly endpoint: EventEndpoint
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
     * company's last event; by company and id.
     */
    readonly pending: Effect.Effect<ReadonlyArray<EventEndpoint>, StorageError>
    /** Undefined for an unknown endpoint. */
    readonly find: (key: EndpointKey) => Effect.Effect<EventEndpoint | undefined, StorageError>
    /** Those of a company, by id. */
    readonly list: (company: CompanyId) => Effect.Effect<ReadonlyArray<StoredEndpoint>, StorageError>
    /** Fails with `StaleWrite` when the stored endpoint has another version (0: none is stored); else raises it by one. */
    readonly save: (endpoint: EventEndpoint) => Effect.Effect<void, StaleWrite | StorageError>
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
  }
>()("@crossdock/notifications/EventEndpointStore") {}
