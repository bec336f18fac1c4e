/** Orders of three lines. They are sent as fast as hosts answer them. */
import type * as Api from "@crossdock/system-tests/Api"
import { Effect } from "effect"
import { address } from "../address.ts"
import * as Sellers from "./Sellers.ts"

/** Makes an order of three lines with any SKUs. Neighbouring SKUs could share a page and write less log. */
export const orderOf = (sellers: ReadonlyArray<number>, skus: number) => {
  const id = crypto.randomUUID()
  const lines = [0, 1, 2].map((line) => ({
    external_line_id: String(line),
    sku: Sellers.skuOf(Math.floor(Math.random() * skus)),
    quantity: 1,
    esp: 100
  }))
  const shipments = sellers.map((seller) => ({
    external_shipment_id: `${id}-${seller}`,
    location_id: Sellers.locationOf(seller),
    lines
  }))
  return {
    external_order_id: id,
    ordering_currency: "INR",
    payment: { mode: "COD" },
    billing_address: address,
    shipping_address: address,
    shipments
  }
}

/** Chooses the sellers of a client's next order. */
export type Choice = (client: number) => ReadonlyArray<number>

/** Sends each client's orders to one host, one at a time. Returns the milliseconds of all orders, sorted. */
export const send = (
  hosts: ReadonlyArray<Api.Api>,
  { skus }: Sellers.Size,
  choice: Choice,
  clients: number,
  seconds: number
) =>
  Effect.promise(async () => {
    const until = performance.now() + seconds * 1000
    const millis: Array<number> = []
    const one = async (client: number) => {
      const host = hosts[client % hosts.length]
      while (host !== undefined && performance.now() < until) {
        const began = performance.now()
        const order = orderOf(choice(client), skus)
        const { body, status } = await host.call("POST", `/order/api/v1/${Sellers.slug}/create`, order)
        if (status !== 200) throw new Error(`An order was answered with ${status}: ${JSON.stringify(body)}`)
        millis.push(performance.now() - began)
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => one(client)))
    return millis.sort((a, b) => a - b)
  })
