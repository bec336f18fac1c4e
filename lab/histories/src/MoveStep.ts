/**
 * A seller, a marketplace or the host moves shipments, several at once. Most moves are allowed, so that shipments get
 * far; some are arbitrary.
 */
import type { Bulk, CompanyId } from "@crossdock/kernel"
import { type Portion, unitsLeft } from "@crossdock/returns"
import {
  Lifecycle,
  type MoveBatch,
  noMeta,
  type OperationalStatus,
  type OperationFamily,
  operationalStatuses,
  type Shipment,
  type ShipmentCommand,
  Shipments
} from "@crossdock/shipments"
import { Effect, Result } from "effect"
import * as Choice from "./Choice.ts"
import * as World from "./World.ts"

interface Ask {
  readonly family: OperationFamily
  readonly by: "seller" | "marketplace"
  readonly command: (newId: string) => ShipmentCommand
  readonly invoiceNumber?: string
  readonly awbs?: ReadonlyArray<string>
}

const portion = (draw: World.World["draw"], items: ReadonlyArray<Portion>): ReadonlyArray<Portion> =>
  items.flatMap(({ itemId, quantity }) => {
    const units = Choice.between(draw, 0, quantity)
    return units === 0 ? [] : [{ itemId, quantity: units }]
  })

const invoice = (number: string) => ({
  number,
  irn: null,
  qrCode: null,
  signedInvoice: null,
  ackNumber: null,
  ackDate: null
})

/**
 * Customers cancel rarely, or no shipment would get far.
 */
const statuses = (draw: World.World["draw"]): ReadonlyArray<OperationalStatus> =>
  Choice.isChance(draw, 0.1)
    ? operationalStatuses
    : operationalStatuses.filter((status) => status !== "cancelled_customer")

/**
 * Every operation that could be tried on a shipment, with random units.
 */
const asksOf = ({ draw }: World.World, shipment: Shipment): ReadonlyArray<Ask> => {
  const left = shipment.items
    .map((item) => ({ itemId: item.id, quantity: unitsLeft(item) }))
    .filter(({ quantity }) => quantity > 0)
  const unsettled = shipment.items.map((item) => ({
    itemId: item.id,
    quantity: unitsLeft(item) - item.good - item.bad
  }))
  const part = portion(draw, left)
  const isBad = Choice.isChance(draw, 0.4)
  const awb = `AWB${Choice.between(draw, 1, 30)}`
  const assign = (by: Ask["by"], autoDispatch: boolean): Ask => ({
    family: "awb",
    by,
    awbs: [awb],
    command: () => ({ _tag: "AssignAwb", by, awbNumber: awb, courierName: "Swift", autoDispatch })
  })
  const document = (kind: "InvoiceSale" | "CreditNote", number: string): Ask => ({
    family: "invoiceUpdate",
    by: "seller",
    invoiceNumber: number,
    command: () => ({ _tag: kind, invoice: invoice(number), items: [], packages: null })
  })
  const check = (items: ReadonlyArray<Portion> | null): Ask => ({
    family: "return",
    by: "seller",
    command: () => ({
      _tag: "CheckQuality",
      items: items?.map((one) => ({ ...one, reasonCode: isBad ? 113 : null })) ?? null,
      bad: isBad
    })
  })
  const giveBack = (items: ReadonlyArray<Portion> | null): Ask => ({
    family: "status",
    by: "marketplace",
    command: (newShipmentId) => ({
      _tag: "InitiateReturn",
      by: "marketplace",
      items: items?.map((one) => ({ ...one, externalLineId: null, reason: "too small" })) ?? null,
      returnId: null,
      newShipmentId,
      meta: noMeta
    })
  })
  const cancel = (items: ReadonlyArray<Portion>): Ask => ({
    family: "cancel",
    by: "seller",
    command: (partId) => ({ _tag: "Cancel", items: items.map((one) => ({ ...one, reasonCode: null })), partId })
  })
  return [
    { family: "confirm", by: "seller", command: () => ({ _tag: "Confirm", items: left }) },
    ...(part.length === 0 ? [] : [cancel(part), giveBack(part)]),
    ...(Choice.isChance(draw, 0.1) ? [cancel(left)] : []),
    document("InvoiceSale", `INV-${shipment.id}`),
    document("CreditNote", `CN-${shipment.id}`),
    { family: "pack", by: "seller", command: () => ({ _tag: "Pack" }) },
    { family: "dispatch", by: "seller", command: () => ({ _tag: "Dispatch", items: null }) },
    assign("seller", false),
    assign("seller", true),
    assign("marketplace", false),
    giveBack(null),
    check(null),
    ...(portion(draw, unsettled).length === 0 ? [] : [check(portion(draw, unsettled).slice(0, 1))]),
    ...statuses(draw).map((status): Ask => {
      const by = Choice.oneOf(draw, ["seller", "marketplace"] as const)
      return { family: "status", by, command: () => ({ _tag: "Report", by, status, meta: noMeta }) }
    })
  ]
}

