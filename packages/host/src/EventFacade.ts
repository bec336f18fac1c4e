/** The change feed as plain asynchronous functions. */
import { type CompanyEvent, EventConsumer, Events } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ApplicationTransaction } from "./ApplicationTransaction.ts"
import { abortable, type CallOptions, type Promised, promised, type Settle } from "./Facade.ts"
import type { Services } from "./Services.ts"

type SomeEvents = ReadonlyArray<CompanyEvent.CompanyEvent>

/**
 * A consumer of the feed. If its handler rejects, it receives the same events again. With `inTransaction`, its writes on
 * `tx` are committed together with the group's cursor, so each event is handled exactly once.
 */
export type Consumption = { readonly group: string; readonly companies?: ReadonlyArray<CompanyId> } & (
  | { readonly inTransaction?: false; readonly handler: (events: SomeEvents) => Promise<void> }
  | {
      readonly inTransaction: true
      readonly handler: (events: SomeEvents, tx: ApplicationTransaction) => Promise<void>
    }
)

type Reads = Promised<Pick<Events.Events["Service"], "read" | "cursor" | "setCursor">>

/** The change feed as plain asynchronous functions. See `Events` of audit. */
export interface EventFacade extends Reads {
  /** Yields the events after the cursor, and then waits for new ones. Throws `CursorOutOfRange` or the abort's reason. */
  readonly after: (
    company: CompanyId,
    cursor: number,
    options?: CallOptions
  ) => AsyncIterable<CompanyEvent.CompanyEvent>
  /** Handles events until the host is disposed of or until the returned function is called. */
  readonly consume: (consumption: Consumption) => () => Promise<void>
}

/** Runs a handler. A promise can't be interrupted, so an interrupted consumer waits for the end of the handler or claim. */
const awaited = (handler: () => Promise<void>) =>
  Effect.suspend(() => {
    const running = Promise.resolve().then(handler)
    const settled = Effect.promise(() => running.catch(() => undefined))
    return Effect.tryPromise({ try: () => running, catch: (error) => error }).pipe(
      Effect.onInterrupt(() => Effect.timeoutOption(settled, EventConsumer.claimMillis - EventConsumer.handlerMillis))
    )
  })

/** Yields items until `isOver` returns true. It ends at once, even if more items have been read ahead. */
async function* until<A>(isOver: () => boolean, all: AsyncIterable<A>): AsyncIterable<A> {
  for await (const one of all) {
    if (isOver()) return
    yield one
  }
}

/** Makes the façade. Consumers end with the scope, and loops with `disposal`. `outside` dies where calls aren't allowed. */
export const make = (
  context: Context.Context<Services>,
  scope: Scope.Scope,
  outside: Effect.Effect<void>,
  disposal: Deferred.Deferred<void>,
  settle: Settle,
  joining: (work: (tx: ApplicationTransaction) => Promise<void>) => Effect.Effect<void, unknown, Services>
): EventFacade => {
  const events = Context.get(context, Events.Events)
  const { cursor, read, setCursor } = events
  const [disposed, isDisposed] = [Deferred.await(disposal), () => Deferred.isDoneUnsafe(disposal)]
  return {
    ...(promised({ read, cursor, setCursor }, settle, outside) as Reads),
    after: (company, cursor, options) =>
      until(
        isDisposed,
        Stream.unwrap(Effect.as(abortable(outside, options), events.after(company, cursor))).pipe(
          Stream.interruptWhen(abortable(disposed, options)),
          Stream.toAsyncIterable
        )
      ),
    consume: ({ companies = null, group, ...how }) => {
      const handler = (some: SomeEvents) =>
        how.inTransaction === true ? joining((tx) => how.handler(some, tx)) : awaited(() => how.handler(some))
      const consuming = events.consume({ group, companies, handler, inTransaction: how.inTransaction === true })
      const fiber = Effect.runSyncWith(context)(Effect.andThen(outside, Effect.forkIn(consuming, scope)))
      return () => Effect.runPromise(Fiber.interrupt(fiber)).then(() => undefined)
    }
  }
}
