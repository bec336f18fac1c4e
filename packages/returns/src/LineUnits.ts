/**
 * Where the units of a line are: ordered, cancelled, back and checked, or still to come.
 */
import { unitsByItem } from "./Portion.ts"

/**
 * `good` units came back and passed quality check, `bad` ones failed it. Never more than `ordered − cancelled` together.
 */
export interface LineUnits {
  readonly id: string
  readonly ordered: number
  readonly cancelled: number
  readonly good: number
  readonly bad: number
}

/**
 * Units left after cancellations.
 */
export const unitsLeft = ({ cancelled, ordered }: Pick<LineUnits, "ordered" | "cancelled">): number =>
  ordered - cancelled

/**
 * Units that are neither cancelled nor settled by quality check.
 */
export const unitsUnsettled = (line: LineUnits): number => unitsLeft(line) - line.good - line.bad

/**
 * Units of each delivered line that may still come back: those that no return has yet, by the line's id. `returned` are
 * the lines of all its returns, open or closed; a return's line has the id of the line it comes from.
 */
export const returnableUnits = (
  delivered: ReadonlyArray<Pick<LineUnits, "id" | "ordered" | "cancelled">>,
  returned: ReadonlyArray<Pick<LineUnits, "id" | "ordered">>
): ReadonlyMap<string, number> => {
  const taken = unitsByItem(returned.map(({ id, ordered }) => ({ itemId: id, quantity: ordered })))
  return new Map(delivered.map((line) => [line.id, unitsLeft(line) - (taken.get(line.id) ?? 0)]))
}