const isAllowed =
  (world: World.World, shipment: Shipment, returns: ReadonlyArray<Shipment>) =>
  ({ command }: Ask): boolean => {
    const moved = Lifecycle.move(shipment, command("1"), world.now, { returns })
    return Result.isSuccess(moved) && !moved.success.unchanged
  }

const requestOf = (shipment: Shipment, ask: Ask, at: number): MoveBatch.MoveRequest => ({
  shipmentId: shipment.id,
  path: `/${at}/orderId`,
  command: ask.command,
  ...(ask.invoiceNumber === undefined ? {} : { invoiceNumber: ask.invoiceNumber }),
  ...(ask.awbs === undefined ? {} : { awbs: ask.awbs })
})

interface Found {
  readonly orderId: string
  readonly slug: World.Slug
  readonly shipment: Shipment
  readonly returns: ReadonlyArray<Shipment>
}

const everyShipment = (world: World.World): ReadonlyArray<Found> =>
  [...world.placed].flatMap(([orderId, { order, shipments }]) =>
    shipments.map((shipment) => ({
      orderId,
      slug: order.marketplace as World.Slug,
      shipment,
      returns: shipments.filter(({ forwardId, journey }) => journey === "return" && forwardId === shipment.id)
    }))
  )

/**
 * Shipments in a final status move rarely.
 */
const finals: ReadonlySet<string> = new Set(
  "cancelled_seller cancelled_customer credit_note_generated deadstock bag_lost".split(" ")
)

export const move = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const service = yield* Shipments.Shipments
    const all = everyShipment(world).filter(
      ({ shipment }) => !finals.has(shipment.status) || Choice.isChance(draw, 0.1)
    )
    if (all.length === 0) return "there is nothing to move"
    const first = Choice.oneOf(draw, all)
    const asks = asksOf(world, first.shipment)
    const allowed = asks.filter(isAllowed(world, first.shipment, first.returns))
    const ask = Choice.oneOf(draw, allowed.length > 0 && Choice.isChance(draw, 0.85) ? allowed : asks)
    const others = all.filter(
      ({ shipment, slug }) =>
        shipment.companyId === first.shipment.companyId && (ask.by === "seller" || slug === first.slug)
    )
    const more = Array.from({ length: Choice.between(draw, 0, 3) }, () => Choice.oneOf(draw, others)).flatMap((one) => {
      const same = asksOf(world, one.shipment).filter(({ by, family }) => by === ask.by && family === ask.family)
      const good = same.filter(isAllowed(world, one.shipment, one.returns))
      return same.length === 0 ? [] : [[one, Choice.oneOf(draw, good.length > 0 ? good : same)] as const]
    })
    const chosen = [[first, ask] as const, ...more]
    const requests = chosen.map(([{ shipment }, asked], at) => Result.succeed(requestOf(shipment, asked, at)))
    for (const [{ orderId }] of chosen) world.touched.add(orderId)
    const summary =
      ask.by === "seller"
        ? yield* service.moveAsSeller(World.seller(first.shipment.companyId), ask.family, requests)
        : yield* service.moveAsMarketplace(World.marketplace(first.slug), ask.family, requests)
    return `${ask.by} ${ask.family} of ${chosen.map(([{ shipment }]) => shipment.id.slice(-7)).join(", ")}: ${summary.status}`
  })

/**
 * The host locks a shipment for a while, or unlocks what it locked.
 */
export const lock = (world: World.World) =>
  Effect.gen(function* () {
    const { setLocked } = yield* Shipments.Shipments
    const all = everyShipment(world)
    if (all.length === 0) return "there is nothing to lock"
    const locked = all.filter(({ shipment }) => shipment.locked)
    const { orderId, shipment } = Choice.oneOf(world.draw, locked.length > 0 ? locked : all)
    world.touched.add(orderId)
    const company: CompanyId = shipment.companyId
    const summary: Bulk.Summary = yield* setLocked(World.host, company, [shipment.id], !shipment.locked)
    return `host ${shipment.locked ? "unlocks" : "locks"} ${shipment.id.slice(-7)}: ${summary.status}`
  })
