/** Random histories of a shipment, its cancelled parts and its returns. Delivered ≥ returned ≥ good + bad units. */

import { CompanyId, Money } from "@crossdock/kernel"
import { unitsLeft } from "@crossdock/returns"
import {
  type AnyStatus,
  beginShipment,
  Lifecycle,
  noMeta,
  operationalStatuses,
  type Party,
  type Shipment,
  type ShipmentCommand,
  type ShipmentItem
} from "@crossdock/shipments"
import type { Random } from "@crossdock/system-tests/Random"
import { Result, Struct } from "effect"

export interface World {
  readonly shipments: ReadonlyArray<Shipment>
  /** The units of each `kind sku`. */
  readonly stock: Readonly<Record<string, number>>
  readonly moves: number
}

const one = Money.minorUnits(1)

const itemOf = (id: string, ordered: number): ShipmentItem => ({
  id,
  externalLineId: id,
  sku: id,
  title: id,
  hsCode: null,
  ordered,
  cancelled: 0,
  splitOff: 0,
  invoiced: 0,
  mrp: null,
  esp: one,
  discount: one,
  couponDiscount: one,
  deliveryCharge: one,
  taxRate: null,
  taxAmount: one,
  taxBefore: Money.minorUnits(0),
  good: 0,
  bad: 0,
  qcReasons: [],
  unmappedReasons: [],
  imei: [],
  returnReason: null
})

const below = (draw: Random, bound: number): number => Math.floor(draw() * bound)
const oneOf = <A>(draw: Random, all: ReadonlyArray<A>): A => all[below(draw, all.length)] as A

const logistics = [
  { fulfillment: "SELLER", selfShip: true },
  { fulfillment: "SELLER", selfShip: false },
  { fulfillment: "MARKETPLACE", selfShip: false }
] as const

/** A shipment of one to three lines that was just placed. */
export const begin = (draw: Random): World => ({
  shipments: [
    beginShipment(
      {
        id: "1",
        companyId: CompanyId.make(1),
        location: "L",
        marketplace: "m",
        orderId: "o",
        externalOrderId: "o",
        externalShipmentId: "1",
        ...oneOf(draw, logistics),
        currency: "INR",
        linesBefore: 0,
        items: Array.from({ length: 1 + below(draw, 3) }, (_, i) => itemOf(`i${i}`, 1 + below(draw, 5))),
        packAfter: null,
        packBy: null,
        dispatchBy: null,
        deliverBy: null,
        sla: 0,
        orderDate: 0
      },
      0
    )
  ],
  stock: {},
  moves: 0
})

/** Some units of some lines. Sometimes there are too many units. */
const portions = (draw: Random, { items }: Shipment) =>
  items
    .filter(() => draw() < 0.7)
    .map((item) => ({ itemId: item.id, quantity: 1 + below(draw, unitsLeft(item) + 1), reasonCode: null }))

const left = ({ items }: Shipment) =>
  items.map((item) => ({ itemId: item.id, quantity: unitsLeft(item) })).filter(({ quantity }) => quantity > 0)

const bills = (number: string) => ({
  invoice: { number, irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null },
  items: [],
  packages: null
})

/** Any command that a caller may send, sensible or not. Half of the commands are allowed in the shipment's status. */
const commandFor = (draw: Random, shipment: Shipment, newId: string): ShipmentCommand => {
  const by = draw() < 0.5 ? ("seller" as const) : ("marketplace" as const)
  const courier = { name: "c", code: null, awbNumbers: [newId] }
  const awb = (autoDispatch: boolean) =>
    ({ _tag: "AssignAwb", by, awbNumber: newId, courierName: "c", autoDispatch }) as const
  const operations: { readonly [O in Lifecycle.Operation]: () => ShipmentCommand } = {
    confirm: () => ({ _tag: "Confirm", items: left(shipment) }),
    cancelPart: () => ({ _tag: "Cancel", items: portions(draw, shipment), partId: newId }),
    cancel: () => ({
      _tag: "Cancel",
      items: left(shipment).map((one) => ({ ...one, reasonCode: null })),
      partId: newId
    }),
    invoiceSale: () => ({ _tag: "InvoiceSale", ...bills(newId) }),
    creditNote: () => ({ _tag: "CreditNote", ...bills(newId) }),
    assignCourier: () => ({
      _tag: "AssignCourier",
      by: oneOf<Party>(draw, ["seller", "marketplace", "courier"]),
      courier
    }),
    pack: () => ({ _tag: "Pack" }),
    dispatch: () => ({ _tag: "Dispatch", items: null }),
    awb: () => awb(false),
    awbDispatch: () => awb(true),
    return: () => ({ _tag: "CheckQuality", items: draw() < 0.3 ? null : portions(draw, shipment), bad: draw() < 0.5 })
  }
  const initiate = (): ShipmentCommand => ({
    _tag: "InitiateReturn",
    by: "marketplace",
    items:
      draw() < 0.3 ? null : portions(draw, shipment).map((one) => ({ ...one, externalLineId: null, reason: null })),
    returnId: draw() < 0.5 ? null : `R${below(draw, 3)}`,
    newShipmentId: newId,
    meta: noMeta
  })
  const report = (status: AnyStatus): ShipmentCommand =>
    status === "return_initiated" ? initiate() : { _tag: "Report", by, status, meta: noMeta }
  const known = Struct.keys(Lifecycle.standard.rows[shipment.status] ?? {}).filter((name) => name !== "status")
  // A shipment that is cancelled at once would have no history.
  const targets = Lifecycle.allowedTargets(shipment, by).filter((to) => to !== "cancelled_customer" || draw() < 0.1)
  const sensible = known.filter((name) => name !== "cancel" || draw() < 0.1)
  if (draw() < 0.3) return oneOf(draw, Object.values(operations))()
  if (draw() < 0.1) return report(oneOf(draw, operationalStatuses))
  if (targets.length > 0 && (sensible.length === 0 || draw() < 0.3)) return report(oneOf(draw, targets))
  return sensible.length === 0 ? initiate() : operations[oneOf(draw, sensible)]()
}

