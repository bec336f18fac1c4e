/**
 * The change feed for programs that don't use Effect: promises and asynchronous iterables.
 */
import { type CompanyEvent, Events } from "@crossdock/audit"
import type { BackgroundLoops, CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Outcome } from "./Facade.ts"

/**
 * What a group of consumers does, with a handler that returns a promise; see `Events.Consumption` of audit. A rejected
 * promise hands the same events to the handler again.
 */
export interface Consumption {
  readonly group: string
  readonly companies?: ReadonlyArray<CompanyId>
  readonly handler: (events: ReadonlyArray<CompanyEvent.CompanyEvent>) => Promise<void>
}

/** The change feed; see `Events` of audit. */
export interface EventFacade {
  readonly read: (
    company: CompanyId,
    cursor: number,
    limit: number
  ) => Promise<Outcome<ReadonlyArray<CompanyEvent.CompanyEvent>, Events.CursorOutOfRange | StorageError>>
  /** Waits for more events and ends with its loop. It throws `CursorOutOfRange`. */
  readonly after: (company: CompanyId, cursor: number) => AsyncIterable<CompanyEvent.CompanyEvent>
  /** Handles events until the host is disposed of or the returned function is called. */
  readonly consume: (consumption: Consumption) => () => Promise<void>
  readonly cursor: (group: string, company: CompanyId) => Promise<Outcome<number, StorageError>>
  readonly setCursor: (group: string, company: CompanyId, cursor: number) => Promise<Outcome<void, StorageError>>
}

type Needs = Events.Events | BackgroundLoops.BackgroundLoops

/**
 * The façade on the services in `context`; consumers end with the scope. `settle` runs an effect to its outcome, and `outside`
 * dies inside of a transaction.
 */
export const make = (
  context: Context.Context<Needs>,
  scope: Scope.Scope,
  outside: Effect.Effect<void>,
  settle: <A, E>(effect: Effect.Effect<A, E>) => Promise<Outcome<A, E>>
): EventFacade => {
  const events = Context.get(context, Events.Events)
  return {
    read: (company, cursor, limit) => settle(events.read(company, cursor, limit)),
    after: (company, cursor) =>
      Stream.toAsyncIterable(Stream.unwrap(Effect.as(outside, events.after(company, cursor)))),
    consume: ({ companies = null, group, handler }) => {
      const consuming = events.consume({
        group,
        companies,
        handler: (some) => Effect.tryPromise({ try: () => handler(some), catch: (error) => error })
      })
      const fiber = Effect.runSyncWith(context)(Effect.forkIn(consuming, scope))
      return () => Effect.runPromise(Fiber.interrupt(fiber)).then(() => undefined)
    },
    cursor: (group, company) => settle(events.cursor(group, company)),
    setCursor: (group, company, cursor) => settle(events.setCursor(group, company, cursor))
  }
}
