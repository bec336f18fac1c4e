/** The lifecycle as data, for the rules, the documents and a host's changes. Source: docs/reference/lifecycle.md#moves. */
import { frozen } from "@crossdock/kernel"
import type { OwnReason } from "@crossdock/returns"
import { type Facts, type GuardId, noFacts, type OwnGuard } from "./Guards.ts"
import type { Operation, OperationFamily } from "./Operations.ts"
import type { Party, Shipment } from "./Shipment.ts"
import { type AddedStatus, type AnyStatus, type OperationalStatus, operationalStatuses } from "./ShipmentStatus.ts"

/** The conditions of a move. If `who` is present, only this party may make it. A rejection names the first unmet guard. */
export interface MoveRule {
  readonly who?: Party
  readonly guards?: ReadonlyArray<GuardId>
  /** True if `InitiateReturn` makes a new shipment with this status. No existing shipment gets the status. */
  readonly opensReturn?: true
  /** A remark for the table in the documentation. */
  readonly note?: string
}

/** An allowed move: its rule and its target status. */
export interface Move extends MoveRule {
  readonly to: AnyStatus
}

/** The moves out of one status, by operation or by reporting a status. Targets are in the order of the statuses. */
export type Row = { readonly [O in Operation]?: Move } & { readonly status?: { readonly [target: string]: MoveRule } }

const cancel = {
  to: "cancelled_seller",
  guards: ["within-what-is-left"],
  note: "the shipment keeps its id; if it was invoiced, a credit note can follow"
} as const
const cancelPart = {
  guards: ["within-what-is-left"],
  note: "the part becomes a new shipment in cancelled_seller"
} as const
const byMarketplace = { who: "marketplace" } as const
const marketplaceAssigns = { who: "marketplace", guards: ["marketplace-ships"] } as const
const assign = {
  guards: ["by-who-ships"],
  note: "immediately if the seller runs the logistics, otherwise when the host's courier service (port Couriers) assigns one"
} as const
const awb = { guards: ["seller-only-when-self-ship"], note: "AWB and courier are stored" } as const
const opensReturn = {
  who: "marketplace",
  guards: ["within-what-is-not-returned"],
  opensReturn: true,
  note: "opens a return in this status; the delivered shipment keeps its status"
} as const
const check = {
  to: "return_accepted",
  guards: ["within-what-has-no-result"],
  note: "status unchanged until every unit has a result; good units return to stock, bad ones are unsellable"
} as const
const cancelledCredit = {
  guards: ["no-credit-note-yet", "cancelled-after-invoicing"],
  note: "keeps its status"
} as const

/** The moves out of each status. A move without an entry is not allowed. */
export const transitions = /* @__PURE__ */ frozen({
  placed: {
    confirm: { to: "bag_confirmed", guards: ["item-not-cancelled", "all-that-is-left"] },
    cancelPart: { to: "placed", ...cancelPart },
    cancel,
    status: { cancelled_customer: byMarketplace }
  },
  bag_confirmed: {
    cancelPart: { to: "bag_confirmed", ...cancelPart },
    cancel,
    invoiceSale: { to: "bag_invoiced", note: "dp_assigned follows immediately if the seller runs the logistics" },
    status: { cancelled_customer: byMarketplace }
  },
  bag_invoiced: {
    cancel,
    assignCourier: { to: "dp_assigned", ...assign },
    awb: { to: "dp_assigned", ...awb, ...marketplaceAssigns },
    status: { dp_assigned: marketplaceAssigns, cancelled_customer: byMarketplace }
  },
  dp_assigned: {
    cancel,
    pack: { to: "bag_packed" },
    awb: { to: "dp_assigned", ...awb },
    awbDispatch: { to: "bag_picked", ...awb },
    status: { bag_picked: {}, handed_over_to_customer: {}, cancelled_customer: byMarketplace }
  },
  bag_packed: {
    cancel,
    dispatch: { to: "bag_picked", guards: ["all-that-is-left"] },
    awb: { to: "bag_packed", ...awb },
    awbDispatch: { to: "bag_picked", ...awb },
    status: { bag_picked: {}, handed_over_to_customer: {}, cancelled_customer: byMarketplace }
  },
  bag_picked: {
    status: { out_for_delivery: {}, delivery_done: {}, rto_in_transit: {}, rto_bag_delivered: {}, bag_lost: {} }
  },
  out_for_delivery: {
    status: {
      delivery_attempt_failed: {},
      rejected_by_customer: {},
      delivery_done: {},
      rto_in_transit: {},
      rto_bag_delivered: {},
      bag_lost: {}
    }
  },
  delivery_attempt_failed: { status: { delivery_reattempt_requested: {}, rto_in_transit: {} } },
  delivery_reattempt_requested: { status: { out_for_delivery: {}, delivery_done: {} } },
  rejected_by_customer: { status: { rto_in_transit: {}, rto_bag_delivered: {} } },
  handed_over_to_customer: { status: { return_initiated: opensReturn } },
  delivery_done: { status: { return_initiated: opensReturn } },
  rto_in_transit: { status: { rto_bag_delivered: {}, bag_lost: {} } },
  rto_bag_delivered: { return: check, status: { deadstock: {} } },
  return_initiated: {
    assignCourier: { to: "return_dp_assigned", ...assign },
    awb: { to: "return_dp_assigned", ...awb, ...marketplaceAssigns },
    status: { return_dp_assigned: marketplaceAssigns, return_bag_in_transit: {} }
  },
  return_dp_assigned: { awb: { to: "return_dp_assigned", ...awb }, status: { return_bag_in_transit: {} } },
  return_bag_in_transit: { status: { return_bag_delivered: {}, bag_lost: {} } },
  return_bag_delivered: { return: check, status: { deadstock: {} } },
  return_accepted: { creditNote: { to: "credit_note_generated" } },
  credit_note_generated: {},
  deadstock: {},
  bag_lost: {},
  cancelled_customer: { creditNote: { to: "cancelled_customer", ...cancelledCredit } },
  cancelled_seller: { creditNote: { to: "cancelled_seller", ...cancelledCredit } }
} as const satisfies Record<OperationalStatus, Row>)

/** The lifecycle that determines the moves of shipments. */
export interface Table {
  /** Our statuses, followed by the added ones. */
  readonly statuses: ReadonlyArray<AnyStatus>
  readonly added: Readonly<Record<string, AddedStatus>>
  readonly rows: Readonly<Record<string, Row>>
  readonly guards: ReadonlyArray<OwnGuard>
  /** The host's reasons for failed quality checks and for cancellations. */
  readonly reasons: ReadonlyArray<OwnReason>
  /** The guards of each move, for the moves that have guards. */
  readonly guardsOf: Readonly<Record<string, ReadonlyArray<OwnGuard>>>
  /** The families of operations that may change stock levels. */
  readonly movesStock: ReadonlyArray<OperationFamily>
  /** The statuses that are reported only for returns. */
  readonly returnStatuses: ReadonlyArray<string>
}

/** The input of a decision besides the shipment. `at` is in epoch milliseconds. */
export interface Rules {
  readonly lifecycle: Table
  readonly facts: Facts
  readonly at: number
}

/** The input of the rules besides the shipment. `returns` are all returns of the shipment, oldest first. */
export interface Context {
  readonly returns: ReadonlyArray<Shipment>
  readonly lifecycle?: Table
  readonly facts?: Facts
}

/** The lifecycle without a host's changes. */
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

/** The rules of the standard lifecycle. */
export const standardRules: Rules = { lifecycle: standard, facts: noFacts, at: 0 }
