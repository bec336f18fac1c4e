/**
 * Takes what names a person out of an order. Source: docs/reference/orders.md#erasure.
 */
import type { Address } from "@crossdock/shipments"
import type { Order } from "./Order.ts"
import type { OrderDraft } from "./OrderDraft.ts"

/** State and country say which taxes the sale bears. */
const erasedAddress = ({ country, state }: Address): Address => ({
  name: "",
  phone: "",
  email: null,
  address1: "",
  address2: null,
  landmark: null,
  city: "",
  state,
  pincode: "",
  country
})

/**
 * The draft without the customer, the addresses except for state and country, and `meta`, which may contain anything. Lines,
 * amounts and the buyer's tax number stay.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { OrderErasure, OrderPricing } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const draft = orderDraft({ customer: { name: "Asha", phone: null, email: null } })
 * const erased = OrderErasure.erasedDraft(draft)
 * deepStrictEqual([erased.customer, erased.shippingAddress.name, erased.shippingAddress.state], [null, "", "Karnataka"])
 * deepStrictEqual(OrderPricing.price(erased), OrderPricing.price(draft))
 * ```
 */
export const erasedDraft = (draft: OrderDraft): OrderDraft => ({
  ...draft,
  customer: null,
  billingAddress: erasedAddress(draft.billingAddress),
  shippingAddress: erasedAddress(draft.shippingAddress),
  meta: null
})

/**
 * The order with `erasedDraft` as its draft. `at` is in epoch milliseconds.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { OrderErasure } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const draft = orderDraft({ customer: { name: "Asha", phone: null, email: null } })
 * const order = { id: "o1", marketplace: "bazaar", total: 100, orderDate: 0, createdAt: 0, draft, shipments: [] }
 * const erased = OrderErasure.erased(order, 9)
 * deepStrictEqual([erased.draft.customer, erased.erasedAt, erased.total], [null, 9, 100])
 * ```
 */
export const erased = (order: Order, at: number): Order => ({ ...order, draft: erasedDraft(order.draft), erasedAt: at })

/**
 * The draft as it is compared with the stored one of an order: of an erased order's, only what was kept.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { OrderErasure } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const draft = orderDraft({ customer: { name: "Asha", phone: null, email: null } })
 * deepStrictEqual(OrderErasure.comparable({}, draft), draft)
 * deepStrictEqual(OrderErasure.comparable({ erasedAt: 9 }, draft), OrderErasure.erasedDraft(draft))
 * ```
 */
export const comparable = (order: Pick<Order, "erasedAt">, draft: OrderDraft): OrderDraft =>
  order.erasedAt === undefined ? draft : erasedDraft(draft)
