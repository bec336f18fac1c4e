import { CompanyId } from "@crossdock/kernel"
import { OrderPricing, shipmentOrderOf } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { shipmentsOf } from "../src/internal/OrderShipments.ts"

const origin = {
  companyId: CompanyId.make(1),
  code: "L1",
  name: "L1",
  currency: "INR",
  handlingHours: 24,
  address: null
}

/** An order of as many shipments, and the reads of a line's amount or quantity that it takes to make them. */
const placed = (count: number) => {
  let reads = 0
  const counted = <A extends object, K extends keyof A>(one: A, key: K): A =>
    Object.defineProperty({ ...one }, key, {
      enumerable: true,
      get: () => {
        reads++
        return one[key]
      }
    })
  const lines = (at: number) => [orderLine({ sku: "a", quantity: 1 + (at % 3), esp: at }), orderLine({ sku: "b" })]
  const draft = orderDraft({
    shipments: Array.from({ length: count }, (_, at) =>
      orderShipment({ externalShipmentId: `S${at}`, lines: lines(at).map((line) => counted(line, "quantity")) })
    )
  })
  const prices = Result.getOrThrow(OrderPricing.price(draft)).lines.map((of) => of.map((one) => counted(one, "total")))
  const shipments = draft.shipments.map(({ externalShipmentId }, at) => ({ externalShipmentId, shipmentId: `${at}` }))
  const order = { id: "o", marketplace: "bazaar", total: 0, orderDate: 0, createdAt: 0, draft, shipments }
  const ids = Array.from({ length: 2 * count }, (_, at) => `i${at}`)
  reads = 0
  const made = shipmentsOf(
    order,
    draft.shipments.map(() => origin),
    prices,
    ids.values(),
    new Map()
  )
  return { made, reads }
}

describe("The shipments of an order", () => {
  it("have the lines and units before them", () => {
    let [lines, units] = [0, 0]
    for (const { items, linesBefore, unitsBefore } of placed(9).made) {
      deepStrictEqual([linesBefore, unitsBefore], [lines, units])
      lines += items.reduce((sum, { esp, ordered }) => sum + esp * ordered, 0)
      units += items.reduce((sum, { ordered }) => sum + ordered, 0)
    }
    assertTrue(units > 9)
  })

  it("take four times the work for four times as many", () => {
    const [few, many] = [placed(50).reads, placed(200).reads]
    assertTrue(few > 0)
    strictEqual(many, 4 * few)
  })
})

describe("An order is tax exempt", () => {
  const exempt = (...taxes: ReadonlyArray<{ readonly rate: number; readonly amount: number } | null>) => {
    const shipments = taxes.map((tax) => orderShipment({ lines: [orderLine({ tax })] }))
    const order = { id: "o", marketplace: "bazaar", total: 0, orderDate: 0, createdAt: 0, shipments: [] }
    return shipmentOrderOf({ ...order, draft: orderDraft({ shipments }) }).taxExempt
  }

  it("when every line says that both the rate and the amount of its tax are 0", () => {
    const none = { rate: 0, amount: 0 }
    strictEqual(exempt(none, none), true)
    for (const other of [null, { rate: 5, amount: 4.76 }, { rate: 0, amount: 4.76 }, { rate: 5, amount: 0 }]) {
      deepStrictEqual([other, exempt(none, other), exempt(other, none)], [other, false, false])
    }
  })
})
