/** The lifecycle of a host: a table of moves, with the statuses and guards that the host adds. */
import { frozen } from "@crossdock/kernel"
import type { OwnReason } from "@crossdock/returns"
import { type Facts, noFacts, type OwnGuard } from "./OwnGuard.ts"
import type { OperationFamily } from "./Rejection.ts"
import { type AddedStatus, type AnyStatus, operationalStatuses } from "./ShipmentStatus.ts"
import { type Row, transitions } from "./Transitions.ts"

/** The lifecycle by which shipments are moved. */
export interface Table {
  /** Ours, then the added ones. */
  readonly statuses: ReadonlyArray<AnyStatus>
  readonly added: Readonly<Record<string, AddedStatus>>
  /** The moves out of each status. */
  readonly rows: Readonly<Record<string, Row>>
  readonly guards: ReadonlyArray<OwnGuard>
  /** The host's reasons of quality checks and cancellations. */
  readonly reasons: ReadonlyArray<OwnReason>
  /** The guards of each move that has any. */
  readonly guardsOf: Readonly<Record<string, ReadonlyArray<OwnGuard>>>
  /** The families of operations that may change stock levels. */
  readonly movesStock: ReadonlyArray<OperationFamily>
  /** The statuses that are reported of returns alone. */
  readonly returnStatuses: ReadonlyArray<string>
}

/** What a decision goes by, besides the shipment. `at` is the time in epoch milliseconds. */
export interface Rules {
  readonly lifecycle: Table
  readonly facts: Facts
  readonly at: number
}

/** Our lifecycle. */
export const standard: Table = /* @__PURE__ */ frozen({
  statuses: operationalStatuses,
  added: {},
  rows: transitions,
  guards: [],
  reasons: [],
  guardsOf: {},
  movesStock: ["status", "cancel", "dispatch", "awb", "return"],
  returnStatuses: ["return_dp_assigned", "return_bag_in_transit", "return_bag_delivered"]
})

/** The rules of our lifecycle. */
export const standardRules: Rules = { lifecycle: standard, facts: noFacts, at: 0 }
