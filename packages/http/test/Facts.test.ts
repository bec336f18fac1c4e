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

describe("Statuses that a marketplace reports over HTTP late, twice or in any order", () => {
  const host = useHost()
  const sku = "85123A"

  beforeAll(() => setStock(host.acme, 1000, [sku]))

  /** An invoiced shipment whose logistics the marketplace runs. */
  const invoiced = async () => {
    const lines = [line(sku, 2)]
    const placed = await place(host.bazaar, order([shipmentOf(lines, { fulfillment_type: "MARKETPLACE" })]))
    const id = placed.shipments[0]?.shipment_id ?? ""
    const acme = seller(host.acme)
    deepStrictEqual([await acme.confirm(id), await acme.invoice(id)], ["ok", "ok"])
    return { id, orderId: placed.platform_order_id }
  }

  interface Seen {
    readonly shipments: ReadonlyArray<{ readonly journey_type: string; readonly status: string }>
  }

  const endOf = async (orderId: string) => {
    const path = `/order/api/v1/bazaar/order?platform_order_id=${orderId}`
    const { body } = await host.bazaar.call<Seen>("GET", path)
    return body.shipments.map(({ journey_type, status }) => `${journey_type} ${status}`)
  }

  /** Sends all facts in one request, then resends the rejected ones until no more are accepted. */
  const reportAll = async (id: string, facts: ReadonlyArray<string>) => {
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
    it(`end as if they had arrived in order: ${name}`, async () => {
      const change = async (facts: ReadonlyArray<string>) => {
        const before = await levelOf(host.acme, sku)
        const { id, orderId } = await invoiced()
        await reportAll(id, facts)
        const after = await levelOf(host.acme, sku)
        const { orderStatus } = await seen(host.acme, id)
        return [await endOf(orderId), orderStatus, after.map((count, at) => count - (before[at] ?? 0))]
      }
      const inOrder = await change(journey)
      const reported = FastCheck.tuple(
        FastCheck.shuffledSubarray([...journey], { minLength: journey.length }),
        // A late repeat of a failed try counts as another failed try: a status has no time of its own to distinguish them.
        FastCheck.array(FastCheck.constantFrom(...journey.filter((one) => one !== "delivery_attempt_failed")), {
          maxLength: 4
        })
      )
      for (const [order, more] of FastCheck.sample(reported, 25))
        deepStrictEqual(await change([...more, ...order]), inOrder)
    })
  }

  it("are rejected with the allowed ones if they come too early, and accepted later", async () => {
    const { id } = await invoiced()
    const bazaar = marketplace(host.bazaar)
    strictEqual(await bazaar.status(id, "delivery_done"), "S400 INVALID_TRANSITION")
    await reportAll(id, ["dp_assigned", "bag_picked"])
    strictEqual(await bazaar.status(id, "delivery_done"), "ok")
    strictEqual(await bazaar.status(id, "delivery_done"), "ok", "a repeat")
    strictEqual(await bazaar.status(id, "bag_picked"), "S400 INVALID_TRANSITION")
    strictEqual((await seen(host.acme, id)).orderStatus, "DELIVERED")
  })
})
