import { CompanyId } from "@crossdock/kernel"
import { checkShipments, OrderPricing, shipmentOrderOf } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { paymentOf } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { shipmentsOf } from "../src/NewOrder.ts"

const origin = {
  companyId: CompanyId.make(1),
  code: "L1",
  name: "L1",
  currency: "INR",
  handlingHours: 24,
  address: null
}

/** An order of this many shipments, and how often making them reads a line's amount or quantity. */
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
  const ids = Array.from({ length: 2 * count }, (_, at) => ({ id: `i${at}`, sizeId: at }))
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

describe("All shipments of an order together", () => {
  const cents = FastCheck.integer({ min: 0, max: 500 })
  const line = FastCheck.record({ quantity: FastCheck.integer({ min: 1, max: 4 }), cents })
  const drawn = FastCheck.record({
    shipments: FastCheck.array(FastCheck.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    free: FastCheck.boolean(),
    charges: FastCheck.array(cents, { maxLength: 2 }),
    mode: FastCheck.constantFrom("COD" as const, "PREPAID" as const),
    methods: FastCheck.array(FastCheck.constantFrom("COD", "UPI"), { maxLength: 3 })
  })

  prop("are paid the whole order, charges too, by its methods or else by its mode", [drawn], ([one]) => {
    const fee = (amount: number) => ({ name: "Fee", type: "FEE", amount: amount / 100, tax: null })
    const unpaid = orderDraft({
      shipments: one.shipments.map((lines, at) =>
        orderShipment({
          externalShipmentId: `S${at}`,
          lines: lines.map(({ cents, quantity }) => orderLine({ quantity, esp: one.free ? 0 : cents / 100 }))
        })
      ),
      charges: one.charges.map(fee),
      payment: { mode: one.mode, methods: [] }
    })
    const { lines, total } = Result.getOrThrow(OrderPricing.price(unpaid))
    // All but the last pay one minor unit, while there is one.
    const ends = one.methods.map((_, at) => (at === one.methods.length - 1 ? total : Math.min(at + 1, total)))
    const paid = one.methods.map((mode, at) => {
      const amount = ((ends[at] ?? 0) - (ends[at - 1] ?? 0)) / 100
      return { mode, name: mode, amount }
    })
    const draft = { ...unpaid, payment: { mode: one.mode, methods: paid } }
    const shipments = draft.shipments.map(({ externalShipmentId }, at) => ({ externalShipmentId, shipmentId: `${at}` }))
    const order = { id: "o", marketplace: "bazaar", total, orderDate: 0, createdAt: 0, draft, shipments }
    const ids = one.shipments.flat().map((_, at) => ({ id: `i${at}`, sizeId: at }))
    const made = shipmentsOf(
      order,
      draft.shipments.map(() => origin),
      lines,
      ids.values(),
      new Map()
    )
    const parts = made.map((shipment) => paymentOf(shipmentOrderOf(order), shipment))
    const collect = parts.reduce((sum, part) => sum + part.collect, 0)
    const prepaid = parts.reduce((sum, part) => sum + part.prepaid, 0)
    const cod =
      paid.length === 0
        ? one.mode === "COD"
          ? total
          : 0
        : paid.reduce((sum, { amount, mode }) => sum + (mode === "COD" ? Math.round(amount * 100) : 0), 0)
    deepStrictEqual([collect, prepaid], [cod, total - cod])
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

it("An order without a shipment is rejected at its shipments", () => {
  const { code, violations } = Result.getOrThrow(Result.flip(checkShipments(orderDraft({ shipments: [] }), [])))
  strictEqual(code, "VALIDATION_FAILED")
  strictEqual(violations[0]?.path, "/shipments")
})

it("Two shipments of an order with one external id are rejected at the second one, for callers in process too", () => {
  const shipments = ["S1", "S2", "S1"].map((externalShipmentId) => orderShipment({ externalShipmentId }))
  const { code, message, violations } = Result.getOrThrow(Result.flip(checkShipments(orderDraft({ shipments }), [])))
  strictEqual(code, "VALIDATION_FAILED")
  strictEqual(message, "/shipments/2/external_shipment_id appears earlier in this order; give each shipment its own")
  deepStrictEqual(
    violations.map(({ code, path }) => [path, code]),
    [["/shipments/2/external_shipment_id", "DUPLICATE_RECORD"]]
  )
})
