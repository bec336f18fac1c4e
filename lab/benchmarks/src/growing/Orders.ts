/** Orders of three lines, sent to hosts as fast as they are answered. */
import type * as Api from "@crossdock/system-tests/Api"
import { Effect } from "effect"
import { address } from "../address.ts"
import * as Sellers from "./Sellers.ts"

/** Three lines with any SKUs: neighbours may share a page of the database, so that an order writes less log. */
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

/** The sellers of a client's next order. */
export type Choice = (client: number) => ReadonlyArray<number>

/** Each client keeps to one host and sends its next order after the last answer. Returns each one's milliseconds, sorted. */
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
