/**
 * A number of units of one line.
 */
export interface Portion {
  readonly itemId: string
  readonly quantity: number
}

/**
 * The total of the portions of each line, by the line's id.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { unitsByItem } from "@crossdock/returns"
 *
 * const portions = [{ itemId: "a", quantity: 2 }, { itemId: "a", quantity: 1 }]
 * deepStrictEqual([...unitsByItem(portions)], [["a", 3]])
 * ```
 */
export const unitsByItem = (portions: ReadonlyArray<Portion>): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { itemId, quantity } of portions) units.set(itemId, (units.get(itemId) ?? 0) + quantity)
  return units
}
