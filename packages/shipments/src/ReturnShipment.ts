/** Returns of a delivered shipment. Sources: docs/reference/shipments.md#status, docs/reference/returns.md. */
import { required } from "@crossdock/kernel"
import { type Portion, returnableUnits, unitsByItem, unitsLeft } from "@crossdock/returns"
import * as Result from "effect/Result"
import { type Context, type Rules, standard } from "./LifecycleTable.ts"
import { mergePortions, permitReport, rejectReport, unknownItem } from "./MoveCheck.ts"
import { faultyPortion, type Rejection } from "./RejectionCodes.ts"
import { beginShipment, logistics, type Shipment, type ShipmentItem } from "./Shipment.ts"
import type { InitiateReturn, Report, ReturnLine } from "./ShipmentCommand.ts"
import { type Decision, evolve, reached } from "./ShipmentEvent.ts"
import { placeAfter, slice } from "./ShipmentPart.ts"
import { isOpen } from "./ShipmentStatus.ts"

/**
 * Whether none of the shipment's products can be returned. `returnless` contains the SKUs of the products that can't.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { isReturnless } from "@crossdock/shipments"
 * import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
 *
 * const shipment = placedShipment({ items: [shipmentItem({ sku: "socks" }), shipmentItem({ sku: "shirt" })] })
 * const answers = [["socks"], ["socks", "shirt"]].map((skus) => isReturnless(shipment, new Set(skus)))
 * deepStrictEqual(answers, [false, true])
 * ```
 */
export const isReturnless = ({ items }: Pick<Shipment, "items">, returnless: ReadonlySet<string>): boolean =>
  items.every(({ sku }) => returnless.has(sku))

const isOpenReturn = (shipment: Shipment): boolean => isOpen(shipment) || shipment.status === "return_bag_delivered"

/** The shipment that a report concerns, which may be a return of `shipment`. Source: docs/reference/shipments.md#status. */
export const targetShipment = (shipment: Shipment, report: Report, context: Context): Shipment => {
  const { lifecycle = standard, returns } = context
  const isOwn = shipment.locked || shipment.journey === "return"
  if (isOwn || !lifecycle.returnStatuses.includes(report.status)) return shipment
  const { returnId = null } = report
  const named = returnId === null ? undefined : returns.find((one) => one.returnId === returnId)
  if (named !== undefined) return named
  const [one, ...others] = returns.filter((open) => isOpenReturn(open) && (returnId === null || open.returnId === null))
  return one !== undefined && others.length === 0 ? one : shipment
}

const opening = "return_initiated"

/** Opens a return of the named or all units. A repeat changes nothing. Source: docs/reference/returns.md#return-repeats. */
export const initiateReturn = (shipment: Shipment, command: InitiateReturn, rules: Rules, context: Context): Decision =>
  Result.gen(function* () {
    const { by, returnId } = command
    const { returns } = context
    if (shipment.status === opening) return []
    yield* permitReport(shipment, opening, { by, rules })
    if (returnId !== null && returns.some((one) => one.returnId === returnId)) return []

    const units = yield* namedUnits(shipment, command, context, rules)
    const named = unitsByItem(units)
    const open = returns.filter(isOpenReturn)
    const unreturned = returnableUnits(shipment.items, returns)
    const left = units.every(({ itemId, quantity }) => quantity <= (unreturned.get(itemId) ?? 0))
    const isAnother = (one: Shipment) => returnId !== null && one.returnId !== null && left
    const repeated =
      command.items === null
        ? units.length === 0 && returnId === null && open.length > 0
        : open.some((one) => hasUnits(one, named) && !isAnother(one))
    if (repeated) return []

    if (units.length === 0)
      return yield* Result.fail(
        rejectReport(shipment, opening, { by, rules }, { as: "quantity", because: "all its units are returned" })
      )
    yield* permitReport(shipment, opening, { by, units, returns, rules }).pipe(
      Result.mapError((rejection) => withSentName(shipment, command, rejection))
    )
    return [{ _tag: "ReturnOpened", at: rules.at, created: returnOf(shipment, command, units, context, rules) }]
  })

