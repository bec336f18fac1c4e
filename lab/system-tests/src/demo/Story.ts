/** Plays the retail sample over HTTP. It sets prices and stock, places orders, and moves every order to its end. */

import type { RetailProduct } from "@crossdock/cli/SandboxData"
import type { Api } from "../Api.ts"
import type { Receiver } from "./Receiver.ts"
import * as Sample from "./Sample.ts"

interface Rejected {
  readonly code: string
}

/** How often each thing happened. `rejected` has counts by code. */
export interface Tally {
  records: number
  orders: number
  moves: number
  cancelled: number
  delivered: number
  readonly rejected: Map<string, number>
  readonly faults: Array<string>
}

export const newTally = (): Tally => ({
  records: 0,
  orders: 0,
  moves: 0,
  cancelled: 0,
  delivered: 0,
  rejected: new Map(),
  faults: []
})

const reject = (tally: Tally, code: string) => tally.rejected.set(code, (tally.rejected.get(code) ?? 0) + 1)

const chunks = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

interface BulkBody {
  readonly data: { readonly success_count: number; readonly errors: ReadonlyArray<Rejected> }
}

const bulk = async (api: Api, tally: Tally, path: string, records: ReadonlyArray<unknown>) => {
  for (const some of chunks(records, 500)) {
    const { body, status } = await api.call<BulkBody>("PUT", path, some)
    if (status !== 200 || body.data.errors.length > 0)
      tally.faults.push(`${path} answered ${status}: ${JSON.stringify(body)}`)
    tally.records += some.length
  }
}

/** Sets the price and stock of each SKU at both locations: the units that the sample orders, plus `spare`. */
export const stockUp = async (
  api: Api,
  tally: Tally,
  products: ReadonlyArray<RetailProduct>,
  demand: ReadonlyMap<string, number>,
  spare: number
) => {
  const places = products.flatMap((product) => ["BLR1", "BOM1"].map((location) => ({ product, location })))
  await bulk(
    api,
    tally,
    "/ims/v3/price",
    places.map(({ location, product }) => ({
      location_id: location,
      sku: product.sku,
      mrp: Number(product.mrp),
      esp: Number(product.esp),
      currency: "INR"
    }))
  )
  await bulk(
    api,
    tally,
    "/ims/v3/inventory",
    places.map(({ location, product }) => ({
      location_id: location,
      sku: product.sku,
      quantity: (demand.get(`${product.sku} ${location}`) ?? 0) + spare
    }))
  )
}

export interface Placed {
  readonly shipment: string
  readonly invoice: Sample.Invoice
}

/** Places the invoices of the sample as orders, several at a time. */
export const placeOrders = async (api: Api, tally: Tally, invoices: ReadonlyArray<Sample.Invoice>) => {
  const placed: Array<Placed> = []
  for (const some of chunks([...invoices.entries()], 8)) {
    await Promise.all(
      some.map(async ([at, invoice]) => {
        const order = Sample.orderOf(invoice, at)
        const { body, status } = await api.call<{
          readonly code?: string
          readonly shipments?: ReadonlyArray<{ readonly shipment_id: string }>
        }>("POST", "/order/api/v1/bazaar/create", order)
        const shipment = body.shipments?.[0]?.shipment_id
        if (status === 200 && shipment !== undefined) {
          tally.orders++
          placed.push({ shipment, invoice })
        } else {
          reject(tally, body.code ?? String(status))
          tally.faults.push(`Order ${invoice.invoice} was rejected: ${JSON.stringify(body)}`)
        }
      })
    )
  }
  return placed
}

/** Orders one unit too many. The order must be rejected. */
export const oversell = async (api: Api, tally: Tally, sku: string, location: string, left: number) => {
  const order = Sample.orderOf(
    {
      invoice: "ONE-TOO-MANY",
      cancellation: false,
      date: "2010-12-01T12:00:00Z",
      country: "India",
      lines: [{ sku, quantity: left + 1, unitPrice: "1.00" }]
    },
    location === "BLR1" ? 0 : 1
  )
  const { body, status } = await api.call<Rejected>("POST", "/order/api/v1/bazaar/create", order)
  if (status === 409) reject(tally, `${body.code} (one unit too many, ordered on purpose)`)
  else tally.faults.push(`One unit too many of ${sku} answered ${status}`)
}

