/**
 * Log lines of what may come in floods: one a second of each kind, with the number of those that were left out before it.
 */

/** Whether to write a line, and how many of its kind were left out since the last one. */
export type Sample = { readonly isWritten: false } | { readonly isWritten: true; readonly leftOut: number }

const millis = 1_000

/** Kinds that are known at once: the oldest is forgotten first. */
const mostKinds = 1_000

/** Keeps what was written last. `now` is in epoch milliseconds. */
export const make = () => {
  const kinds = new Map<string, { readonly at: number; leftOut: number }>()
  return (kind: string, now: number): Sample => {
    const last = kinds.get(kind)
    if (last !== undefined && Math.abs(now - last.at) < millis) {
      last.leftOut++
      return { isWritten: false }
    }
    kinds.delete(kind)
    kinds.set(kind, { at: now, leftOut: 0 })
    const [oldest] = kinds.keys()
    if (kinds.size > mostKinds && oldest !== undefined) kinds.delete(oldest)
    return { isWritten: true, leftOut: last?.leftOut ?? 0 }
  }
}
