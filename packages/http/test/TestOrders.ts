/**
 * Orders for tests over HTTP, and readers of their answers.
 */
import { strictEqual } from "@effect/vitest/utils"
import type { Client } from "./TestHost.ts"

export interface Problem {
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message: string }>
}

export interface Placed extends Problem {
  readonly platform_order_id: string
  readonly shipments: ReadonlyArray<{ readonly external_shipment_id: string; readonly shipment_id: string }>
}

export const create = "/order/api/v1/bazaar/create"
export const shipment = "/oms/v3/shipment"

export const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

export const line = (sku: string, quantity = 1, more: object = {}) => ({ sku, quantity, esp: 100, ...more })

export const shipmentOf = (lines: ReadonlyArray<object>, more: object = {}) => ({
  external_shipment_id: "S1",
  location_id: "BLR1",
  lines,
  ...more
})

let orders = 0

export const order = (shipments: ReadonlyArray<object>, more: object = {}) => ({
  external_order_id: `ORDER-${++orders}`,
  ordering_currency: "INR",
  payment: { mode: "PREPAID" },
  billing_address: address,
  shipping_address: address,
  shipments,
  ...more
})

/**
 * Places an order that must be accepted.
 */
export const place = async (marketplace: Client, body: object, slug = "bazaar"): Promise<Placed> => {
  const answer = await marketplace.call<Placed>("POST", `/order/api/v1/${slug}/create`, body)
  strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export const setStock = async (api: Client, quantity: number, skus: ReadonlyArray<string>, location = "BLR1") => {
  const answer = await api.call<{ meta: { status: string } }>(
    "PUT",
    "/ims/v3/inventory",
    skus.map((sku) => ({ location_id: location, sku, quantity }))
  )
  strictEqual(answer.body.meta.status, "SUCCESS")
}

/**
 * On hand, reserved and unsellable of a SKU at a location.
 */
export const levelOf = async (api: Client, sku: string, location = "BLR1"): Promise<ReadonlyArray<number>> => {
  const { body } = await api.call<{
    data: ReadonlyArray<{ location_id: string; quantity: number; reserved: number; unsellable: number }>
  }>("GET", `/ims/v3/listings?skus=${sku}`)
  const row = body.data.find(({ location_id }) => location_id === location)
  return row === undefined ? [] : [row.quantity, row.reserved, row.unsellable]
}

export interface Seen {
  readonly id: string
  readonly forwardId: string
  readonly marketplaceOrderId: string
  readonly orderStatus: string
  readonly journeyType: string
  readonly courierName: string | null
  readonly awbNumber: ReadonlyArray<string>
  readonly is_returnless: boolean
  readonly invoiceNumber: string | null
  readonly returnInvoiceNumber: string | null
  readonly packages: ReadonlyArray<unknown>
  readonly orderItems: ReadonlyArray<{
    readonly orderItemId: string
    readonly sku: string
    readonly quantity: number
    readonly cancelledQuantity: number
    readonly orderItemPrice: Readonly<Record<string, number>>
  }>
  readonly orderPrice: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/**
 * A shipment as its seller sees it.
 */
export const seen = async (api: Client, id: string): Promise<Seen> => {
  const answer = await api.call<ReadonlyArray<Seen>>("GET", `${shipment}?orderId=${id}`)
  strictEqual(answer.status, 200, JSON.stringify(answer.body))
  strictEqual(answer.body.length, 1)
  return answer.body[0] as Seen
}

interface Entry {
  readonly index: number
  readonly code: string
  readonly path?: string
  readonly reason?: string
}

interface Result {
  readonly payloadCount?: number
  readonly successCount?: number
  readonly failedCount?: number
  readonly status?: string
  readonly errors?: ReadonlyArray<Entry>
  readonly data?: {
    readonly payload_count: number
    readonly success_count: number
    readonly failed_count: number
    readonly errors: ReadonlyArray<Entry>
  }
  readonly meta?: { readonly status: string }
}

/**
 * Sends records to an operation; returns the rejections as `index code`, and asserts that the counts match.
 */
export const move = async (
  api: Client,
  method: "POST" | "PUT",
  path: string,
  records: ReadonlyArray<unknown>
): Promise<ReadonlyArray<string>> => {
  const answer = await api.call<Result>(method, path, records)
  strictEqual(answer.status, 200, JSON.stringify(answer.body))
  const { body } = answer
  const errors = body.errors ?? body.data?.errors ?? []
  const total = body.payloadCount ?? body.data?.payload_count
  const succeeded = body.successCount ?? body.data?.success_count ?? 0
  strictEqual(total, records.length)
  strictEqual(body.failedCount ?? body.data?.failed_count, errors.length)
  strictEqual(succeeded + errors.length, records.length)
  strictEqual(
    body.status ?? body.meta?.status,
    errors.length === 0 ? "SUCCESS" : succeeded === 0 ? "FAILED" : "PARTIAL_SUCCESS"
  )
  return errors.map(({ code, index, reason }) => `${index} ${code}${reason === undefined ? "" : ` ${reason}`}`)
}

/**
 * The seller's operations on one shipment; each returns the rejection's code, or ok.
 */
export const seller = (api: Client) => {
  const one = async (method: "POST" | "PUT", operation: string, record: object) => {
    const [rejection] = await move(api, method, `${shipment}/${operation}`, [record])
    return rejection === undefined ? "ok" : rejection.slice(2)
  }
  const items = async (id: string) =>
    (await seen(api, id)).orderItems
      .filter(({ quantity }) => quantity > 0)
      .map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
  return {
    confirm: async (id: string, orderItems?: ReadonlyArray<object>) =>
      one("POST", "confirm", { orderId: id, orderItems: orderItems ?? (await items(id)) }),
    cancel: async (id: string, orderItems?: ReadonlyArray<object>) =>
      one("POST", "cancel", { orderId: id, orderItems: orderItems ?? (await items(id)) }),
    invoice: (id: string, invoiceNumber = `INV-${id}`, more: object = {}) =>
      one("POST", "invoiceUpdate", { orderId: id, invoiceNumber, invoiceType: "sale", ...more }),
    creditNote: (id: string, invoiceNumber = `CN-${id}`, more: object = {}) =>
      one("POST", "invoiceUpdate", { orderId: id, invoiceNumber, invoiceType: "return", ...more }),
    pack: (id: string) => one("POST", "pack", { orderId: id }),
    dispatch: (id: string, more: object = {}) => one("POST", "dispatch", { orderId: id, ...more }),
    awb: (id: string, awbNumber: string, autoDispatch = false, courierName = "BlueDart") =>
      one("PUT", "awb", { orderId: id, awbNumber, courierName, autoDispatch }),
    status: (id: string, orderStatus: string, meta?: object) =>
      one("PUT", "status", { orderId: id, orderStatus, meta }),
    qualityCheck: (id: string, more: object = {}) => one("POST", "return", { orderId: id, ...more })
  }
}

/**
 * The marketplace's operations on one shipment.
 */
export const marketplace = (api: Client, slug = "bazaar") => {
  const one = async (operation: string, record: object) => {
    const [rejection] = await move(api, "PUT", `/order/api/v1/${slug}/${operation}`, [record])
    return rejection === undefined ? "ok" : rejection.slice(2)
  }
  return {
    awb: (id: string, awbNumber: string, more: object = {}) =>
      one("awb", { orderId: id, awbNumber, courierName: "BlueDart", autoDispatch: false, isSelfShip: true, ...more }),
    status: (id: string, status: string, more: object = {}) =>
      one("status", { order_id: id, isSelfShip: true, status, ...more })
  }
}