interface ReadShipment {
  readonly id: string
  readonly orderStatus: string
  readonly orderItems: ReadonlyArray<{ readonly orderItemId: string; readonly quantity: number }>
}

type Moves = (shipments: ReadonlyArray<ReadShipment>) => ReadonlyArray<unknown>

const move = async (
  api: Api,
  tally: Tally,
  method: string,
  operation: string,
  shipments: ReadonlyArray<ReadShipment>,
  payload: Moves
) => {
  for (const some of chunks(shipments, 20)) {
    const { body } = await api.call<Partial<BulkBody> & { readonly errors?: ReadonlyArray<Rejected> }>(
      method,
      `/oms/v3/shipment/${operation}`,
      payload(some)
    )
    const errors = body.data?.errors ?? body.errors ?? [{ code: "NO_ANSWER" }]
    for (const error of errors) {
      reject(tally, error.code)
      tally.faults.push(`${operation}: ${JSON.stringify(error)}`)
    }
    tally.moves += some.length - errors.length
  }
}

const status =
  (to: string): Moves =>
  (some) =>
    some.map(({ id }) => ({ orderId: id, orderStatus: to }))

const withItems: Moves = (some) =>
  some.map(({ id, orderItems }) => ({
    orderId: id,
    orderItems: orderItems.map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
  }))

/** Does the work of a seller: reads new orders, cancels some, and delivers the others. */
export const fulfil = async (api: Api, tally: Tally, placed: ReadonlyArray<Placed>, say: (line: string) => void) => {
  const shipments = await Promise.all(
    placed.map(async ({ invoice, shipment }) => {
      const { body } = await api.call<ReadonlyArray<ReadShipment>>("GET", `/oms/v3/shipment?orderId=${shipment}`)
      return { invoice, shipment: body[0] }
    })
  )
  const read = shipments.flatMap(({ invoice, shipment }) => (shipment === undefined ? [] : [{ invoice, shipment }]))
  const kept = read.filter(({ invoice }) => !invoice.cancellation).map(({ shipment }) => shipment)
  const cancelled = read.filter(({ invoice }) => invoice.cancellation).map(({ shipment }) => shipment)
  await move(api, tally, "POST", "cancel", cancelled, withItems)
  tally.cancelled = cancelled.length
  say(`cancelled ${cancelled.length} orders`)
  const steps: ReadonlyArray<readonly [string, string, Moves]> = [
    ["POST", "confirm", withItems],
    [
      "POST",
      "invoiceUpdate",
      (some) => some.map(({ id }) => ({ orderId: id, invoiceNumber: `INV-${id}`, invoiceType: "sale" }))
    ],
    ["POST", "pack", (some) => some.map(({ id }) => ({ orderId: id }))],
    [
      "PUT",
      "awb",
      (some) =>
        some.map(({ id }) => ({ orderId: id, awbNumber: `AWB${id}`, courierName: "Demo Courier", autoDispatch: false }))
    ],
    ["POST", "dispatch", (some) => some.map(({ id }) => ({ orderId: id }))],
    ["PUT", "status", status("out_for_delivery")],
    ["PUT", "status", status("delivery_done")]
  ]
  for (const [method, operation, payload] of steps) {
    await move(api, tally, method, operation, kept, payload)
    say(`${operation}: ${kept.length} orders`)
  }
  const after = await Promise.all(
    kept.map(({ id }) => api.call<ReadonlyArray<ReadShipment>>("GET", `/oms/v3/shipment?orderId=${id}`))
  )
  tally.delivered = after.filter(({ body }) => body[0]?.orderStatus === "DELIVERED").length
  if (tally.delivered !== kept.length) tally.faults.push(`${tally.delivered} of ${kept.length} orders were delivered`)
}

/** Polls until the marketplace has exactly the sellable stock. After 15 seconds, it records the first difference. */
export const untilNotified = async (receiver: Receiver, expected: ReadonlyMap<string, number>, tally: Tally) => {
  const difference = () => [...expected].find(([key, quantity]) => receiver.stock.get(key) !== quantity)
  const until = Date.now() + 15_000
  while (difference() !== undefined && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50))
  const different = difference()
  if (different !== undefined) {
    const [key, quantity] = different
    tally.faults.push(`The marketplace has ${receiver.stock.get(key)} of ${key} instead of ${quantity}`)
  }
  if (receiver.counts.badSignatures > 0) tally.faults.push(`${receiver.counts.badSignatures} signatures were wrong`)
}
