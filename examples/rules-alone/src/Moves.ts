/** The table of the lifecycle as a list of moves, for the drawing and for the list of a status's moves. */
import { Lifecycle, type OperationalStatus, operationalStatuses, type Party } from "@crossdock/shipments"

/** A move out of a status. `by` is empty if the service makes the move. `conditions` are the names of guards. */
export interface Move {
  readonly from: OperationalStatus
  readonly to: OperationalStatus
  readonly kind: "operation" | "report"
  readonly name: string
  readonly by: ReadonlyArray<Party>
  readonly opensReturn: boolean
  readonly conditions: ReadonlyArray<Lifecycle.GuardId>
  readonly note: string
}

const reporters = ["seller", "marketplace"] as const

const moveOf = (
  from: OperationalStatus,
  to: OperationalStatus,
  called: Pick<Move, "kind" | "name" | "by">,
  { guards = [], note = "", opensReturn, who }: Lifecycle.MoveRule
): Move => ({
  ...{ from, to, ...called, note },
  by: who === undefined ? called.by : [who],
  opensReturn: opensReturn === true,
  conditions: guards
})

/** The moves out of a status: operations first, then reports of a status. */
export const movesFrom = (from: OperationalStatus): ReadonlyArray<Move> => {
  const { status: reports = {}, ...operations }: Lifecycle.Row = Lifecycle.transitions[from]
  return [
    ...Object.entries(operations).map(([key, move]) => {
      const { by, name } = Lifecycle.operations[key as Lifecycle.Operation]
      return moveOf(from, move.to as OperationalStatus, { kind: "operation", name, by }, move)
    }),
    ...operationalStatuses.flatMap((to) => {
      const rule = reports[to]
      return rule === undefined ? [] : [moveOf(from, to, { kind: "report", name: `status ${to}`, by: reporters }, rule)]
    })
  ]
}

/** All moves of the table. */
export const moves: ReadonlyArray<Move> = operationalStatuses.flatMap(movesFrom)
