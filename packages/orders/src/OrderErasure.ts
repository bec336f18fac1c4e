/** Removes personal data from an order and its shipments. Source: docs/reference/orders.md#erasure. */
import type { Caller } from "@crossdock/access"
import { CompanyEvent, CompanyWrite } from "@crossdock/audit"
import { CustomFields } from "@crossdock/catalog"
import { StaleWrite } from "@crossdock/kernel"
import type { Address, Shipment } from "@crossdock/shipments"
import { erasedShipment, isErased, mayMoveStock, ShipmentStore, withKept } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import { type Order, type OrderDraft, OrderInProgress, OrderNotFound, OrderStore, type PersonalField } from "./Order.ts"
import * as OrderFeed from "./OrderFeed.ts"

/** The address without personal data. State and country are kept, since they determine the taxes of the sale. */
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
 * The draft without customer, `meta`, addresses except state and country, and custom fields that `fields` doesn't keep.
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
export const erasedDraft = (draft: OrderDraft, { kept } = CustomFields.none): OrderDraft => {
  const erased: Pick<OrderDraft, PersonalField> = {
    customer: null,
    billingAddress: erasedAddress(draft.billingAddress),
    shippingAddress: erasedAddress(draft.shippingAddress),
    meta: null
  }
  const shipments = draft.shipments.map((one) => ({
    ...withKept("shipment", one, kept),
    lines: one.lines.map((line) => withKept("item", line, kept))
  }))
  return { ...withKept("order", draft, kept), ...erased, shipments }
}

/** The order with its draft replaced by `erasedDraft`. `at` is in epoch milliseconds. */
export const erased = (order: Order, at: number, fields = CustomFields.none): Order => ({
  ...order,
  draft: erasedDraft(order.draft, fields),
  erasedAt: at
})

/** The draft to compare with an order's stored draft. If the order was erased, the draft is erased too. */
export const comparable = (
  order: Pick<Order, "erasedAt">,
  draft: OrderDraft,
  fields = CustomFields.none
): OrderDraft => (order.erasedAt === undefined ? draft : erasedDraft(draft, fields))

const idsOf = (shipments: ReadonlyArray<Shipment>) => shipments.map(({ id }) => id)

/** Makes `Orders.erase`. The order and its closed shipments are erased together. */
export const make = Effect.gen(function* () {
  const store = yield* OrderStore
  const shipmentStore = yield* ShipmentStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const fields = yield* CustomFields.Policy

  const closed = Effect.fnUntraced(function* (marketplace: string, id: string) {
    const order = yield* store.byId(marketplace, id)
    if (order === undefined) return yield* new OrderNotFound({ id })
    const shipments = yield* shipmentStore.ofOrder(id)
    const open = shipments.filter(mayMoveStock)
    if (open.length > 0) return yield* new OrderInProgress({ id, shipmentIds: open.map((one) => one.id) })
    return { order, own: [...Map.groupBy(shipments, ({ companyId }) => companyId)].sort(([a], [b]) => a - b) }
  })

  return Effect.fn("Orders.erase")(function* (caller: Caller, marketplace: string, id: string) {
    const wasErased = yield* run(caller, {
      load: Effect.gen(function* () {
        const { own } = yield* closed(marketplace, id)
        for (const [companyId, shipments] of own) yield* shipmentStore.load(companyId, idsOf(shipments))
        return own
      }),
      // This reads again under the locks. If a return was opened and closed since the first read, the erasure starts again.
      decide: Effect.fnUntraced(function* (loaded, at) {
        const { order, own: all } = yield* closed(marketplace, id)
        // Data that was written after an earlier erasure is erased now.
        const isRepeat = order.erasedAt !== undefined
        const own = isRepeat
          ? all.filter(([, shipments]) => !shipments.every((one) => isErased(one, fields.kept)))
          : all
        if (isRepeat && own.length === 0) return CompanyWrite.nothing(false)
        const locked = new Set(loaded.flatMap(([, shipments]) => idsOf(shipments)))
        if (own.some(([, shipments]) => idsOf(shipments).some((one) => !locked.has(one))))
          return yield* new StaleWrite({ operation: "Orders.erase" })
        if (!isRepeat) yield* store.replace(erased(order, at, fields))
        const changes = own.map(([companyId, shipments]) => ({
          companyId,
          entity: { type: "order", id, action: "erase" },
          save: () =>
            Effect.as(
              shipmentStore.update(
                companyId,
                shipments.map((before) => ({ before, after: erasedShipment(before, at, fields.kept) }))
              ),
              {
                logs: { request: {}, response: { shipments: idsOf(shipments) } },
                events: [
                  CompanyEvent.draft(OrderFeed.erased, { orderId: id, marketplace, shipmentIds: idsOf(shipments) })
                ]
              }
            )
        }))
        return { answer: true, changes }
      })
    })
    // Purge even after a repeat, since an earlier purge may have failed.
    yield* store.purge
    return wasErased
  })
})
