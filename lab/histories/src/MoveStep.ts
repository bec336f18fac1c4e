/** A seller, a marketplace or the host moves shipments. Most moves are allowed, so that shipments get far. */
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
  ShipmentStore,
  Shipments
} from "@crossdock/shipments"
import { Effect, Result } from "effect"
import * as Choice from "./Choice.ts"
import * as World from "./World.ts"

interface Ask {
  readonly family: OperationFamily
  readonly by: "seller" | "marketplace"
  readonly command: (newId: string) => ShipmentCommand
}

const portion = (draw: World.World["draw"], items: ReadonlyArray<Portion>): ReadonlyArray<Portion> =>
  items.flatMap(({ itemId, quantity }) => {
    const units = Choice.between(draw, 0, quantity)
    return units === 0 ? [] : [{ itemId, quantity: units }]
  })

const invoice = (draw: World.World["draw"], number: string) => {
  const registered = Choice.isChance(draw, 0.5)
  const of = (name: string) => (registered ? `${name} of ${number}` : null)
  return { number, irn: of("irn"), qrCode: of("qr"), signedInvoice: of("signed"), ackNumber: null, ackDate: null }
}

const withSerials = (draw: World.World["draw"], items: ReadonlyArray<Portion>) =>
  Choice.some(draw, items).map(({ itemId }) => ({
    itemId,
    quantity: null,
    imei: Choice.isChance(draw, 0.5) ? [`IMEI ${Choice.between(draw, 1, 99)}`] : []
  }))

const parcel = (draw: World.World["draw"]) => {
  const one = { id: null, lengthCm: null, widthCm: null, heightCm: null, weightGrams: Choice.between(draw, 1, 900) }
  return Choice.isChance(draw, 0.5) ? [one] : null
}

/** The statuses to report. Cancellations by customers are rare, because otherwise no shipment would get far. */
const statuses = (draw: World.World["draw"]): ReadonlyArray<OperationalStatus> =>
  Choice.isChance(draw, 0.1)
    ? operationalStatuses
    : operationalStatuses.filter((status) => status !== "cancelled_customer")

const report = (status: string): Ask => ({
  family: "status",
  by: "marketplace",
  command: () => ({ _tag: "Report", by: "marketplace", status, meta: noMeta })
})

