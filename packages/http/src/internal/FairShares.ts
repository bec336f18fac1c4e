/** Rotates among lines of requests, so a flood delays others little. Source: docs/reference/host.md#limits. */
import * as Effect from "effect/Effect"
import { MixedScheduler } from "effect/Scheduler"

interface Line {
  readonly most: number
  inWork: number
  readonly waiting: Set<() => void>
}

/** Milliseconds of requests in one turn of the event loop, which SQLite's requests would not interrupt. */
const turnMillis = 2

/**
 * At most `most` requests of a line run at once, `mostWrites` of a line of writes. `leave` gets the function that ends
 * a turn.
 */
export const make = (most: number, mostWrites = most) => {
  const lines = new Map<string, Line>()
  const loop = new MixedScheduler().makeDispatcher()
  let isScheduled = false

  const next = (): (() => void) | undefined => {
    for (const [name, line] of lines) {
      const [start] = line.waiting
      if (start === undefined || line.inWork >= line.most) continue
      line.waiting.delete(start)
      // The others come first now.
      lines.delete(name)
      lines.set(name, line)
      return start
    }
    return undefined
  }

  /** Starts requests until this turn of the event loop is over. After it a request starts at once if nothing is scheduled. */
  const work = () => {
    const until = performance.now() + turnMillis
    isScheduled = false
    for (let start = next(); start !== undefined; start = next()) {
      start()
      if (performance.now() >= until) return schedule()
    }
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    loop.scheduleTask(work, 0)
  }

  const end = (name: string, line: Line) => {
    line.inWork--
    if (line.waiting.size > 0) schedule()
    else if (line.inWork === 0) lines.delete(name)
  }

  const enter = (name: string, leave: Array<() => void>, isOfWrites: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const line = lines.get(name) ?? { most: isOfWrites ? mostWrites : most, inWork: 0, waiting: new Set() }
      lines.set(name, line)
      const begin = () => {
        line.inWork++
        leave.push(() => end(name, line))
      }
      if (!isScheduled && line.inWork < line.most && line.waiting.size === 0) {
        schedule()
        begin()
        return Effect.void
      }
      return Effect.callback((resume) => {
        const start = () => {
          begin()
          resume(Effect.void)
        }
        line.waiting.add(start)
        if (line.inWork < line.most) schedule()
        return Effect.sync(() => {
          line.waiting.delete(start)
          if (line.inWork === 0 && line.waiting.size === 0) lines.delete(name)
        })
      })
    })

  return { enter, size: () => lines.size }
}
