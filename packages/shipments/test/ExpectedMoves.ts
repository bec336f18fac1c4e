/**
 * The lifecycle table of docs/reference/shipments.md, written by hand a second time: tests compare the rules with this table,
 * never with the rules' own.
 */
import { type OperationalStatus, operationalStatuses, type Party, type ShipmentCommand } from "@crossdock/shipments"
import { all, ask, oneA, type Way } from "./Fixtures.ts"

/** The state of a shipment, as far as the table distinguishes. */
export interface Situation {
  readonly status: OperationalStatus
  readonly ships: Party
  readonly way: Way
  readonly invoiced: boolean
  readonly credited: boolean
}

const words = (text: string): ReadonlyArray<string> => text.split(" ")

const back = words(
  "return_initiated return_dp_assigned return_bag_in_transit return_bag_delivered return_accepted credit_note_generated deadstock bag_lost"
)
const rto = words("rto_in_transit rto_bag_delivered return_accepted credit_note_generated deadstock bag_lost")
const out = words(
  "placed bag_confirmed bag_invoiced dp_assigned bag_packed bag_picked out_for_delivery delivery_attempt_failed delivery_reattempt_requested rejected_by_customer handed_over_to_customer delivery_done bag_lost cancelled_customer cancelled_seller"
)
const cancelled = words("cancelled_customer cancelled_seller")

/** Every situation that can occur, for every way of shipping. */
export const situations: ReadonlyArray<Situation> = (["seller", "courier", "marketplace"] as const).flatMap((ships) =>
  operationalStatuses.flatMap((status) => {
    const base = { status, ships, credited: status === "credit_note_generated" }
    const uninvoiced = status === "placed" || status === "bag_confirmed"
    return [
      ...(out.includes(status) && !cancelled.includes(status)
        ? [{ ...base, way: "out" as const, invoiced: !uninvoiced }]
        : []),
      ...(rto.includes(status) ? [{ ...base, way: "rto" as const, invoiced: true }] : []),
      ...(back.includes(status) ? [{ ...base, way: "return" as const, invoiced: false }] : []),
      ...(cancelled.includes(status)
        ? [
            { ...base, way: "out" as const, invoiced: false },
            { ...base, way: "out" as const, invoiced: true },
            { ...base, way: "out" as const, invoiced: true, credited: true }
          ]
        : [])
    ]
  })
)

/** Requests by name. `status:<target>:<by>` is the status operation. */
export const asks: Readonly<Record<string, ShipmentCommand>> = {
  confirm: ask.confirm(all),
  cancelAll: ask.cancel(all),
  cancelPart: ask.cancel(oneA),
  sale: ask.sale(),
  credit: ask.credit(),
  "courier:seller": ask.courier("seller"),
  "courier:courier": ask.courier("courier"),
  "courier:marketplace": ask.courier("marketplace"),
  pack: ask.pack,
  dispatch: ask.dispatch(),
  "awb:seller": ask.awb("seller"),
  "awb:marketplace": ask.awb("marketplace"),
  "awbDispatch:seller": ask.awb("seller", true),
  "awbDispatch:marketplace": ask.awb("marketplace", true),
  qcAll: ask.qc(all),
  qcPart: ask.qc(oneA),
  qcRest: ask.qc(null),
  ...Object.fromEntries(
    (["seller", "marketplace"] as const).flatMap((by) =>
      operationalStatuses.map((target) => [
        `status:${target}:${by}`,
        target === "return_initiated" ? ask.giveBack(null, { by }) : ask.status(target, by)
      ])
    )
  )
}

