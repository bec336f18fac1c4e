/**
 * A number of units of one line.
 */
export interface Portion {
  readonly itemId: string
  readonly quantity: number
}

/**
 * The units that portions name, in total for each line.
 */
export const unitsByItem = (portions: ReadonlyArray<Portion>): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { itemId, quantity } of portions) units.set(itemId, (units.get(itemId) ?? 0) + quantity)
  return units
}
