/** A marketplace of another company. It uses only the platform's interface, and knows the stock only from notifications. */
import type * as Api from "@crossdock/system-tests/Api"
import type * as Inbox from "./Inbox.ts"

export interface Line {
  readonly sku: string
  readonly quantity: number
}

export interface Placed {
  readonly orderId: string
  readonly shipmentId: string
  readonly location: string
  readonly lines: ReadonlyArray<Line>
  /** The sum that the marketplace calculated, in minor units. */
  readonly total: number
}

export interface SimulatedMarketplace {
  readonly slug: string
  readonly inbox: Inbox.Inbox
  /** Places an order of these lines at one location. If the order is rejected, it returns the code of the error. */
  readonly place: (location: string, lines: ReadonlyArray<Line>) => Promise<Placed | string>
  /** Resends an order. Returns whether the answer is the first order. */
  readonly placeAgain: (placed: Placed) => Promise<boolean>
  /** The total of an order according to the platform, in minor units. */
  readonly totalOf: (placed: Placed) => Promise<number>
  /** Reports a status of shipments. Returns the codes of rejections. */
  readonly report: (status: string, shipments: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** The ids of an order's returns. */
  readonly returnsOf: (placed: Placed) => Promise<ReadonlyArray<string>>
  readonly close: () => void
}

const address = {
  name: "A Customer",
  phone: "+91 9000000000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

/** The price of a SKU. Prices aren't round numbers, so wrong sums are visible. */
const priceOf = (sku: string): number => 1999 + (sku.charCodeAt(sku.length - 1) % 10) * 101
const discount = 37

/**
 * The marketplace of `slug`, whose client has signed in. `inbox` is open already, because the marketplace was registered with
 * its address.
 */
export const make = (slug: string, api: Api.Api, inbox: Inbox.Inbox): SimulatedMarketplace => {
  const path = `/order/api/v1/${slug}`
  const sent = new Map<string, unknown>()
  let next = 0

  interface Created {
    readonly code?: string
    readonly platform_order_id: string
    readonly shipments: ReadonlyArray<{ readonly shipment_id: string }>
  }

  const create = async (order: unknown) => {
    const { body, status } = await api.call<Created>("POST", `${path}/create`, order)
    return status === 200 ? body : (body.code ?? String(status))
  }

  const read = async (orderId: string) => {
    interface Order {
      readonly pricing: { readonly total: number }
      readonly shipments: ReadonlyArray<{ readonly shipment_id: string; readonly journey_type: string }>
    }
    return (await api.call<Order>("GET", `${path}/order?platform_order_id=${orderId}`)).body
  }

  return {
    slug,
    inbox,
    place: async (location, lines) => {
      const id = `${slug}-${next++}`
      const total = lines.reduce((sum, { quantity, sku }) => sum + priceOf(sku) * quantity - discount, 0)
      const order = {
        external_order_id: id,
        ordering_currency: "INR",
        payment: { mode: "PREPAID", methods: [{ mode: "UPI", name: "UPI", amount: total / 100 }] },
        billing_address: address,
        shipping_address: address,
        total_amount: total / 100,
        shipments: [
          {
            external_shipment_id: `${id}-1`,
            location_id: location,
            fulfillment_type: "MARKETPLACE",
            lines: lines.map(({ quantity, sku }, at) => ({
              external_line_id: String(at),
              sku,
              quantity,
              esp: priceOf(sku) / 100,
              discount: discount / 100
            }))
          }
        ]
      }
      const created = await create(order)
      if (typeof created === "string") return created
      sent.set(created.platform_order_id, order)
      const shipmentId = created.shipments[0]?.shipment_id ?? ""
      return { orderId: created.platform_order_id, shipmentId, location, lines, total }
    },
    placeAgain: async ({ orderId }) => {
      const again = await create(sent.get(orderId))
      return typeof again !== "string" && again.platform_order_id === orderId
    },
    totalOf: async ({ orderId }) => Math.round((await read(orderId)).pricing.total * 100),
    returnsOf: async ({ orderId }) =>
      (await read(orderId)).shipments.flatMap((one) => (one.journey_type === "return" ? [one.shipment_id] : [])),
    report: async (status, shipments) => {
      interface Answer {
        readonly data: { readonly errors: ReadonlyArray<{ readonly code: string }> }
      }
      const codes: Array<string> = []
      for (let at = 0; at < shipments.length; at += 20) {
        const items = shipments.slice(at, at + 20).map((order_id) => ({ order_id, isSelfShip: true, status }))
        const { body } = await api.call<Answer>("PUT", `${path}/status`, items)
        codes.push(...body.data.errors.map(({ code }) => code))
      }
      return codes
    },
    close: () => {
      api.close()
      inbox.close()
    }
  }
}
