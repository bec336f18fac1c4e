/** The charges of the host: a fee for cash on delivery, and rounding to a whole amount. Orders and payments must add up. */
import { OrderPricing, shipmentOrderOf } from "@crossdock/orders"
import { paymentOf, type Shipment } from "@crossdock/shipments"
import type * as World from "./World.ts"

export const policy: OrderPricing.ChargesOf = ({ payment }, total) => {
  const fee =
    payment.mode === "COD" ? { name: "Cash on delivery", amount: 4_133, tax: { rate: 18, amount: 630 } } : undefined
  const sum = total + (fee?.amount ?? 0)
  const rounded = Math.round(sum / 100) * 100
  return [
    ...(fee === undefined ? [] : [fee]),
    ...(rounded === sum ? [] : [{ name: "Rounding", amount: rounded - sum }])
  ]
}

/** The total of an order with the host's charges, in minor units. */
export const totalWith = (mode: "COD" | "PREPAID", total: number): number =>
  policy({ payment: { mode, methods: [] } } as never, total).reduce((sum, { amount }) => sum + amount, total)

/** Finds differences between the cost of an order and its payments. */
export const ofOrder = ({ order: { draft, id, total } }: World.PlacedOrder): ReadonlyArray<string> => {
  const { cod, prepaid } = OrderPricing.methodsOf(draft)
  return total === cod + prepaid && total % 100 === 0
    ? []
    : [`order ${id} costs ${total}, of which ${cod} and ${prepaid} are paid`]
}

/** Finds differences between the total of a document and the payment of its shipment. */
export const onPaper = (
  { placed }: World.World,
  shipment: Shipment,
  name: string,
  lines: ReadonlyArray<{ readonly total: number; readonly title: string }> = []
): ReadonlyArray<string> => {
  const order = placed.get(shipment.orderId)?.order
  if (order === undefined || lines.length === 0) return []
  const { collect, prepaid } = paymentOf(shipmentOrderOf(order), shipment)
  const printed = lines.reduce((sum, { total }) => sum + total, 0)
  return printed === collect + prepaid ? [] : [`${name} comes to ${printed}, and ${collect + prepaid} is paid`]
}