const giveBackOf = (items: ReadonlyArray<Portion> | null): Ask => ({
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

const checkOf = (items: ReadonlyArray<Portion> | null, isBad: boolean): Ask => ({
  family: "return",
  by: "seller",
  command: () => ({
    _tag: "CheckQuality",
    items: items?.map((one) => ({ ...one, reasonCode: isBad ? 113 : null })) ?? null,
    bad: isBad
  })
})

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
    command: () => ({ _tag: "AssignAwb", by, awbNumber: awb, courierName: "Swift", autoDispatch })
  })
  const document = (kind: "InvoiceSale" | "CreditNote", number: string): Ask => ({
    family: "invoiceUpdate",
    by: "seller",
    command: () => ({
      _tag: kind,
      invoice: invoice(draw, number),
      items: withSerials(draw, left),
      packages: parcel(draw)
    })
  })
  const check = (items: ReadonlyArray<Portion> | null) => checkOf(items, isBad)
  const cancel = (items: ReadonlyArray<Portion>): Ask => ({
    family: "cancel",
    by: "seller",
    command: (partId) => ({ _tag: "Cancel", items: items.map((one) => ({ ...one, reasonCode: null })), partId })
  })
  return [
    { family: "confirm", by: "seller", command: () => ({ _tag: "Confirm", items: left }) },
    ...(part.length === 0 ? [] : [cancel(part), giveBackOf(part)]),
    ...(Choice.isChance(draw, 0.1) ? [cancel(left)] : []),
    // Without a number, the host gives the invoice a number of its series.
    document("InvoiceSale", Choice.isChance(draw, 0.5) ? "" : `INV-${shipment.id}`),
    document("CreditNote", Choice.isChance(draw, 0.5) ? "" : `CN-${shipment.id}`),
    { family: "pack", by: "seller", command: () => ({ _tag: "Pack" }) },
    { family: "dispatch", by: "seller", command: () => ({ _tag: "Dispatch", items: null }) },
    assign("seller", false),
    assign("seller", true),
    assign("marketplace", false),
    giveBackOf(null),
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
  command: ask.command
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

/** Makes these requests for a shipment, one after the other. Rejected requests change nothing. */
const drive = (world: World.World, { orderId, slug }: Found, shipmentId: string, asks: ReadonlyArray<Ask>) =>
  Effect.gen(function* () {
    const { moveAsMarketplace, moveAsSeller } = yield* Shipments.Shipments
    const shipment = yield* Effect.map((yield* ShipmentStore).ofOrder(orderId), (all) =>
      all.find(({ id }) => id === shipmentId)
    )
    if (shipment === undefined) return
    world.touched.add(orderId)
    for (const ask of asks) {
      const request = [Result.succeed(requestOf(shipment, ask, 0))]
      yield* ask.by === "seller"
        ? moveAsSeller(World.seller(shipment.companyId), ask.family, request)
        : moveAsMarketplace(World.marketplace(slug), ask.family, request)
    }
  })

const retry = ["out_for_delivery", "delivery_attempt_failed", "delivery_reattempt_requested"] as const

const ends: ReadonlyArray<readonly [weight: number, statuses: ReadonlyArray<string>]> = [
  [6, ["delivery_done"]],
  [2, [...retry, "delivery_done"]],
  [2, ["out_for_delivery", "rejected_by_customer", "rto_in_transit", "rto_bag_delivered"]]
]

/** A shipment reaches its customer, and perhaps returns to its origin. */
export const deliver = (world: World.World) =>
  Effect.gen(function* () {
    const open = everyShipment(world).filter(({ shipment: { status } }) => /^(placed|bag_|dp_)/.test(status))
    if (open.length === 0) return "there is nothing to deliver"
    const found = Choice.oneOf(world.draw, open)
    const asks = asksOf(world, found.shipment).filter(({ by }) => by === "seller")
    const byTag = (tag: ShipmentCommand["_tag"]) => asks.find(({ command }) => command("1")._tag === tag) ?? []
    const all = [
      byTag("Confirm"),
      byTag("InvoiceSale"),
      report("dp_assigned"),
      byTag("Pack"),
      byTag("Dispatch"),
      report("bag_picked"),
      ...Choice.weighted(world.draw, ends).map(report)
    ].flat()
    yield* drive(world, found, found.shipment.id, all)
    return `${found.shipment.id.slice(-7)} is sent`
  })

/** All units of a delivered shipment come back and are checked. */
export const comeBack = (world: World.World) =>
  Effect.gen(function* () {
    const store = yield* ShipmentStore
    const out = everyShipment(world).filter(
      ({ returns, shipment: { journey, status } }) =>
        journey === "forward" &&
        returns.length === 0 &&
        (status === "delivery_done" || status === "handed_over_to_customer")
    )
    if (out.length === 0) return "nothing is delivered"
    const found = Choice.oneOf(world.draw, out)
    yield* drive(world, found, found.shipment.id, [giveBackOf(null)])
    for (const { forwardId, id, journey } of yield* store.ofOrder(found.orderId)) {
      if (journey !== "return" || forwardId !== found.shipment.id) continue
      const asks = ["return_dp_assigned", "return_bag_in_transit", "return_bag_delivered"].map(report)
      yield* drive(world, found, id, [...asks, checkOf(null, Choice.isChance(world.draw, 0.5))])
    }
    return `${found.shipment.id.slice(-7)} comes back`
  })

/** The host locks a shipment for a while, or unlocks it. */
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
