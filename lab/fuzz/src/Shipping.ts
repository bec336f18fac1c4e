/** Orders and their moves through the lifecycle. Rules decide whether a move must succeed, or the code of its rejection. */
import * as Choice from "@crossdock/histories/Choice"
import { unitsLeft } from "@crossdock/returns"
import {
  Lifecycle,
  logistics,
  noMeta,
  operationalStatuses,
  reportOrReturn,
  type Shipment,
  type ShipmentCommand
} from "@crossdock/shipments"
import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
import * as Result from "effect/Result"
import type { Answer } from "./Connection.ts"
import type { FuzzRun } from "./FuzzRun.ts"
import { isObject } from "./JsonText.ts"
import { named } from "./Operation.ts"
import * as Request from "./Request.ts"

/** SKUs whose stock and prices no other request changes. */
export const skus = ["85123A", "71053", "84406B"] as const

interface Placed {
  readonly orderId: string
  readonly shipments: Map<string, Shipment>
}

interface Ask {
  readonly operation: string
  readonly by: "seller" | "marketplace"
  readonly record: object
  readonly command: ShipmentCommand
}

interface Bag {
  readonly bag_id: string
  readonly quantity: number
}

interface Seen {
  readonly shipment_id: string
  readonly forward_shipment_id: string
  readonly status: string
  readonly bags: ReadonlyArray<Bag>
}

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}
const invoice = (number: string) => ({
  number,
  irn: null,
  qrCode: null,
  signedInvoice: null,
  ackNumber: null,
  ackDate: null
})
const newId = "to be read"

const orders = 30

