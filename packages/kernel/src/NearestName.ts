/**
 * Finds the name that a misspelt one was probably meant to be.
 */

/** How many letters may be wrong. */
const farthest = 2

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "")

/**
 * How many letters must be added, removed or replaced to turn one text into the other.
 */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [y, letter] of [...from].entries()) {
    const next = [y + 1]
    for (const [x, other] of [...to].entries()) {
      const replaced = (row[x] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[x + 1] ?? 0) + 1, (next[x] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/**
 * The name that is most like `sent`, without regard to case, `_` and `-`; undefined when none is like it.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { nearestName } from "@crossdock/kernel"
 *
 * const types = ["shipment.moved", "order.placed"]
 * deepStrictEqual(["shipment.move", "Shipment.Moved", "refund"].map((sent) => nearestName(types, sent)), [
 *   "shipment.moved",
 *   "shipment.moved",
 *   undefined
 * ])
 * ```
 */
export const nearestName = (names: ReadonlyArray<string>, sent: string): string | undefined => {
  const wanted = plain(sent)
  const found = names
    .filter((name) => Math.abs(plain(name).length - wanted.length) <= farthest)
    .map((name) => ({ name, off: distance(wanted, plain(name)) }))
    .filter(({ name, off }) => off <= farthest && off < plain(name).length / 2)
    .sort((a, b) => a.off - b.off)
  return found[0]?.name
}