const namedUnits = (shipment: Shipment, { by, items }: InitiateReturn, { returns }: Context, rules: Rules) => {
  if (items === null) {
    const left = [...returnableUnits(shipment.items, returns)].map(([itemId, quantity]) => ({ itemId, quantity }))
    return Result.succeed(mergePortions(shipment, left))
  }
  const idOf = itemIdOf(shipment)
  const named = items.map((line) => ({ line, itemId: idOf(line) }))
  const unknown = named.find(({ itemId }) => itemId === undefined)?.line
  if (unknown !== undefined)
    return Result.fail(
      rejectReport(shipment, opening, { by, rules }, unknownItem(nameOf(unknown), namesOf(shipment, unknown)))
    )
  const portions = named.map(({ itemId, line: { quantity } }) => ({
    itemId: required(itemId, "the returned item"),
    quantity
  }))
  return Result.succeed(mergePortions(shipment, portions))
}

/** The names of the items for a message: the marketplace's ids if the line uses one and the items have them, else ours. */
const namesOf = ({ items }: Shipment, { itemId }: ReturnLine): ReadonlyArray<string> => {
  const external = items.flatMap(({ externalLineId }) => externalLineId ?? [])
  return itemId === null && external.length > 0 ? external : items.map(({ id }) => id)
}

const nameOf = ({ externalLineId, itemId }: ReturnLine): string => itemId ?? externalLineId ?? ""

const withSentName = (shipment: Shipment, { items }: InitiateReturn, rejection: Rejection): Rejection => {
  const { about } = rejection
  if (about === undefined || items === null) return rejection
  const idOf = itemIdOf(shipment)
  const line = items[faultyPortion(items, (one) => idOf(one) === about.item)]
  return { ...rejection, about: { ...about, item: nameOf(required(line, "the line of the faulty item")) } }
}

/** Finds the item that has every id in a line. Of two items with the same marketplace id, the first is found. */
const itemIdOf = ({ items }: Shipment) => {
  const externalIds = new Map(items.map(({ externalLineId, id }) => [id, externalLineId]))
  const byExternalId = new Map(items.toReversed().map(({ externalLineId, id }) => [externalLineId, id]))
  return ({ externalLineId, itemId }: Pick<ReturnLine, "itemId" | "externalLineId">): string | undefined => {
    if (itemId === null) return externalLineId === null ? undefined : byExternalId.get(externalLineId)
    const isItem = externalIds.has(itemId) && (externalLineId === null || externalIds.get(itemId) === externalLineId)
    return isItem ? itemId : undefined
  }
}

const hasUnits = ({ items }: Shipment, named: ReadonlyMap<string, number>): boolean =>
  items.length === named.size && items.every((item) => named.get(item.id) === unitsLeft(item))

/** Makes a return's shipment. A seller that ships on its own is the courier, so the return gets its courier immediately. */
const returnOf = (
  shipment: Shipment,
  command: InitiateReturn,
  units: ReadonlyArray<Portion>,
  { returns }: Context,
  rules: Rules
): Shipment => {
  const quantities = unitsByItem(units)
  const unreturned = returnableUnits(shipment.items, returns)
  const idOf = itemIdOf(shipment)
  const reasons = new Map(command.items?.toReversed().map((line) => [idOf(line), line.reason]))
  // The units of earlier returns. The units of this return follow those units.
  const before: Array<ShipmentItem> = []
  const items = shipment.items.flatMap((item) => {
    const quantity = quantities.get(item.id) ?? 0
    const from = item.ordered - (unreturned.get(item.id) ?? 0)
    before.push(slice(item, item.splitOff, from - item.splitOff))
    const returnReason = reasons.get(item.id) ?? null
    return quantity === 0 ? [] : [{ ...slice(item, from, quantity), returnReason }]
  })
  const draft = { ...shipment, id: command.newShipmentId, items, ...placeAfter(shipment, before) }
  const opened: Shipment = {
    ...beginShipment(draft, rules.at, opening, command.meta),
    forwardId: shipment.id,
    journey: "return",
    returnId: command.returnId
  }
  const assigned = rules.lifecycle.rows[opening]?.assignCourier
  return assigned !== undefined && logistics(opened) === "seller" ? evolve(opened, reached(rules, assigned.to)) : opened
}
