/**
 * Ports of plain functions.
 */
import { PaymentProvider } from "@crossdock/billing"
import { allOrThrow, type Host, orThrow } from "@crossdock/host"
import { type WebhookMessage, WebhookSender } from "@crossdock/notifications"
import { Couriers } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { acme, bazaar, options, orderOf, seller, start } from "./Shop.ts"

/** A confirmed shipment that a courier of the host carries. */
const confirmed = async ({ services }: Host.Host) => {
  const order = orderOf("A")
  const carried = { ...order, shipments: order.shipments.map((one) => ({ ...one, is_self_ship: false })) }
  const { shipments } = await orThrow(services.orders.place(bazaar, carried))
  const orderId = shipments[0]?.shipmentId ?? ""
  const [found] = await orThrow(services.shipments.read(seller, [orderId]))
  const orderItems = found?.shipment.items.map((item) => ({ orderItemId: item.id, quantity: item.ordered })) ?? []
  await allOrThrow(services.shipments.confirm(seller, [{ orderId, orderItems }]))
  return orderId
}

const invoice = { invoiceNumber: "I", invoiceType: "sale" } as const

describe("Ports of plain functions", () => {
  it("charge, assign couriers and send webhooks", async () => {
    const charged: Array<number> = []
    const sent: Array<WebhookMessage> = []
    const { host } = await start({
      payments: PaymentProvider.from({
        charge: async ({ amount }) => {
          charged.push(amount)
          return "succeeded"
        },
        ask: async () => "absent"
      }),
      couriers: Couriers.from({
        assign: async ({ id }) => ({ name: "Swift", code: "SW", awbNumbers: [`SW-${id}`] }),
        trackingUrl: ({ id }) => `https://swift.example/${id}`
      }),
      runtime: {
        ...options.runtime,
        webhooks: () =>
          WebhookSender.from({
            send: async (message) => {
              sent.push(message)
              return { _tag: "Answered", status: 204 }
            }
          })
      }
    })
    const { services } = host
    const orderId = await confirmed(host)
    await allOrThrow(services.shipments.invoice(seller, [{ orderId, ...invoice }]))
    const [found] = await orThrow(services.shipments.read(seller, [orderId]))
    deepStrictEqual(found?.shipment.courier?.awbNumbers, [`SW-${orderId}`])
    const endpoint = { companyId: acme, id: "erp", url: "https://erp.example/", types: null, cursor: 0 }
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    await orThrow(services.eventEndpoints.register(host.system("setup"), { ...endpoint, secret }))
    const plan = { id: "pro", name: "Pro", price: 10, currency: "INR", interval: "month" } as const
    await orThrow(services.plans.add(host.system("setup"), plan))
    await orThrow(services.billing.putCustomer(host.system("setup"), acme, { uniqueId: null, detail: { name: "A" } }))
    await orThrow(
      services.billing.activate(host.system("setup"), acme, { planId: "pro", uniqueId: null, coupon: null })
    )
    for (let once = 0; once < 3; once++) await host.once()
    deepStrictEqual([sent.length > 0, charged], [true, [1000]])
    await host.dispose()
  })

  it("fail a move as a whole when a courier's function rejects", async () => {
    const { host } = await start({
      couriers: Couriers.from({ assign: () => Promise.reject(new Error("The courier is down")) })
    })
    const orderId = await confirmed(host)
    const { shipments } = host.services
    const failed = await shipments.invoice(seller, [{ orderId, ...invoice }]).catch(({ message }: Error) => message)
    strictEqual(failed, "The courier is down")
    const [found] = await orThrow(shipments.read(seller, [orderId]))
    deepStrictEqual([found?.shipment.status, found?.shipment.invoice], ["bag_confirmed", null])
    await host.dispose()
  })
})
