/**
 * The shipment's state machine, as pure functions: the time and new ids are arguments. Source: docs/reference/lifecycle.md.
 * A new operation needs a command, entries in `Operations` and `LifecycleTable`, rejection codes, and a function here.
 */
import {
  cancelRemark,
  ownReason,
  QualityCheck,
  qcReason,
  unitsByItem,
  unitsLeft,
  unitsUnsettled
} from "@crossdock/returns"
import * as Result from "effect/Result"
import { storedAwb } from "./AwbNumbers.ts"
import { noFacts } from "./Guards.ts"
import { recordInvoice } from "./InvoiceItems.ts"
import { type Context, type Rules, standard } from "./LifecycleTable.ts"
import { mergePortions, namedPortions, permitOperation, permitReport, rejectLocked, rejectReport } from "./MoveCheck.ts"
import type { Rejection } from "./RejectionCodes.ts"
import { initiateReturn, targetShipment } from "./ReturnShipment.ts"
import { logistics, noMeta, type Shipment } from "./Shipment.ts"
import type { CheckQuality, ShipmentCommand } from "./ShipmentCommand.ts"
import { type Decision, evolve, reached, type ShipmentEvent } from "./ShipmentEvent.ts"
import { cancelledPart } from "./ShipmentPart.ts"
import { type StockEffect, stockEffects } from "./StockMoves.ts"

export { type Guard, type GuardId, guard, guards, type OwnGuard, type OwnInput } from "./Guards.ts"
export {
  type Context,
  type Move,
  type MoveRule,
  type Row,
  type Rules,
  standard,
  type Table,
  transitions
} from "./LifecycleTable.ts"
export { allowedMoves, allowedTargets } from "./MoveCheck.ts"
export { type MoveName, type Operation, operations } from "./Operations.ts"
export { type Decision, evolve } from "./ShipmentEvent.ts"
export { stockOnReaching } from "./StockMoves.ts"

const noReturns: Context = { returns: [] }

/** The changes after a move. Write them in one transaction, and only if the stored version of `shipment` is unchanged. */
export interface MoveResult {
  /** The shipment that changed: the addressed shipment, or the return that a report concerns. */
  readonly shipment: Shipment
  /** A part that was cancelled, or a new return. */
  readonly created: Shipment | null
  readonly events: ReadonlyArray<ShipmentEvent>
  readonly stock: ReadonlyArray<StockEffect>
  /** True for a repeat, after which nothing has to be written. */
  readonly unchanged: boolean
}

/**
 * Makes a move. `at` is in epoch milliseconds. For `Report` and `InitiateReturn`, `context` must contain all returns of a
 * forward shipment. Source: docs/reference/lifecycle.md#moves.
 */
export const move = (
  shipment: Shipment,
  command: ShipmentCommand,
  at: number,
  context: Context = noReturns
): Result.Result<MoveResult, Rejection> => {
  const target = command._tag === "Report" ? targetShipment(shipment, command, context) : shipment
  const unmoved: MoveResult = { shipment: target, created: null, events: [], stock: [], unchanged: true }
  return decide(target, command, at, context).pipe(Result.map((events) => events.reduce(follow, unmoved)))
}

const follow = (before: MoveResult, event: ShipmentEvent): MoveResult => ({
  shipment: evolve(before.shipment, event),
  created: "created" in event ? event.created : before.created,
  events: [...before.events, event],
  stock: [...before.stock, ...stockEffects(before.shipment, event)],
  unchanged: false
})

/**
 * A command's events, or its rejection. A repeated command has no events. `at` is in epoch milliseconds.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import * as Result from "effect/Result"
 *
 * const confirm = { _tag: "Confirm", items: [{ itemId: "1", quantity: 1 }] } as const
 * const events = Result.getOrThrow(Lifecycle.decide(placedShipment(), confirm, 0))
 * const confirmed = events.reduce(Lifecycle.evolve, placedShipment())
 *
 * deepStrictEqual([confirmed.status, confirmed.version], ["bag_confirmed", 2])
 * deepStrictEqual(Lifecycle.decide(confirmed, { _tag: "Unlock" }, 0), Result.succeed([]))
 * ```
 */
export const decide = (
  shipment: Shipment,
  command: ShipmentCommand,
  at: number,
  context: Context = noReturns
): Decision => {
  if (command._tag === "Lock" || command._tag === "Unlock") {
    const locked = command._tag === "Lock"
    return Result.succeed(shipment.locked === locked ? [] : [{ _tag: "LockChanged", at, locked }])
  }
  if (shipment.locked) return Result.fail(rejectLocked(shipment))
  const rules = { lifecycle: context.lifecycle ?? standard, facts: context.facts ?? noFacts, at }
  const decision = decisions[command._tag] as Decide<ShipmentCommand>
  return decision(shipment, command, rules, context)
}

type Decide<Command> = (shipment: Shipment, command: Command, rules: Rules, context: Context) => Decision

const by = "seller"

