import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { beforeAll } from "vitest"
import { useHost } from "./TestHost.ts"
import { levelOf, line, marketplace, move, order, place, seen, seller, setStock, shipmentOf } from "./TestOrders.ts"

const journeys = {
  forward: ["dp_assigned", "bag_picked", "out_for_delivery", "delivery_done"],
  "delivery retry": [
    "dp_assigned",
    "bag_picked",
    "out_for_delivery",
    "delivery_attempt_failed",
    "delivery_reattempt_requested",
    "out_for_delivery",
    "delivery_done"
  ],
  return: [
    "dp_assigned",
    "bag_picked",
    "delivery_done",
    "return_initiated",
    "return_bag_in_transit",
    "return_bag_delivered"
  ],
  RTO: ["dp_assigned", "bag_picked", "rto_in_transit", "rto_bag_delivered"]
} as const

describe("What a marketplace tells over HTTP, late, twice and in any order", () => {
  const host = useHost()
  const sku = "85123A"

  beforeAll(() => setStock(host.acme, 1000, [sku]))

  /** A shipment that the marketplace brings, invoiced. */
  const invoiced = async () => {
    const lines = [line(sku, 2)]
    const placed = await place(host.bazaar, order([shipmentOf(lines, { fulfillment_type: "MARKETPLACE" })]))
    const id = placed.shipments[0]?.shipment_id ?? ""
    const acme = seller(host.acme)
    deepStrictEqual([await acme.confirm(id), await acme.invoice(id)], ["ok", "ok"])
    return { id, orderId: placed.platform_order_id }
  }

  interface Told {
    readonly shipments: ReadonlyArray<{ readonly journey_type: string; readonly status: string }>
  }

  const endOf = async (orderId: string) => {
    const path = `/order/api/v1/bazaar/order?platform_order_id=${orderId}`
    const { body } = await host.bazaar.call<Told>("GET", path)
    return body.shipments.map(({ journey_type, status }) => `${journey_type} ${status}`)
  }

  /** All facts in one request, and what was rejected again, until nothing more of it fits. */
  const tellAll = async (id: string, facts: ReadonlyArray<string>) => {
    let waiting = facts
    for (let before = -1; before !== waiting.length && waiting.length > 0; ) {
      before = waiting.length
      const items = waiting.map((status) => ({ order_id: id, isSelfShip: true, status }))
      const rejected = await move(host.bazaar, "PUT", "/order/api/v1/bazaar/status", items)
      assertTrue(
        rejected.every((one) => /^\d+ S4\d\d/.test(one)),
        rejected.join()
      )
      const again = new Set(rejected.map((one) => Number.parseInt(one, 10)))
      waiting = waiting.filter((_, at) => again.has(at))
    }
  }

  for (const [name, journey] of Object.entries(journeys)) {
    it(`ends as if it had been told in order: ${name}`, async () => {
      const change = async (facts: ReadonlyArray<string>) => {
        const before = await levelOf(host.acme, sku)
        const { id, orderId } = await invoiced()
        await tellAll(id, facts)
        const after = await levelOf(host.acme, sku)
        const { orderStatus } = await seen(host.acme, id)
        return [await endOf(orderId), orderStatus, after.map((count, at) => count - (before[at] ?? 0))]
      }
      const inOrder = await change(journey)
      const told = FastCheck.tuple(
        FastCheck.shuffledSubarray([...journey], { minLength: journey.length }),
        // A late repeat of a failed try is another failed try: the documents give a status no time to tell them apart.
        FastCheck.array(FastCheck.constantFrom(...journey.filter((one) => one !== "delivery_attempt_failed")), {
          maxLength: 4
        })
      )
      for (const [order, more] of FastCheck.sample(told, 25))
        deepStrictEqual(await change([...more, ...order]), inOrder)
    })
  }

  it("says of a fact that came too early what is allowed, and takes it later", async () => {
    const { id } = await invoiced()
    const bazaar = marketplace(host.bazaar)
    strictEqual(await bazaar.status(id, "delivery_done"), "S400 INVALID_TRANSITION")
    await tellAll(id, ["dp_assigned", "bag_picked"])
    strictEqual(await bazaar.status(id, "delivery_done"), "ok")
    strictEqual(await bazaar.status(id, "delivery_done"), "ok", "a repeat")
    strictEqual(await bazaar.status(id, "bag_picked"), "S400 INVALID_TRANSITION")
    strictEqual((await seen(host.acme, id)).orderStatus, "DELIVERED")
  })
})
