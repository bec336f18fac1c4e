/** Counts units of portions, and the remaining, unchecked or returnable units of a line. */

/** The units of a line. `good` passed the check and `bad` failed it. Together, they are at most `ordered − cancelled`. */
export interface LineUnits {
  readonly id: string
  readonly ordered: number
  readonly cancelled: number
  readonly good: number
  readonly bad: number
}

export const unitsLeft = ({ cancelled, ordered }: Pick<LineUnits, "ordered" | "cancelled">): number =>
  ordered - cancelled

/** The number of units that are neither cancelled nor checked. */
export const unitsUnsettled = (line: LineUnits): number => unitsLeft(line) - line.good - line.bad

/**
 * The units of each delivered line that aren't in any return yet, by the line's id. `returns` are all returns of the
 * shipment, open or closed. Source: docs/reference/returns.md#opening.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { returnableUnits } from "@crossdock/returns"
 *
 * const units = returnableUnits([{ id: "1", ordered: 5, cancelled: 1 }], [{ items: [{ id: "1", ordered: 2 }] }])
 * deepStrictEqual(units, new Map([["1", 2]]))
 * ```
 */
export const returnableUnits = (
  delivered: ReadonlyArray<Pick<LineUnits, "id" | "ordered" | "cancelled">>,
  returns: ReadonlyArray<{ readonly items: ReadonlyArray<Pick<LineUnits, "id" | "ordered">> }>
): ReadonlyMap<string, number> => {
  const returned = unitsByItem(
    returns.flatMap(({ items }) => items.map(({ id, ordered }) => ({ itemId: id, quantity: ordered })))
  )
  return new Map(delivered.map((line) => [line.id, unitsLeft(line) - (returned.get(line.id) ?? 0)]))
}

/** A number of units of one line. */
export interface Portion {
  readonly itemId: string
  readonly quantity: number
}

/** The number of units that all portions of a line have together, by the line's id. */
export const unitsByItem = (portions: ReadonlyArray<Portion>): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { itemId, quantity } of portions) units.set(itemId, (units.get(itemId) ?? 0) + quantity)
  return units
}