const decisions: {
  readonly [Tag in Exclude<ShipmentCommand["_tag"], "Lock" | "Unlock">]: Decide<
    Extract<ShipmentCommand, { readonly _tag: Tag }>
  >
} = {
  Confirm: (shipment, { items }, rules) =>
    Result.gen(function* () {
      const units = yield* namedPortions(shipment, "confirm", items, rules)
      const { to } = yield* permitOperation(shipment, "confirm", { by, units, rules })
      return [reached(rules, to)]
    }),

  /** Cancels all units, or some of them, which become a shipment. Source: docs/reference/shipments.md#cancel. */
  Cancel: (shipment, { items, partId }, rules) =>
    Result.gen(function* () {
      const { at } = rules
      const units = yield* namedPortions(shipment, "cancel", items, rules)
      const cancelled = unitsByItem(units)
      const isWhole = shipment.items.every((item) => unitsLeft(item) <= (cancelled.get(item.id) ?? 0))
      const { to } = yield* permitOperation(shipment, isWhole ? "cancel" : "cancelPart", { by, units, rules })
      const codes = items.flatMap(({ reasonCode }) => reasonCode ?? [])
      const meta = { ...noMeta, remark: cancelRemark(codes, rules.lifecycle.reasons, shipment.companyId, at) }
      if (isWhole) return [reached(rules, to, meta)]
      return [{ _tag: "PartCancelled", at, created: cancelledPart(shipment, partId, units, at, meta) }]
    }),

  /** A self-shipped shipment needs no courier, so the invoice changes its status to dp_assigned immediately. */
  InvoiceSale: (shipment, command, rules) =>
    Result.gen(function* () {
      const { to } = yield* permitOperation(shipment, "invoiceSale", { by, rules })
      const invoiced = [yield* recordInvoice(shipment, command, rules), reached(rules, to)]
      const assigned = rules.lifecycle.rows[to]?.assignCourier
      return assigned !== undefined && logistics(shipment) === "seller"
        ? [...invoiced, reached(rules, assigned.to)]
        : invoiced
    }),

  /** Records the credit note. A cancelled shipment keeps its status. */
  CreditNote: (shipment, command, rules) =>
    Result.gen(function* () {
      const { to } = yield* permitOperation(shipment, "creditNote", { by, rules })
      const recorded = yield* recordInvoice(shipment, command, rules)
      return to === shipment.status ? [recorded] : [recorded, reached(rules, to)]
    }),

  AssignCourier: (shipment, { by, courier }, rules) =>
    Result.map(permitOperation(shipment, "assignCourier", { by, rules }), ({ to }) => {
      if (courier === null) return [reached(rules, to)]
      const awbNumbers = [...new Set(courier.awbNumbers.map(storedAwb))]
      return [{ _tag: "CourierNamed", at: rules.at, courier: { ...courier, awbNumbers } }, reached(rules, to)]
    }),

  Pack: (shipment, _, rules) =>
    Result.map(permitOperation(shipment, "pack", { by, rules }), ({ to }) => [reached(rules, to)]),

  Dispatch: (shipment, { items }, rules) =>
    Result.gen(function* () {
      const named = items === null ? {} : { units: yield* namedPortions(shipment, "dispatch", items, rules) }
      const { to } = yield* permitOperation(shipment, "dispatch", { by, ...named, rules })
      return [reached(rules, to)]
    }),

  /** Replaces the courier and its AWB. The name is also stored as the courier's code: docs/reference/shipments.md#awb. */
  AssignAwb: (shipment, { autoDispatch, awbNumber, by, courierName }, rules) =>
    Result.map(permitOperation(shipment, autoDispatch ? "awbDispatch" : "awb", { by, rules }), ({ to }) => {
      const courier = { name: courierName, code: courierName, awbNumbers: [storedAwb(awbNumber)] }
      const named = { _tag: "CourierNamed", at: rules.at, courier } as const
      return to === shipment.status ? [named] : [named, reached(rules, to)]
    }),

  /** Reports a status. If the shipment already has that status, the report succeeds and changes nothing. */
  Report: (shipment, { by, meta, status }, rules) =>
    Result.gen(function* () {
      if (status === shipment.status) return []
      const { opensReturn, to } = yield* permitReport(shipment, status, { by, rules })
      if (!opensReturn) return [reached(rules, to, meta)]
      const because = "a return is opened by its own command, with its units"
      return yield* Result.fail(rejectReport(shipment, to, { by, rules }, { as: "wrongStatus", because }))
    }),

  InitiateReturn: initiateReturn,

  /** Records good units before bad ones. The result of the last unit accepts the return. */
  CheckQuality: (shipment, { bad: byDefault, items }, rules) =>
    Result.gen(function* () {
      const named: NonNullable<CheckQuality["items"]> =
        items ?? shipment.items.map((item) => ({ itemId: item.id, quantity: unitsUnsettled(item), reasonCode: null }))
      const units =
        items === null ? mergePortions(shipment, named) : yield* namedPortions(shipment, "return", items, rules)
      const { to } = yield* permitOperation(shipment, "return", { by, units, rules })
      const reasonOf: typeof qcReason = (code) => {
        const found = ownReason(rules.lifecycle.reasons, "return", code, shipment.companyId, rules.at)
        return found === undefined ? qcReason(code) : Result.succeed({ code: Number(found.code), reason: found.reason })
      }
      const split = QualityCheck.split(named, byDefault)
      const checks = (["good", "bad"] as const).flatMap((quality) => {
        const some = split[quality]
        const items = QualityCheck.resultsOf(mergePortions(shipment, some), some, quality, reasonOf)
        return items.length === 0 ? [] : [{ _tag: "QualityChecked", at: rules.at, quality, items } as const]
      })
      return QualityCheck.isComplete(checks.reduce(evolve, shipment).items) ? [...checks, reached(rules, to)] : checks
    })
}
