import { type OrderDraft, type OrderLineDraft, OrderPricing, type OrderRejected } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"

const line = orderLine

const draft = (shipments: ReadonlyArray<ReadonlyArray<OrderLineDraft>>, more: Partial<OrderDraft> = {}): OrderDraft =>
  orderDraft({ shipments: shipments.map((lines, i) => orderShipment({ externalShipmentId: `S${i}`, lines })), ...more })

const charge = (amount: number, tax: { rate: number; amount: number } | null = null) => ({
  name: "Gift wrap",
  type: "gift",
  amount,
  tax
})

const methods = (...amounts: ReadonlyArray<number>): OrderDraft["payment"] => ({
  mode: "PREPAID",
  methods: amounts.map((amount) => ({ mode: "UPI", name: "UPI", amount }))
})

const priced = (order: OrderDraft): OrderPricing.PricedOrder => {
  const verdict = OrderPricing.price(order)
  assertTrue(Result.isSuccess(verdict), Result.isFailure(verdict) ? verdict.failure.message : "")
  return verdict.success
}

const rejectionOf = (order: OrderDraft): OrderRejected => {
  const verdict = OrderPricing.price(order)
  assertTrue(Result.isFailure(verdict), "the order was priced")
  return verdict.failure
}

const faults = (order: OrderDraft) => {
  const { code, violations } = rejectionOf(order)
  return [code, ...violations.map((one) => `${one.path} ${one.code}`)]
}