/** From | asked | to. `=` is unchanged. Both may report a status that names neither. */
const rows: ReadonlyArray<readonly [from: string, asked: string, to: string, when?: (at: Situation) => boolean]> = [
  ["placed", "confirm", "bag_confirmed"],
  ["placed bag_confirmed", "cancelPart", "="],
  ["placed bag_confirmed bag_invoiced dp_assigned bag_packed", "cancelAll", "cancelled_seller"],
  ["bag_confirmed", "sale", "dp_assigned", (at) => at.ships === "seller"],
  ["bag_confirmed", "sale", "bag_invoiced", (at) => at.ships !== "seller"],
  ["bag_invoiced", "courier:seller", "dp_assigned", (at) => at.ships === "seller"],
  ["bag_invoiced", "courier:courier", "dp_assigned", (at) => at.ships === "courier"],
  ["bag_invoiced", "courier:marketplace", "dp_assigned", (at) => at.ships === "marketplace"],
  ["bag_invoiced", "awb:marketplace", "dp_assigned", (at) => at.ships === "marketplace"],
  ["bag_invoiced", "status:dp_assigned:marketplace", "dp_assigned", (at) => at.ships === "marketplace"],
  ["return_initiated", "courier:seller", "return_dp_assigned", (at) => at.ships === "seller"],
  ["return_initiated", "courier:courier", "return_dp_assigned", (at) => at.ships === "courier"],
  ["return_initiated", "courier:marketplace", "return_dp_assigned", (at) => at.ships === "marketplace"],
  ["return_initiated", "awb:marketplace", "return_dp_assigned", (at) => at.ships === "marketplace"],
  [
    "return_initiated",
    "status:return_dp_assigned:marketplace",
    "return_dp_assigned",
    (at) => at.ships === "marketplace"
  ],
  ["dp_assigned", "pack", "bag_packed"],
  ["bag_packed", "dispatch", "bag_picked"],
  ["dp_assigned bag_packed", "awbDispatch:seller", "bag_picked", (at) => at.ships === "seller"],
  ["dp_assigned bag_packed", "awbDispatch:marketplace", "bag_picked"],
  ["dp_assigned bag_packed return_dp_assigned", "awb:seller", "=", (at) => at.ships === "seller"],
  ["dp_assigned bag_packed return_dp_assigned", "awb:marketplace", "="],
  ["dp_assigned bag_packed", "status:bag_picked", "bag_picked"],
  ["dp_assigned bag_packed", "status:handed_over_to_customer", "handed_over_to_customer"],
  ["bag_picked", "status:out_for_delivery", "out_for_delivery"],
  ["bag_picked", "status:delivery_done", "delivery_done"],
  ["out_for_delivery", "status:delivery_attempt_failed", "delivery_attempt_failed"],
  ["out_for_delivery", "status:delivery_done", "delivery_done"],
  ["out_for_delivery", "status:rejected_by_customer", "rejected_by_customer"],
  ["delivery_attempt_failed", "status:delivery_reattempt_requested", "delivery_reattempt_requested"],
  ["delivery_attempt_failed", "status:rto_in_transit", "rto_in_transit"],
  ["delivery_reattempt_requested", "status:out_for_delivery", "out_for_delivery"],
  ["delivery_reattempt_requested", "status:delivery_done", "delivery_done"],
  ["rejected_by_customer bag_picked out_for_delivery", "status:rto_in_transit", "rto_in_transit"],
  ["rejected_by_customer bag_picked out_for_delivery", "status:rto_bag_delivered", "rto_bag_delivered"],
  ["rto_in_transit", "status:rto_bag_delivered", "rto_bag_delivered"],
  ["delivery_done handed_over_to_customer", "status:return_initiated:marketplace", "="],
  ["return_initiated return_dp_assigned", "status:return_bag_in_transit", "return_bag_in_transit"],
  ["return_bag_in_transit", "status:return_bag_delivered", "return_bag_delivered"],
  ["return_bag_delivered rto_bag_delivered", "qcPart", "="],
  ["return_bag_delivered rto_bag_delivered", "qcAll", "return_accepted"],
  ["return_bag_delivered rto_bag_delivered", "qcRest", "return_accepted"],
  ["return_bag_delivered rto_bag_delivered", "status:deadstock", "deadstock"],
  ["bag_picked out_for_delivery rto_in_transit return_bag_in_transit", "status:bag_lost", "bag_lost"],
  [
    "placed bag_confirmed bag_invoiced dp_assigned bag_packed",
    "status:cancelled_customer:marketplace",
    "cancelled_customer"
  ],
  ["return_accepted", "credit", "credit_note_generated"],
  ["cancelled_seller cancelled_customer", "credit", "=", (at) => at.invoiced && !at.credited]
]

/** The status after the move, or undefined when there is no such move. */
export const expectedStatus = (situation: Situation, asked: string): string | undefined => {
  if (asked.startsWith(`status:${situation.status}:`)) return situation.status
  const row = rows.find(
    ([from, what, , when]) =>
      words(from).includes(situation.status) &&
      (asked === what ||
        (what.split(":").length === 2 && what.startsWith("status:") && asked.startsWith(`${what}:`))) &&
      (when === undefined || when(situation))
  )
  return row?.[2] === "=" ? situation.status : row?.[2]
}

const one = (situation: Situation, statuses: string): boolean => words(statuses).includes(situation.status)
const isCancelled = (situation: Situation): boolean => cancelled.includes(situation.status)

/** The code of a rejection. Source: docs/reference/shipments.md#where-two-codes-fit. */
export const expectedCode = (situation: Situation, asked: string): string => {
  const awaitsCourier = one(situation, "bag_invoiced return_initiated")
  const takesAwb = one(situation, "dp_assigned bag_packed return_dp_assigned")
  switch (asked.split(":")[0]) {
    case "confirm":
      return isCancelled(situation) ? "O400" : "O409"
    case "cancelAll":
    case "cancelPart":
      return "X400"
    case "sale":
      if (isCancelled(situation)) return "IN401"
      if (situation.way !== "out") return "IN422"
      return situation.status === "placed" ? "IN403" : "IN453"
    case "credit":
      if (situation.credited) return "IN453"
      if (situation.way === "out" || one(situation, "deadstock bag_lost")) return "IN422"
      return "IN403"
    case "courier":
      return awaitsCourier ? "A422" : "A400"
    case "pack":
      return isCancelled(situation) ? "CR401" : "CR400"
    case "dispatch":
      return isCancelled(situation) ? "D401" : "D400"
    case "awb":
      return takesAwb ? "A422" : "A400"
    case "awbDispatch":
      return takesAwb && situation.status !== "return_dp_assigned" ? "A422" : "A400"
    case "qcAll":
    case "qcPart":
    case "qcRest":
      return one(situation, "return_accepted credit_note_generated") ? "R409" : "R400"
    default:
      return "S400"
  }
}

/** The statuses that no move leaves. A delivered shipment stays delivered: its return is another shipment. */
export const finalStatuses = words(
  "delivery_done handed_over_to_customer credit_note_generated deadstock bag_lost cancelled_customer cancelled_seller"
)
