/**
 * Wakes the readers of events in one process; storages use it to fill `EventLog.watch`.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { EventLog } from "./EventLog.ts"

/**
 * The readers that watch, by company.
 */
export interface EventWatchers {
  readonly watch: typeof EventLog.Service.watch
  /** Wakes those who watch one of these companies. */
  readonly wake: (companies: Iterable<number>) => Effect.Effect<void>
  /** Wakes everybody, as when an announcement may have been lost. */
  readonly wakeAll: Effect.Effect<void>
}

/** In place of a company: all of them. */
const any = 0

export const make: Effect.Effect<EventWatchers> = Effect.sync(() => {
  const latches = new Map<number, Set<Latch.Latch>>()

  const open = (companies: Iterable<number>) => {
    for (const company of companies) for (const latch of latches.get(company) ?? []) latch.openUnsafe()
  }

  const watch = (company: CompanyId | null) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const key = company ?? any
        const latch = Latch.makeUnsafe(false)
        latches.set(key, (latches.get(key) ?? new Set()).add(latch))
        return { key, latch }
      }),
      ({ key, latch }) =>
        Effect.sync(() => {
          const others = latches.get(key)
          others?.delete(latch)
          if (others?.size === 0) latches.delete(key)
        })
    ).pipe(Effect.map(({ latch }) => Effect.andThen(latch.await, Effect.asVoid(latch.close))))

  return {
    watch,
    wake: (companies) => Effect.sync(() => open([...companies, any])),
    wakeAll: Effect.sync(() => open([...latches.keys()]))
  }
})