describe("OrderPricing", () => {
  it("a line is esp × quantity − discount − coupon discount + delivery charge", () => {
    const one = line({
      esp: 499.99,
      quantity: 3,
      discount: 10.01,
      couponDiscount: 20.02,
      deliveryCharge: 40.5,
      mrp: 799
    })
    const { lines, total } = priced(draft([[one]]))
    deepStrictEqual(lines, [
      [
        {
          mrp: 79900,
          esp: 49999,
          discount: 1001,
          couponDiscount: 2002,
          deliveryCharge: 4050,
          taxAmount: 0,
          total: 151044n
        }
      ]
    ] as never)
    strictEqual(total, 151044)
  })

  it("a line's and a charge's tax are in their amounts and are not added", () => {
    const order = draft([[line({ tax: { rate: 12, amount: 10.71 } })]], {
      charges: [charge(20, { rate: 18, amount: 3.05 })]
    })
    strictEqual(priced(order).total, 12000)
    strictEqual(priced(order).lines[0]?.[0]?.taxAmount, 1071)
  })

  it("amounts that binary fractions can't represent are summed exactly", () => {
    const order = draft([[line({ esp: 0.1 }), line({ esp: 0.2 })]], { totalAmount: 0.3, payment: methods(0.1, 0.2) })
    strictEqual(priced(order).total, 30)
    const large = draft([[line({ esp: 1.005e3 }), line({ esp: 4.35, quantity: 100 })]], { totalAmount: 1440 })
    strictEqual(priced(large).total, 144000)
  })

  it("lines stay in their shipments, in order", () => {
    const { lines, total } = priced(draft([[line({ esp: 1 }), line({ esp: 2 })], [line({ esp: 3 })]]))
    deepStrictEqual(
      lines.map((shipment) => shipment.map(({ esp }) => Number(esp))),
      [[100, 200], [300]]
    )
    strictEqual(total, 600)
  })

  it("a total and methods that were not sent need not match", () => {
    strictEqual(priced(draft([[line()]])).total, 10000)
  })

  it("a total that is one unit off is reported with its path", () => {
    deepStrictEqual(faults(draft([[line()]], { totalAmount: 100.01 })), [
      "TOTAL_MISMATCH",
      "/total_amount TOTAL_MISMATCH"
    ])
    const { message } = rejectionOf(draft([[line()]], { totalAmount: 99.99 }))
    assertTrue(message.includes("99.99") && message.includes("100.00"), message)
  })

  it("methods that don't add up to the total are reported, besides the total", () => {
    deepStrictEqual(faults(draft([[line()]], { payment: methods(60, 39) })), [
      "TOTAL_MISMATCH",
      "/payment/methods TOTAL_MISMATCH"
    ])
    deepStrictEqual(faults(draft([[line()]], { payment: methods(99), totalAmount: 99 })), [
      "TOTAL_MISMATCH",
      "/total_amount TOTAL_MISMATCH",
      "/payment/methods TOTAL_MISMATCH"
    ])
  })

  it("every amount is checked, and all violations are reported at once, each with its path", () => {
    const bad = 1.001
    const wrong = line({
      esp: bad,
      discount: bad,
      couponDiscount: bad,
      deliveryCharge: bad,
      mrp: bad,
      tax: { rate: 1, amount: bad }
    })
    const order = draft([[line()], [line(), wrong]], {
      charges: [charge(1), charge(bad, { rate: 1, amount: bad })],
      coupon: { code: "C", amount: bad, ownership: "SELLER" },
      totalAmount: bad,
      payment: methods(1, bad)
    })
    const [code, ...places] = faults(order)
    strictEqual(code, "VALIDATION_FAILED")
    deepStrictEqual(
      places.sort(),
      [
        "/shipments/1/lines/1/esp",
        "/shipments/1/lines/1/discount",
        "/shipments/1/lines/1/coupon_discount",
        "/shipments/1/lines/1/delivery_charge",
        "/shipments/1/lines/1/mrp",
        "/shipments/1/lines/1/tax/amount",
        "/charges/1/amount",
        "/charges/1/tax/amount",
        "/coupon/amount",
        "/total_amount",
        "/payment/methods/1/amount"
      ]
        .map((path) => `${path} TOO_MANY_DECIMALS`)
        .sort()
    )
  })

  it("negative amounts are out of range, and so is a negative line", () => {
    deepStrictEqual(faults(draft([[line({ deliveryCharge: -1 })]], { charges: [charge(-5)] })), [
      "VALIDATION_FAILED",
      "/shipments/0/lines/0/delivery_charge OUT_OF_RANGE",
      "/charges/0/amount OUT_OF_RANGE"
    ])
    deepStrictEqual(faults(draft([[line({ esp: 10, discount: 10.01 })]])), [
      "VALIDATION_FAILED",
      "/shipments/0/lines/0 OUT_OF_RANGE"
    ])
    strictEqual(priced(draft([[line({ esp: 10, discount: 10 })]])).total, 0)
  })

  it("a tax greater than its line is out of range; one as great as the line is the whole of it", () => {
    const taxed = (amount: number) => draft([[line({ discount: 40, tax: { rate: 12, amount } })]])
    deepStrictEqual(faults(taxed(60.01)), ["VALIDATION_FAILED", "/shipments/0/lines/0/tax/amount OUT_OF_RANGE"])
    strictEqual(priced(taxed(60)).total, 6_000)
  })

  it("a tax greater than its charge, which includes it, is out of range too", () => {
    const taxed = (amount: number) => draft([[line()]], { charges: [charge(5), charge(25.5, { rate: 18, amount })] })
    deepStrictEqual(faults(taxed(25.51)), ["VALIDATION_FAILED", "/charges/1/tax/amount OUT_OF_RANGE"])
    strictEqual(priced(taxed(25.5)).total, priced(draft([[line()]])).total + 3_050)
  })

  it("amounts before discounts have at most 15 digits together, since they are added up too", () => {
    const free = line({ esp: 5_000_000_000_000, discount: 5_000_000_000_000 })
    strictEqual(priced(draft([[free]])).total, 0)
    deepStrictEqual(faults(draft([[free, free]])), ["VALIDATION_FAILED", " OUT_OF_RANGE"])
  })

  it("a line whose amounts can't be read is not reported as negative as well", () => {
    deepStrictEqual(faults(draft([[line({ esp: 10.001, discount: 5 })]])), [
      "VALIDATION_FAILED",
      "/shipments/0/lines/0/esp TOO_MANY_DECIMALS"
    ])
  })

  it("an unknown currency is reported once, with its own path, however many amounts there are", () => {
    deepStrictEqual(faults(draft([[line(), line()]], { currency: "XXX", totalAmount: 5 })), [
      "VALIDATION_FAILED",
      "/ordering_currency INVALID_CURRENCY"
    ])
  })

  it("more than 15 digits are rejected, of an amount and of the whole order, as no reply could show them exactly", () => {
    deepStrictEqual(faults(draft([[line({ esp: 1_234_567_890_123_456 })]])), [
      "VALIDATION_FAILED",
      "/shipments/0/lines/0/esp INVALID_VALUE"
    ])
    const most = draft([[line({ esp: 9_999_999_999_999.99 })]])
    strictEqual(priced(most).total, 999_999_999_999_999)
    deepStrictEqual(faults({ ...most, charges: [charge(0.01)] }), ["VALIDATION_FAILED", " OUT_OF_RANGE"])
    // From 2^46 rupees on, two neighbouring paise can be the same double.
    deepStrictEqual(faults(draft([[line({ esp: 7_036_874_417_766.41, quantity: 10 })]])), [
      "VALIDATION_FAILED",
      " OUT_OF_RANGE"
    ])
  })

  it("the total equals the sum in BigInt for random orders of currencies with 0, 2 and 3 decimals", () => {
    const minor = FastCheck.integer({ min: 0, max: 5_000_000 })
    const lines = FastCheck.record({
      esp: minor,
      quantity: FastCheck.integer({ min: 1, max: 500 }),
      cut: FastCheck.double({ min: 0, max: 1, noNaN: true }),
      delivery: minor
    })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(["JPY", 0], ["INR", 2], ["KWD", 3]),
        FastCheck.array(FastCheck.array(lines, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        FastCheck.array(minor, { maxLength: 3 }),
        (currencyOf, shipments, charges) => {
          const [currency, decimals] = currencyOf as [string, number]
          // Decimal text and JSON's own parser: what a marketplace would send.
          const amount = (units: number | bigint): number => {
            const digits = units.toString().padStart(decimals + 1, "0")
            return Number(decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`)
          }
          let expected = charges.reduce((sum, one) => sum + BigInt(one), 0n)
          const drafts = shipments.map((all) =>
            all.map(({ cut, delivery, esp, quantity }) => {
              const discount = Math.floor(esp * quantity * cut)
              const couponDiscount = esp * quantity - discount > 0 ? 1 : 0
              expected += BigInt(esp) * BigInt(quantity) - BigInt(discount) - BigInt(couponDiscount) + BigInt(delivery)
              return line({
                esp: amount(esp),
                quantity,
                discount: amount(discount),
                couponDiscount: amount(couponDiscount),
                deliveryCharge: amount(delivery)
              })
            })
          )
          const half = expected / 2n
          const order = draft(drafts, {
            currency,
            charges: charges.map((one) => charge(amount(one))),
            totalAmount: amount(expected),
            payment: methods(amount(half), amount(expected - half))
          })
          const { lines, total } = priced(order)
          strictEqual(BigInt(total), expected)
          strictEqual(
            lines.flat().reduce((sum, one) => sum + one.total, 0n) +
              charges.reduce((sum, one) => sum + BigInt(one), 0n),
            expected
          )
          deepStrictEqual(faults({ ...order, totalAmount: amount(expected + 1n) }), [
            "TOTAL_MISMATCH",
            "/total_amount TOTAL_MISMATCH"
          ])
        }
      )
    )
  })
})

describe("OrderPricing.methodsOf", () => {
  it("gives what is paid on delivery, what is paid before, and the lines' totals; without methods all by the mode, charges too", () => {
    const paid = [
      { mode: "COD", name: "Cash", amount: 60.5 },
      { mode: "UPI", name: "UPI", amount: 40 },
      { mode: "CARD", name: "Card", amount: 5 }
    ]
    const lines = [[line({ esp: 30, quantity: 2, discount: 4.5 })], [line({ esp: 50, deliveryCharge: 1 })]]
    deepStrictEqual(OrderPricing.methodsOf(draft(lines, { payment: { mode: "COD", methods: paid } })), {
      cod: 6050,
      prepaid: 4500,
      lines: 10_650,
      units: 3
    })
    const sums = { lines: 10_650, units: 3 }
    const unnamed = (mode: "COD" | "PREPAID") =>
      OrderPricing.methodsOf(draft(lines, { charges: [charge(7)], payment: { mode, methods: [] } }))
    deepStrictEqual(unnamed("COD"), { cod: 11_350, prepaid: 0, ...sums })
    deepStrictEqual(unnamed("PREPAID"), { cod: 0, prepaid: 11_350, ...sums })
  })
})

describe("OrderPricing.sumsOf", () => {
  const cents = (most: number) => FastCheck.nat(most)
  const priced = FastCheck.record({
    quantity: FastCheck.integer({ min: 1, max: 9 }),
    esp: cents(1_000_000),
    discount: cents(1000),
    couponDiscount: cents(1000),
    deliveryCharge: cents(1000),
    tax: cents(1000)
  })
  const ownership = FastCheck.constantFrom("SELLER" as const, "MARKETPLACE" as const)

  it("adds up minor units, so that no sum is off because of binary fractions", () => {
    const sums = OrderPricing.sumsOf(draft([Array.from({ length: 10 }, () => line({ esp: 1.1, discount: 0.1 }))]))
    deepStrictEqual([sums.discount, sums.dueToSeller], [100, 1000])
  })

  it("gives the seller no coupon of an order without one, and no tax of lines without tax", () => {
    const sums = OrderPricing.sumsOf(draft([[line({ esp: 10, couponDiscount: 1 })]], { coupon: null }))
    deepStrictEqual([sums.dueToSeller, sums.tax], [900, 0])
  })

  it("gives the tax of the charges with that of the lines", () => {
    const charge = { name: "Gift wrap", type: "FEE", amount: 50, tax: { rate: 18, amount: 7.63 } }
    const lines = [[line({ esp: 10, tax: { rate: 12, amount: 1.07 } })]]
    const sums = OrderPricing.sumsOf(draft(lines, { charges: [charge, { ...charge, tax: null }] }))
    deepStrictEqual(sums.tax, 870)
  })

  it("gives the lines' sums, and the amount due to the seller: what the customer pays plus the marketplace's coupon", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(priced, { minLength: 1, maxLength: 20 }), ownership, (lines, owner) => {
        const sold = lines.map(({ couponDiscount, deliveryCharge, discount, esp, quantity, tax }) =>
          line({
            quantity,
            esp: esp / 100,
            discount: discount / 100,
            couponDiscount: couponDiscount / 100,
            deliveryCharge: deliveryCharge / 100,
            tax: { rate: 5, amount: tax / 100 }
          })
        )
        const sum = (of: (one: (typeof lines)[number]) => number) => lines.reduce((total, one) => total + of(one), 0)
        const coupons = sum((one) => one.couponDiscount)
        const paid = sum((one) => one.esp * one.quantity - one.discount - one.couponDiscount + one.deliveryCharge)
        deepStrictEqual(OrderPricing.sumsOf(draft([sold], { coupon: { code: "C", amount: 1, ownership: owner } })), {
          discount: sum((one) => one.discount),
          couponDiscount: coupons,
          deliveryCharge: sum((one) => one.deliveryCharge),
          tax: sum((one) => one.tax),
          dueToSeller: owner === "MARKETPLACE" ? paid + coupons : paid
        })
      })
    )
  })
})