/** Tries one more command on one of the shipments. */
export const step = (draw: Random, world: World): World => {
  const shipment = draw() < 0.5 ? (world.shipments[0] as Shipment) : oneOf(draw, world.shipments)
  const newId = String(world.shipments.length + 1)
  const returns = world.shipments.filter((one) => one.journey === "return" && one.forwardId === shipment.id)
  const moved = Lifecycle.move(shipment, commandFor(draw, shipment, newId), world.moves, { returns })
  if (Result.isFailure(moved) || moved.success.unchanged) return world
  const { created, shipment: after, stock: effects } = moved.success
  const stock = { ...world.stock }
  for (const { kind, quantity, sku } of effects) stock[`${kind} ${sku}`] = (stock[`${kind} ${sku}`] ?? 0) + quantity
  return {
    shipments: [
      ...world.shipments.map((one) => (one.id === after.id ? after : one)),
      ...(created === null ? [] : [created])
    ],
    stock,
    moves: world.moves + 1
  }
}

const delivered: ReadonlySet<AnyStatus> = new Set(["delivery_done", "handed_over_to_customer"])
const reserved: ReadonlySet<AnyStatus> = new Set([
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "bag_packed"
])

/** The laws that the world breaks, as sentences. Each is a fault of the rules. */
export const faults = ({ shipments, stock }: World): ReadonlyArray<string> => {
  const [forward, ...others] = shipments
  if (forward === undefined) return ["there is no shipment"]
  const parts = others.filter(({ journey }) => journey === "forward")
  const returns = others.filter(({ journey }) => journey === "return")
  const wholly = forward.status.startsWith("cancelled")
  return forward.items.flatMap(({ id, ordered }) => {
    const sum = (of: ReadonlyArray<Shipment>, count: (line: ShipmentItem) => number) =>
      of
        .flatMap(({ items }) => items)
        .filter((line) => line.id === id)
        .reduce((total, line) => total + count(line), 0)
    const units = (kind: string) => stock[`${kind} ${id}`] ?? 0
    const cancelled = sum([forward], (line) => line.cancelled)
    const partial = sum(parts, (line) => line.ordered)
    const kept = ordered - cancelled
    const sent = delivered.has(forward.status) ? kept : 0
    const returned = sum(returns, (line) => line.ordered)
    const good = sum(returns, (line) => line.good)
    const bad = sum(returns, (line) => line.bad)
    const written = sum(
      [forward, ...returns].filter(({ status }) => status === "deadstock"),
      (line) => unitsLeft(line) - line.good - line.bad
    )
    const laws: Readonly<Record<string, boolean>> = {
      "delivered ≥ returned": returned <= sent,
      "returned ≥ good + bad": good + bad <= returned && returns.every((one) => settled(one)),
      "to origin ≥ good + bad": settled(forward),
      "cancelled and remaining units add up to what was ordered": cancelled >= 0 && kept >= 0 && partial <= ordered,
      "parts add up to what was cancelled": wholly ? kept === 0 : partial === cancelled,
      "each unit's reservation ends once": units("release") === cancelled,
      "none is consumed before it is picked": units("consume") === (reserved.has(forward.status) || wholly ? 0 : kept),
      "good units come back": units("restock") === good + sum([forward], (line) => line.good),
      "bad ones don't": units("unsellable") === bad + sum([forward], (line) => line.bad) + written,
      "no more comes back than was sent": units("restock") + units("unsellable") <= units("consume")
    }
    return Object.entries(laws).flatMap(([law, isKept]) => (isKept ? [] : [`${law}, line ${id} of ${forward.status}`]))
  })
}

const settled = ({ items }: Shipment): boolean =>
  items.every((item) => item.good >= 0 && item.bad >= 0 && item.good + item.bad <= unitsLeft(item))

/** A history of `demands` commands. The laws are checked after each move. */
export const history = (
  draw: Random,
  demands: number
): { readonly world: World; readonly faults: ReadonlyArray<string> } => {
  let world = begin(draw)
  for (let nth = 0; nth < demands; nth++) {
    const next = step(draw, world)
    const broken = next === world ? [] : faults(next)
    world = next
    if (broken.length > 0) return { world, faults: broken }
  }
  return { world, faults: [] }
}