export interface Shipping {
  readonly step: () => Promise<void>
  /** The ids of shipments that are in one of these statuses. */
  readonly inStatus: (...statuses: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly orderIds: () => ReadonlyArray<string>
}

const shipmentsOf = ({ json }: Answer): ReadonlyArray<Seen> =>
  isObject(json) && Array.isArray(json.shipments) ? (json.shipments as ReadonlyArray<Seen>) : []

export const make = (session: FuzzRun): Shipping => {
  const { draw, fail, known, sendUnlearned: send } = session
  const [seller, marketplace] = [session.caller("acme"), session.caller("bazaar")]
  const slug = { marketplace_slug: "bazaar" }
  const placed: Array<Placed> = []

  const read = async (orderId: string): Promise<ReadonlyArray<Seen>> => {
    const request = Request.make(named("marketplace orders.read"), marketplace, {
      path: slug,
      query: [["platform_order_id", orderId]],
      expected: [200]
    })
    const shipments = shipmentsOf(await send(request))
    for (const { shipment_id } of shipments) known.reserve(shipment_id)
    return shipments
  }

  const place = async () => {
    const lines = Choice.some(draw, skus, 0.6).map((sku) => ({ sku, quantity: Choice.between(draw, 1, 3), esp: 100 }))
    const fulfillment = Choice.oneOf(draw, ["SELLER", "MARKETPLACE"] as const)
    const selfShip = Choice.isChance(draw, 0.5)
    const body = {
      external_order_id: known.newId(),
      ordering_currency: "INR",
      payment: { mode: "PREPAID" },
      billing_address: address,
      shipping_address: address,
      shipments: [
        {
          external_shipment_id: "S1",
          location_id: "BLR1",
          fulfillment_type: fulfillment,
          is_self_ship: selfShip,
          lines: lines.length === 0 ? [{ sku: skus[0], quantity: 2, esp: 100 }] : lines
        }
      ]
    }
    const answer = await send(
      Request.make(named("marketplace orders.create"), marketplace, { path: slug, body, expected: [200] })
    )
    if (!isObject(answer.json) || answer.status !== 200) return
    const orderId = String(answer.json.platform_order_id)
    known.reserve(orderId)
    const [seen] = await read(orderId)
    if (seen === undefined) return
    const items = seen.bags.map((bag) => shipmentItem({ id: bag.bag_id, ordered: bag.quantity }))
    const shipment = placedShipment({ id: seen.shipment_id, items, fulfillment, selfShip })
    placed.push({ orderId, shipments: new Map([[shipment.id, shipment]]) })
    if (placed.length > orders) placed.shift()
  }

  const portion = (shipment: Shipment) =>
    shipment.items.flatMap((item) => {
      const quantity = Choice.between(draw, 0, unitsLeft(item))
      return quantity === 0 ? [] : [{ itemId: item.id, quantity }]
    })

  const wire = (items: ReadonlyArray<{ readonly itemId: string; readonly quantity: number }>) =>
    items.map(({ itemId, quantity }) => ({ orderItemId: itemId, quantity }))

  /** All requests that a caller could make for a shipment, with random units. */
  const asksOf = (shipment: Shipment): ReadonlyArray<Ask> => {
    const orderId = shipment.id
    const left = shipment.items
      .map((item) => ({ itemId: item.id, quantity: unitsLeft(item) }))
      .filter(({ quantity }) => quantity > 0)
    const part = portion(shipment)
    const bad = Choice.isChance(draw, 0.4)
    const number = `I-${known.newId()}`
    const awbNumber = `A-${known.newId()}`
    const awb = (by: Ask["by"], autoDispatch: boolean): Ask => ({
      operation: by === "seller" ? "seller shipments.awb" : "marketplace orders.awb",
      by,
      record: {
        orderId,
        awbNumber,
        courierName: "Swift",
        autoDispatch,
        ...(by === "seller" ? {} : { isSelfShip: true })
      },
      command: { _tag: "AssignAwb", by, awbNumber, courierName: "Swift", autoDispatch }
    })
    const document = (kind: "InvoiceSale" | "CreditNote"): Ask => ({
      operation: "seller shipments.invoiceUpdate",
      by: "seller",
      record: {
        orderId,
        ...(known.isOwn && Choice.isChance(draw, 0.5) ? {} : { invoiceNumber: number }),
        invoiceType: kind === "InvoiceSale" ? "sale" : "return"
      },
      command: { _tag: kind, invoice: invoice(number), items: [], packages: null }
    })
    const status = (by: Ask["by"], status: string, items: typeof part | null): Ask => ({
      operation: by === "seller" ? "seller shipments.status" : "marketplace orders.status",
      by,
      record:
        by === "seller"
          ? { orderId, orderStatus: status }
          : {
              order_id: orderId,
              isSelfShip: true,
              status,
              ...(items === null ? {} : { meta: { items: wire(items) } })
            },
      command: reportOrReturn({
        by,
        status,
        items: items?.map((one) => ({ ...one, externalLineId: null, reason: null })) ?? null,
        returnId: null,
        newShipmentId: newId,
        meta: noMeta
      })
    })
    const cancel = (items: typeof part): Ask => ({
      operation: "seller shipments.cancel",
      by: "seller",
      record: { orderId, orderItems: wire(items) },
      command: { _tag: "Cancel", partId: newId, items: items.map((one) => ({ ...one, reasonCode: null })) }
    })
    return [
      ...(left.length === 0
        ? []
        : [
            {
              operation: "seller shipments.confirm",
              by: "seller",
              record: { orderId, orderItems: wire(left) },
              command: { _tag: "Confirm", items: left }
            } as const
          ]),
      ...(part.length === 0 || Choice.isChance(draw, 0.7)
        ? []
        : [cancel(part), status("marketplace", "return_initiated", part)]),
      ...(left.length > 0 && Choice.isChance(draw, 0.1) ? [cancel(left)] : []),
      document("InvoiceSale"),
      document("CreditNote"),
      { operation: "seller shipments.pack", by: "seller", record: { orderId }, command: { _tag: "Pack" } },
      {
        operation: "seller shipments.dispatch",
        by: "seller",
        record: { orderId },
        command: { _tag: "Dispatch", items: null }
      },
      awb("seller", false),
      awb("seller", true),
      awb("marketplace", false),
      {
        operation: "seller shipments.return",
        by: "seller",
        record: { orderId, badQc: bad },
        command: { _tag: "CheckQuality", items: null, bad }
      },
      ...operationalStatuses
        .filter((one) => one !== "cancelled_customer" || Choice.isChance(draw, 0.1))
        .flatMap((one) => [status("seller", one, null), status("marketplace", one, null)])
    ]
  }

  const returnsOf = ({ shipments }: Placed, { id }: Shipment) =>
    [...shipments.values()].filter(({ forwardId, journey }) => journey === "return" && forwardId === id)

  const moveOf = (order: Placed, shipment: Shipment, { command }: Ask) =>
    Lifecycle.move(shipment, command, 0, { returns: returnsOf(order, shipment) })

  /** The shipment with a courier. The default courier port assigns one at once. */
  const withCourier = (shipment: Shipment): Shipment => {
    if (logistics(shipment) !== "courier") return shipment
    const command = {
      _tag: "AssignCourier",
      by: "courier",
      courier: { name: "Courier", code: null, awbNumbers: ["1"] }
    } as const
    const waits = shipment.status === "bag_invoiced" || shipment.status === "return_initiated"
    return waits
      ? Result.match(Lifecycle.move(shipment, command, 0), {
          onFailure: () => shipment,
          onSuccess: (moved) => moved.shipment
        })
      : shipment
  }

  interface Chosen {
    readonly order: Placed
    readonly shipment: Shipment
    readonly ask: Ask
  }

  const follow = async (chosen: Chosen) => {
    const { ask, order, shipment } = chosen
    const moved = Result.getOrThrow(moveOf(order, shipment, ask))
    order.shipments.set(moved.shipment.id, withCourier(moved.shipment))
    if (moved.created === null) return
    const created = (await read(order.orderId)).find(
      ({ forward_shipment_id, shipment_id }) =>
        forward_shipment_id === shipment.forwardId && !order.shipments.has(shipment_id)
    )
    if (created !== undefined) {
      const own = withCourier({ ...moved.created, id: created.shipment_id })
      order.shipments.set(own.id, own)
    }
  }

  const compare = async (chosen: Chosen, request: Request.Request) => {
    const { order, shipment } = chosen
    const status = order.shipments.get(shipment.id)?.status
    const track = Request.make(named("seller shipments.track"), seller, {
      body: { shipment_id: shipment.id },
      expected: [200]
    })
    const answer = await send(track)
    const data = isObject(answer.json) ? answer.json.data : undefined
    const stored = isObject(data) ? data.operational_status : undefined
    if (stored !== status) fail(request, answer, `a shipment is ${String(stored)}, by the lifecycle ${status}`)
  }

  const move = async () => {
    const all = placed.flatMap((order) => [...order.shipments.values()].map((shipment) => ({ order, shipment })))
    if (all.length === 0) return place()
    const first = Choice.oneOf(draw, all)
    const asks = asksOf(first.shipment)
    const legal = asks.filter((ask) => {
      const moved = moveOf(first.order, first.shipment, ask)
      return Result.isSuccess(moved) && !moved.success.unchanged
    })
    const ask = Choice.oneOf(draw, legal.length > 0 && Choice.isChance(draw, 0.75) ? legal : asks)
    // The id of a forward shipment may also mean its return, so a request has only one record for each order.
    const others = Choice.some(draw, all, 2 / all.length).filter(({ order }) => order !== first.order)
    const chosen = [
      { ...first, ask },
      ...others
        .filter(({ order }, at) => others.findIndex((one) => one.order === order) === at)
        .flatMap((one) => {
          const same = asksOf(one.shipment).filter(({ operation }) => operation === ask.operation)
          return same.length === 0 ? [] : [{ ...one, ask: Choice.oneOf(draw, same) }]
        })
    ]
    const body = chosen.map((one) => one.ask.record)
    const caller = ask.by === "seller" ? seller : marketplace
    const request = Request.make(named(ask.operation), caller, {
      path: ask.by === "seller" ? {} : slug,
      body,
      expected: [200]
    })
    const answer = await send(request)
    const { json } = answer
    const data = isObject(json) && isObject(json.data) ? json.data : json
    const errors = isObject(data) && Array.isArray(data.errors) ? data.errors.filter(isObject) : undefined
    if (errors === undefined) return
    for (const [at, one] of chosen.entries()) {
      const code = errors.find(({ index }) => index === at)?.code ?? "ok"
      const moved = moveOf(one.order, one.shipment, one.ask)
      const due = Result.match(moved, { onFailure: (rejection) => rejection.code, onSuccess: () => "ok" })
      if (code !== due) {
        fail(
          request,
          answer,
          `record ${at} (${one.ask.command._tag} in ${one.shipment.status}, ${logistics(one.shipment)}) is ${String(code)}, by the lifecycle ${due}`
        )
      }
      if (code === "ok" && due === "ok") await follow(one)
      else if (code === "ok") one.order.shipments.clear()
      if (code === due && Choice.isChance(draw, 0.2)) await compare(one, request)
    }
  }

  return {
    step: () => (placed.length < 5 || Choice.isChance(draw, 0.12) ? place() : move()),
    inStatus: (...statuses) =>
      placed.flatMap(({ shipments }) =>
        [...shipments.values()].filter(({ status }) => statuses.includes(status)).map(({ id }) => id)
      ),
    orderIds: () => placed.map(({ orderId }) => orderId)
  }
}
