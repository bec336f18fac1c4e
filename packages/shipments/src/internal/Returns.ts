/**
 * How a return begins, and how its units are judged when they are back.
 */
import * as Either from "effect/Either"
import { unitsUnreturned } from "../Guards.ts"
import { qcReason } from "../QcReason.ts"
import type { Refusal } from "../Refusal.ts"
import { beginShipment, logistics, type Shipment } from "../Shipment.ts"
import type { InitiateReturn, QualityCheck } from "../ShipmentCommand.ts"
import { type Portion, slice, unitsLeft, unitsUnsettled } from "../ShipmentItem.ts"
import { transitions } from "../Transitions.ts"
import type { Context, Decision } from "./Decision.ts"
import { evolve, moved } from "./Evolve.ts"
import { permit, permitReport } from "./Permit.ts"
import { merge, portions } from "./Portions.ts"
import { refuseReport } from "./Refuse.ts"
import { isOpenReturn } from "./Reports.ts"

const first = "return_initiated"

/**
 * Opens a return of the units named, or of all not yet returned. It is a repeat, and changes nothing, when a return has
 * the same `returnId`, when an open return has the same units, or when no units are named and open returns have them all.
 * The same units under another `returnId` are further units, as long as there are any.
 */
export const initiateReturn = (shipment: Shipment, command: InitiateReturn, at: number, context: Context): Decision =>
  Either.gen(function* () {
    const { by, returnId } = command
    const { returns } = context
    if (shipment.status === first) return []
    yield* permitReport(shipment, first, { by })
    if (returnId !== null && returns.some((one) => one.returnId === returnId)) return []

    const units = yield* unitsNamed(shipment, command, context)
    const open = returns.filter(isOpenReturn)
    const left = units.every(({ itemId, quantity }) =>
      shipment.items.some((item) => item.id === itemId && quantity <= unitsUnreturned(item, returns))
    )
    const isAnother = (one: Shipment) => returnId !== null && one.returnId !== null && left
    const repeated =
      command.items === null
        ? units.length === 0 && returnId === null && open.length > 0
        : open.some((one) => hasUnits(one, units) && !isAnother(one))
    if (repeated) return []

    if (units.length === 0) {
      return yield* Either.left(refuseReport(shipment, first, by, "quantity", "no units are left to return"))
    }
    yield* permitReport(shipment, first, { by, units, returns })
    return [{ _tag: "ReturnOpened", at, created: returnOf(shipment, command, units, at, context) }]
  })

/**
 * The units of an `InitiateReturn` by the shipment's own item ids.
 */
const unitsNamed = (
  shipment: Shipment,
  { by, items }: InitiateReturn,
  { returns }: Context
): Either.Either<ReadonlyArray<Portion>, Refusal> => {
  if (items === null) {
    const left = shipment.items.map((item) => ({ itemId: item.id, quantity: unitsUnreturned(item, returns) }))
    return Either.right(merge(shipment, left))
  }
  const named = items.flatMap((line) =>
    lineOf(shipment, line).map(({ id }) => ({ itemId: id, quantity: line.quantity }))
  )
  return named.length < items.length
    ? Either.left(refuseReport(shipment, first, by, "notFound", "an item named is none of it"))
    : Either.right(merge(shipment, named))
}

const lineOf = (shipment: Shipment, line: { readonly itemId: string | null; readonly externalLineId: string | null }) =>
  shipment.items
    .filter((item) =>
      line.itemId === null
        ? line.externalLineId !== null && item.externalLineId === line.externalLineId
        : item.id === line.itemId
    )
    .slice(0, 1)

const hasUnits = (shipment: Shipment, units: ReadonlyArray<Portion>): boolean =>
  shipment.items.length === units.length &&
  shipment.items.every((item) =>
    units.some(({ itemId, quantity }) => itemId === item.id && quantity === unitsLeft(item))
  )

/**
 * The new shipment. The seller who ships itself is its own courier, so that its return is assigned at once.
 */
const returnOf = (
  shipment: Shipment,
  command: InitiateReturn,
  units: ReadonlyArray<Portion>,
  at: number,
  { returns }: Context
): Shipment => {
  const items = shipment.items.flatMap((item) =>
    units
      .filter(({ itemId }) => itemId === item.id)
      .map(({ quantity }) => ({
        ...slice(item, item.ordered - unitsUnreturned(item, returns), quantity),
        returnReason: command.items?.find((line) => lineOf(shipment, line)[0]?.id === item.id)?.reason ?? null
      }))
  )
  const opened: Shipment = {
    ...beginShipment({ ...shipment, id: command.newShipmentId, items }, at, first, command.meta),
    forwardId: shipment.id,
    journey: "return",
    returnId: command.returnId
  }
  return logistics(opened) === "seller" ? evolve(opened, moved(transitions[first].assignCourier.to, at)) : opened
}

/**
 * Records results; the last one accepts the return.
 */
export const qualityCheck = (shipment: Shipment, { bad, items: named }: QualityCheck, at: number): Decision =>
  Either.gen(function* () {
    const rest = shipment.items.map((item) => ({ itemId: item.id, quantity: unitsUnsettled(item) }))
    const units = named === null ? merge(shipment, rest) : yield* portions(shipment, "return", named)
    const { to } = yield* permit(shipment, "return", { by: "seller", units })
    const items = units.map((unit) => {
      // Units that passed have no reason, whatever was sent along.
      const codes = (bad ? (named ?? []) : [])
        .filter(({ itemId }) => itemId === unit.itemId)
        .flatMap(({ reasonCode }) => (reasonCode === null ? [] : [qcReason(reasonCode)]))
      return {
        ...unit,
        reasons: codes.flatMap((one) => (Either.isRight(one) ? [one.right] : [])),
        unmapped: codes.flatMap((one) => (Either.isLeft(one) ? [one.left.code] : []))
      }
    })
    const checked = { _tag: "QualityChecked", at, bad, items } as const
    return evolve(shipment, checked).items.every((item) => unitsUnsettled(item) === 0)
      ? [checked, moved(to, at)]
      : [checked]
  })
