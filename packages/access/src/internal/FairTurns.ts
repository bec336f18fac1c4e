/**
 * Turns of a slow work that is done one at a time, in rotation among those who wait: one who sends a lot of work delays the
 * others by one turn only.
 */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"

/**
 * `most` and `mostOfOne` bound the works that are done or wait, in all and of one who sends them.
 */
export const make = ({ max, maxPerKey }: { readonly max: number; readonly maxPerKey: number }) => {
  const turn = Semaphore.makeUnsafe(1)
  // Of each sender at most one work waits for the turn itself, which makes the turns rotate.
  const senders = new Map<string, { works: number; readonly own: Semaphore.Semaphore }>()
  let works = 0

  /** Does the work in its turn; `None` when too many wait. */
  return <A, E, R>(sender: string, work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.suspend(() => {
      const line = senders.get(sender) ?? { works: 0, own: Semaphore.makeUnsafe(1) }
      if (works >= max || line.works >= maxPerKey) return Effect.succeedNone
      senders.set(sender, line)
      line.works++
      works++
      const leave = Effect.sync(() => {
        works--
        line.works--
        if (line.works === 0) senders.delete(sender)
      })
      return line.own.withPermit(turn.withPermit(work)).pipe(Effect.asSome, Effect.ensuring(leave))
    })
}
