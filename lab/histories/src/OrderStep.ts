/** A marketplace places an order of any shape. Its amounts add up. */

import { type OrderDraft, type OrderLineDraft, Orders } from "@crossdock/orders"
import { mayMoveStock } from "@crossdock/shipments"
import type { Random } from "@crossdock/system-tests/Random"
import { Effect } from "effect"
import * as Aborted from "./Aborted.ts"
import * as Charges from "./Charges.ts"
import * as Choice from "./Choice.ts"
import * as Fields from "./Fields.ts"
import * as Goods from "./Goods.ts"
import * as World from "./World.ts"

const address = {
  name: "A Customer",
  phone: "1",
  email: null,
  address1: "1 Road",
  address2: null,
  landmark: null,
  city: "Pune",
  state: "Maharashtra",
  pincode: "411001",
  country: "India"
}

/** A line of an order, in paise. Half of the amounts are small, where rounding matters most. A `free` line costs 0. */
const lineOf = (
  draw: Random,
  sku: string,
  free: boolean
): { readonly line: OrderLineDraft; readonly total: number } => {
  const quantity = Choice.between(draw, 1, 4)
  const esp = Choice.between(draw, 1, Choice.isChance(draw, 0.5) ? 30 : 100_000)
  const deliveryCharge = Choice.isChance(draw, 0.5) ? Choice.between(draw, 0, 50) : 0
  const gross = esp * quantity + deliveryCharge
  const discount = Choice.isChance(draw, 0.5) ? Choice.between(draw, 0, gross) : 0
  const couponDiscount = free
    ? gross - discount
    : Choice.isChance(draw, 0.5)
      ? Choice.between(draw, 0, gross - discount)
      : 0
  const total = gross - discount - couponDiscount
  const tax = Choice.isChance(draw, 0.7) ? { rate: 12, amount: Choice.between(draw, 0, total) / 100 } : null
  const amounts = { esp: esp / 100, discount: discount / 100, couponDiscount: couponDiscount / 100 }
  return {
    line: {
      externalLineId: null,
      sku,
      quantity,
      mrp: null,
      ...amounts,
      deliveryCharge: deliveryCharge / 100,
      tax,
      ...Fields.drawn(draw, "item")
    },
    total
  }
}

/** Up to four payment methods of either mode. Their sum is the total with the host's charges. */
const paymentOf = (draw: Random, withoutCharges: number): OrderDraft["payment"] => {
  const mode = Choice.oneOf(draw, ["COD", "PREPAID"] as const)
  const total = Charges.totalWith(mode, withoutCharges)
  if (Choice.isChance(draw, 0.3)) return { mode, methods: [] }
  const cuts = Array.from({ length: Choice.between(draw, 0, 3) }, () => Choice.between(draw, 0, total))
  const ends = [...cuts.toSorted((a, b) => a - b), total]
  const methods = ends.map((end, at) => ({
    mode: Choice.oneOf(draw, ["COD", "UPI", "CARD"]),
    name: `method ${at}`,
    amount: (end - (ends[at - 1] ?? 0)) / 100
  }))
  return { mode, methods }
}

const chargesOf = (draw: Random): OrderDraft["charges"] =>
  Array.from({ length: Choice.isChance(draw, 0.5) ? Choice.between(draw, 1, 2) : 0 }, (_, at) => {
    const amount = Choice.between(draw, 0, 100)
    const tax = Choice.isChance(draw, 0.5) ? { rate: 18, amount: Choice.between(draw, 0, amount) / 100 } : null
    return { name: `charge ${at}`, type: "FEE", amount: amount / 100, tax }
  })

