/** The amount due to the seller for a line, and a shipment's payment. Source: docs/reference/orders.md#totals. */
import { Money } from "@crossdock/kernel"
import type { Amounts, CouponOwner, OrderCharge, Shipment, ShipmentOrder } from "./Shipment.ts"
import { lineTotal } from "./Shipment.ts"
import { remaining } from "./ShipmentPart.ts"

/** A line's total, plus the coupon's discount if the marketplace bears it: docs/reference/orders.md#coupon-ownership. */
export const dueToSeller = (item: Amounts, owner: CouponOwner | null): number =>
  lineTotal(item) + (owner === "MARKETPLACE" ? item.couponDiscount : 0)

/**
 * A shipment's payment in minor units. An order's payments add up exactly. Source: docs/reference/orders.md#payment.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { paymentOf } from "@crossdock/shipments"
 * import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
 *
 * // half of the order's lines, so half of each method
 * const methods = { cod: 300, prepaid: 700, lines: 20_000, units: 2 }
 * const shipment = placedShipment({ items: [shipmentItem()] })
 * deepStrictEqual(paymentOf({ methods }, shipment), { collect: 150, prepaid: 350 })
 * ```
 */
export const paymentOf = (
  { methods }: Pick<ShipmentOrder, "methods">,
  shipment: Placed
): { readonly collect: number; readonly prepaid: number } => {
  const share = sharing(methods, shipment)
  return { collect: share(methods.cod).part, prepaid: share(methods.prepaid).part }
}

type Placed = Pick<Shipment, "items" | "linesBefore" | "unitsBefore">

const sharing = ({ lines, units }: ShipmentOrder["methods"], { items, linesBefore, unitsBefore = 0 }: Placed) => {
  const left = items.map(remaining)
  const amount = left.reduce((sum, one) => sum + lineTotal(one), 0)
  const [before, part, whole] =
    lines > 0 ? [linesBefore, amount, lines] : [unitsBefore, left.reduce((sum, one) => sum + one.ordered, 0), units]
  return (total: number) => {
    const first = Money.cumulativeShare(total, before, whole)
    return { before: first, part: Money.cumulativeShare(total, before + part, whole) - first }
  }
}

/** A shipment's part of a charge. `taxBefore` is the charge's tax on the papers of the order's earlier shipments. */
export interface ChargePart extends OrderCharge {
  readonly taxBefore: number
}

/**
 * A shipment's parts of the printed charges, and a rounding difference that makes its paper add up to its payment.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { chargePartsOf } from "@crossdock/shipments"
 * import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
 *
 * // Half of the order's lines, so half of 0.33 and of 0.33: 0.16 each. The customer pays half of 200.66.
 * const charge = { code: null, amount: 33, taxRate: null, taxAmount: 0 }
 * const charges = [{ ...charge, name: "Shipping" }, { ...charge, name: "Gift wrap" }]
 * const methods = { cod: 0, prepaid: 20_066, lines: 20_000, units: 2 }
 * const parts = chargePartsOf({ charges, methods }, placedShipment({ items: [shipmentItem()] }))
 * deepStrictEqual(parts.map(({ amount, name }) => [name, amount]), [["Shipping", 16], ["Gift wrap", 16], ["Rounding", 1]])
 * ```
 */
export const chargePartsOf = (
  { charges, methods }: Pick<ShipmentOrder, "charges" | "methods">,
  shipment: Placed
): ReadonlyArray<ChargePart> => {
  if (charges === undefined) return []
  const share = sharing(methods, shipment)
  const parts = charges.map((charge) => {
    const { before, part } = share(charge.amount)
    // Tax is divided in proportion to the charge's amount. So the tax of a part never exceeds the part.
    const taxUpTo = (amount: number) => Money.cumulativeShare(charge.taxAmount, amount, charge.amount)
    return { ...charge, amount: part, taxAmount: taxUpTo(before + part) - taxUpTo(before), taxBefore: taxUpTo(before) }
  })
  const { collect, prepaid } = paymentOf({ methods }, shipment)
  const printed = [...shipment.items.map((item) => lineTotal(remaining(item))), ...parts.map(({ amount }) => amount)]
  const amount = collect + prepaid - printed.reduce((sum, one) => sum + one, 0)
  const rounding = { name: "Rounding", code: null, amount, taxRate: null, taxAmount: 0, taxBefore: 0 }
  return [...parts, rounding].filter((one) => one.amount !== 0)
}
