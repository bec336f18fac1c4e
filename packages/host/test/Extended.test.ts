/**
 * One host with an extension at every point: they work together, and each in few lines.
 */
import { allOrThrow, type Host, orThrow } from "@crossdock/host"
import { extendLifecycle, Lifecycle } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { acme, bazaar, orderOf, seller, start } from "./Shop.ts"

const isSunday = { now: false }

const extended = {
  lifecycle: extendLifecycle({
    statuses: { quality_hold: { orderStatus: "PROCESSING", stock: "none" } },
    transitions: {
      dp_assigned: { pack: null, status: { quality_hold: { who: "seller" } } },
      quality_hold: { pack: { to: "bag_packed" }, status: { cancelled_customer: { who: "marketplace" } } }
    }
  }),
  guards: [
    Lifecycle.guard({
      on: ["dispatch", "awbDispatch", "status bag_picked"],
      isMet: () => !isSunday.now,
      says: "the warehouse rests on Sundays",
      advice: "Send it on Monday.",
      code: "SUNDAY"
    })
  ],
  reasons: [{ on: "cancel", code: "OOS", reason: "out of stock" }],
  hooks: [
    {
      on: "place",
      prepare: async ({ records: [order] }) => (order?.record.externalOrderId.startsWith("FRAUD") ? 0.97 : 0.02),
      before: ({ prepared }) =>
        Number(prepared) > 0.9 ? { code: "FRAUD_SUSPECTED", message: "This order needs a review." } : undefined
    }
  ],
  productRules: [
    ({ name }) => (name.length > 2 ? [] : [{ code: "NAME_TOO_SHORT", path: "/name", message: "is too short" }])
  ],
  salesTax: { taxNames: () => ["VAT"], placeOfSupply: () => null },
  prices: { espMayExceedMrp: true },
  numbering: { invoice: (year, nth) => `EU/${year}/${nth}` }
} satisfies Partial<Host.Options>

describe("A host with all extensions", () => {
  it("takes an order from its placing to its printed invoice", async () => {
    const { host, place, ready } = await start(extended)
    const { orders, shipmentDocuments, shipments } = host.services
    const veto = await orders.place(bazaar, orderOf("FRAUD-1"))
    strictEqual(veto.ok ? undefined : (veto.error as { readonly code: string }).code, "FRAUD_SUSPECTED")

    const { orderId } = await ready("A", { tax: { rate: 20, amount: 33.33 } })
    const codesOf = async (call: ReturnType<typeof shipments.pack>) =>
      (await orThrow(call)).failures.map(({ code, details }) => [code, details?.steps])
    deepStrictEqual(await codesOf(shipments.pack(seller, [{ orderId }])), [["CR400", ["status quality_hold", "pack"]]])
    await allOrThrow(shipments.reportStatus(seller, [{ orderId, orderStatus: "quality_hold" }]))
    await allOrThrow(shipments.pack(seller, [{ orderId }]))
    isSunday.now = true
    deepStrictEqual(await codesOf(shipments.dispatch(seller, [{ orderId }])), [["SUNDAY", undefined]])
    isSunday.now = false
    await allOrThrow(shipments.dispatch(seller, [{ orderId }]))
    const reader = { companyId: acme, locations: null }
    const printed = await orThrow(shipmentDocuments.print(reader, "invoice", [orderId], "a4"))
    strictEqual(new TextDecoder().decode(printed.slice(0, 5)), "%PDF-")

    const other = await place("B")
    const orderItems = other.orderItems.map((item) => ({ ...item, reasonCode: "OOS" }))
    await allOrThrow(shipments.cancel(seller, [{ orderId: other.orderId, orderItems }]))
    const [found] = await orThrow(shipments.read(seller, [other.orderId]))
    strictEqual(found?.shipment.events.at(-1)?.remark, "out of stock")
    await host.dispose()
  })
})
