/** The money of a line of an order, the money of a return of some of its units, and the names of its taxes. */
import { dividedEqually, GoodsAndServicesTax } from "@crossdock/documents"
import { Money } from "@crossdock/kernel"
import { type OrderDraft, OrderPricing } from "@crossdock/orders"
import { LineAmounts } from "@crossdock/returns"
import * as Result from "effect/Result"

/** A line as it is typed. Amounts are decimal. `esp` is for one unit, and the other amounts are for the whole line. */
export interface Line {
  readonly quantity: number
  readonly esp: number
  readonly discount: number
  readonly coupon: number
  readonly delivery: number
  readonly taxRate: number
}

const currency = "INR"
const shown = (minor: number) => Money.toText(minor, currency)

/** The tax of a line. The price includes tax, so it is total × rate ÷ (100 + rate), rounded to a paisa. */
const taxOf = ({ coupon, delivery, discount, esp, quantity, taxRate }: Line): number =>
  Math.round(((esp * quantity - discount - coupon + delivery) * 100 * taxRate) / (100 + taxRate)) / 100

const address = (state: string) => ({
  ...{ name: "A Customer", phone: "+918000000000", email: null, address1: "1 Road", address2: null, landmark: null },
  ...{ city: "City", state, pincode: "560001", country: "India" }
})

const draftOf = (line: Line, to: string): OrderDraft => ({
  ...{ externalOrderId: "BZ-1001", currency, orderDate: null, customer: null, coupon: null, charges: [], gstin: null },
  ...{ totalAmount: null, meta: null, payment: { mode: "PREPAID", methods: [] } },
  ...{ billingAddress: address(to), shippingAddress: address(to) },
  shipments: [
    {
      ...{ externalShipmentId: "1", location: "BLR1", fulfillment: "SELLER", selfShip: false },
      ...{ packAfter: null, packBy: null, dispatchBy: null, deliverBy: null },
      lines: [
        {
          ...{ externalLineId: null, sku: "MUG-1-S", quantity: line.quantity, mrp: null, esp: line.esp },
          ...{ discount: line.discount, couponDiscount: line.coupon, deliveryCharge: line.delivery },
          tax: { rate: line.taxRate, amount: taxOf(line) }
        }
      ]
    }
  ]
})

type Rows = ReadonlyArray<readonly [what: string, ...amounts: ReadonlyArray<string>]>

/**
 * The price and the taxes of an order of this line, or its violations. The order goes from the seller's state to the buyer's
 * state.
 */
export const priced = (line: Line, from: string, to: string): Result.Result<Rows, ReadonlyArray<string>> => {
  const draft = draftOf(line, to)
  return Result.mapBoth(OrderPricing.price(draft), {
    onFailure: ({ violations }) => violations.map(({ code, message, path }) => `${code} ${path}: ${message}`),
    onSuccess: ({ total }) => {
      const { couponDiscount, deliveryCharge, discount, tax } = OrderPricing.sumsOf(draft)
      const place = (state: string) => ({ country: "India", state, gstin: null })
      const names = GoodsAndServicesTax.taxNames(place(from), place(to))
      return [
        ["Goods", shown(total + discount + couponDiscount - deliveryCharge)],
        ["Discounts", shown(-discount - couponDiscount)],
        ["Delivery", shown(deliveryCharge)],
        ["Total", shown(total)],
        ["of it without tax", shown(total - tax)],
        ...dividedEqually(tax, names.length).map((part, nth): Rows[number] => [`of it ${names[nth]}`, shown(part)])
      ]
    }
  })
}

/** The share of each unit, and what the customer gets back for `units` returned units. The shares always add up to the line. */
export const returned = (line: Line, units: number): Rows => {
  const minor = (amount: number) => Result.getOrElse(Money.fromNumber(amount, currency), () => Money.minorUnits(0))
  const amounts = {
    ordered: line.quantity,
    esp: minor(line.esp),
    discount: minor(line.discount),
    couponDiscount: minor(line.coupon),
    deliveryCharge: minor(line.delivery),
    taxAmount: minor(taxOf(line))
  }
  const kept = LineAmounts.amountsOf(amounts, 0, line.quantity - units)
  const back = LineAmounts.amountsOf(amounts, line.quantity - units, units)
  const whole = LineAmounts.amountsOf(amounts, 0, line.quantity)
  const totalOf = (part: typeof kept, count: number) =>
    amounts.esp * count - part.discount - part.couponDiscount + part.deliveryCharge
  const row = (what: string, of: (part: typeof kept, count: number) => number): Rows[number] => [
    what,
    ...(
      [
        [kept, line.quantity - units],
        [back, units],
        [whole, line.quantity]
      ] as const
    ).map(([part, count]) => shown(of(part, count)))
  ]
  return [
    row("Goods", (_, count) => amounts.esp * count),
    row("Discount", (part) => -part.discount),
    row("Coupon", (part) => -part.couponDiscount),
    row("Delivery", (part) => part.deliveryCharge),
    row("Total", totalOf),
    row("of it tax", (part) => part.taxAmount)
  ]
}