const draftOf = (world: World.World, slug: World.Slug): OrderDraft => {
  const { draw } = world
  const mapped = world.registrations[slug].locations.map(({ code }) => code)
  const free = Choice.isChance(draw, 0.1)
  const shipments = Array.from({ length: Choice.between(draw, 1, 2) }, (_, at) => {
    const skus = Choice.some(draw, Goods.skus, 0.15)
    return {
      externalShipmentId: `S${at}`,
      location: mapped.length === 0 ? "nowhere" : Choice.oneOf(draw, mapped),
      fulfillment: Choice.oneOf(draw, ["SELLER", "MARKETPLACE"] as const),
      selfShip: Choice.isChance(draw, 0.5),
      lines: (skus.length === 0 ? [Choice.oneOf(draw, Goods.skus)] : skus).map((sku) =>
        lineOf(draw, sku, free || Choice.isChance(draw, 0.1))
      )
    }
  })
  const charges = chargesOf(draw)
  const lines = shipments.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.total, 0)
  const total = charges.reduce((sum, { amount }) => sum + Math.round(amount * 100), lines)
  world.orders += 1
  return {
    externalOrderId: `E${world.orders}`,
    currency: "INR",
    orderDate: null,
    payment: paymentOf(draw, total),
    customer: null,
    billingAddress: address,
    shippingAddress: address,
    coupon: null,
    charges,
    gstin: null,
    totalAmount: null,
    shipments: shipments.map(({ fulfillment, lines, selfShip, ...rest }) => ({
      ...rest,
      fulfillment,
      selfShip: fulfillment === "SELLER" && selfShip,
      packAfter: null,
      packBy: null,
      dispatchBy: null,
      deliverBy: null,
      lines: lines.map(({ line }) => line),
      ...Fields.drawn(draw, "shipment")
    })),
    meta: null,
    ...Fields.drawn(draw, "order")
  }
}

/** Places an order. It is sometimes sent twice, as by a marketplace that got no answer or aborted the first request. */
export const place = (world: World.World) =>
  Effect.gen(function* () {
    const { place, read } = yield* Orders.Orders
    const slug = Choice.oneOf(world.draw, World.slugs)
    const draft = draftOf(world, slug)
    if (Choice.isChance(world.draw, 0.1)) {
      const rejected = yield* Effect.flip(place(World.marketplace(slug), Fields.spoiled(draft)))
      if (rejected._tag === "StorageError" || rejected.code !== "VALIDATION_FAILED") return yield* rejected
      return `${slug} orders ${draft.externalOrderId} with a wrong field`
    }
    yield* Aborted.sometimes(world, place(World.marketplace(slug), draft))
    const placed = yield* Effect.result(place(World.marketplace(slug), draft))
    if (placed._tag === "Failure") {
      if (placed.failure._tag === "StorageError") return yield* placed.failure
      return `${slug} orders ${draft.externalOrderId}: ${placed.failure.code}`
    }
    const { id } = placed.success
    if (Choice.isChance(world.draw, 0.2)) {
      const again = yield* place(World.marketplace(slug), draft)
      if (again.id !== id) return yield* Effect.die(new Error(`${draft.externalOrderId} became two orders`))
    }
    const { order } = yield* read(World.marketplace(slug), id)
    world.placed.set(id, { sent: draft, order, shipments: [] })
    world.touched.add(id)
    return `${slug} orders ${draft.externalOrderId}`
  })

/** The host erases the personal data of a completed order, or tries to. */
export const erase = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { erase } = yield* Orders.Orders
    const all = [...world.placed.values()]
    const done = all.filter(({ shipments }) => !shipments.some(mayMoveStock))
    if (all.length === 0) return "there is nothing to erase"
    const { order } = Choice.oneOf(draw, done.length > 0 && Choice.isChance(draw, 0.8) ? done : all)
    const erased = yield* Effect.result(erase(World.host, order.marketplace, order.id))
    if (erased._tag === "Failure" && erased.failure._tag !== "OrderInProgress") return yield* erased.failure
    world.touched.add(order.id)
    if (erased._tag === "Success") world.erased.add(order.id)
    return `${order.draft.externalOrderId} is erased: ${erased._tag}`
  })
