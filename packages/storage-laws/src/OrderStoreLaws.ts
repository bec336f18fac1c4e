import type { StaleWrite, Transaction } from "@crossdock/kernel"
import { type Order, type OrderDraft, OrderStore } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import type { Address } from "@crossdock/shipments"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { concurrently, exactlyOne } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, badEnds, endsBadly, inTransaction, type Laws, sortedBy } from "./Laws.ts"

const address: Address = {
  name: "Asha “Rao” 😀",
  phone: "+91 98450 00000",
  email: null,
  address1: "12, राजपथ",
  address2: null,
  landmark: "Опера",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const emptyDraft = (externalOrderId: string): OrderDraft =>
  orderDraft({
    externalOrderId,
    billingAddress: address,
    shippingAddress: { ...address, city: externalOrderId, email: "a@example.com" },
    shipments: []
  })

const fullDraft = (externalOrderId: string): OrderDraft => ({
  ...emptyDraft(externalOrderId),
  orderDate: 1_790_000_000_000,
  payment: { mode: "COD", methods: [{ mode: "COD", name: "Cash", amount: 499.5 }] },
  customer: { name: "आशा", phone: null, email: "a@example.com" },
  coupon: { code: "DIWALI", amount: 10.25, ownership: "SELLER" },
  charges: [{ name: "Wrap", type: "gift", amount: 0.1, tax: { rate: 18, amount: 0.02 } }],
  gstin: "29ABCDE1234F1Z5",
  totalAmount: 499.5,
  shipments: [
    orderShipment({
      externalShipmentId: "s/1",
      fulfillment: "MARKETPLACE",
      packAfter: 1,
      dispatchBy: 3,
      deliverBy: 2 ** 52,
      lines: [
        orderLine({
          sku: "कुर्ता",
          quantity: 2,
          esp: 1e-2,
          couponDiscount: 1,
          deliveryCharge: 2,
          tax: { rate: 0.25, amount: 1.5 }
        })
      ]
    })
  ],
  meta: { "a/b": [1, null, { "": "\u0000\ud800'\\" }], ok: true }
})

export const freshOrder = Effect.fnUntraced(function* (marketplace: string) {
  const externalOrderId = yield* Fresh.text("external")
  return {
    id: yield* Fresh.text("order"),
    marketplace,
    total: 99_950,
    orderDate: 1_790_000_000_000,
    createdAt: 1_790_000_000_001,
    draft: emptyDraft(externalOrderId),
    shipments: [{ externalShipmentId: "s/1", shipmentId: "00000000000000000001" }]
  } satisfies Order
})

const freshSlug = Fresh.text("bazaar")

const isNew = <E, R>(insert: Effect.Effect<void, E | StaleWrite, R>) =>
  Effect.as(insert, true).pipe(Effect.catchTag("StaleWrite", () => Effect.succeed(false)))

const inserted = (order: Order) => Effect.flatMap(OrderStore, (store) => isNew(store.insert(order)))

const rival = (order: Order, id: string): Order => ({ ...order, id, total: order.total + 1 })

export const orderStoreLaws = (laws: Laws<OrderStore | Transaction.Transaction>): void => {
  const { concurrent, law } = about(OrderStore, laws, Effect.all([freshSlug, freshSlug]))
  law("an order with any content is read back equal by both its ids", function* (store, [slug]) {
    const [bare, base] = [yield* freshOrder(slug), yield* freshOrder(slug)]
    const full = { ...base, shipments: [], draft: fullDraft(base.draft.externalOrderId) }
    for (const order of [bare, full]) {
      strictEqual(yield* store.byId(slug, order.id), undefined)
      strictEqual(yield* store.byExternalId(slug, order.draft.externalOrderId), undefined)
      assertTrue(yield* inserted(order))
      deepStrictEqual(yield* store.byId(slug, order.id), order)
      deepStrictEqual(yield* store.byExternalId(slug, order.draft.externalOrderId), order)
    }
  })

  law("orders are read page by page, each once, by ascending id", function* (store, [slug]) {
    const all = yield* Effect.replicateEffect(freshOrder(slug), 5)
    yield* Effect.forEach(all, store.insert)
    const read: Array<Order> = []
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const page: ReadonlyArray<Order> = yield* store.page(after, 2)
      assertTrue(page.length <= 2)
      read.push(...page)
      after = page.at(-1)?.id
    }
    const mine = read.filter(({ marketplace }) => marketplace === slug)
    deepStrictEqual(mine, sortedBy(all, "id"))
  })

  law("external ids of 2,000 characters that differ in the last are two orders", function* (store, [slug]) {
    const base = yield* freshOrder(slug)
    const [one = base, other = base] = (yield* Fresh.longTexts).map((externalOrderId, i) => ({
      ...base,
      id: `${base.id}-${i}`,
      draft: emptyDraft(externalOrderId)
    }))
    assertTrue(yield* inserted(one))
    strictEqual(yield* store.byExternalId(slug, other.draft.externalOrderId), undefined)
    assertTrue(yield* inserted(other))
    assertFalse(yield* inserted(rival(one, `${one.id}-again`)))
    for (const order of [one, other])
      deepStrictEqual(yield* store.byExternalId(slug, order.draft.externalOrderId), order)
  })

  law("an order with a used id, of any marketplace, is not inserted", function* (store, [slug, other]) {
    const [first, second] = [yield* freshOrder(slug), yield* freshOrder(other)]
    assertTrue(yield* inserted(first))
    assertFalse(yield* inserted({ ...second, id: first.id }))
    deepStrictEqual(yield* store.byId(slug, first.id), first)
    strictEqual(yield* store.byExternalId(other, second.draft.externalOrderId), undefined)
    assertTrue(yield* inserted(second))
  })

  law("a second order with an external id is rejected with its whole transaction", function* (store, [slug]) {
    const [first, earlier] = [yield* freshOrder(slug), yield* freshOrder(slug)]
    const second = rival(first, yield* Fresh.text("order"))
    assertTrue(yield* inserted(first))
    assertFalse(yield* inserted(second))
    const unit = inTransaction(Effect.andThen(store.insert(earlier), store.insert(second)))
    strictEqual((yield* Effect.flip(unit))._tag, "StaleWrite")
    strictEqual(yield* store.byId(slug, second.id), undefined)
    strictEqual(yield* store.byId(slug, earlier.id), undefined)
    deepStrictEqual(yield* store.byExternalId(slug, first.draft.externalOrderId), first)
  })

  law("external ids are equal only when every character is", function* (store) {
    const [slug, prefix] = [yield* freshSlug, yield* Fresh.text("external")]
    for (const end of Fresh.shuffled) {
      const order = yield* freshOrder(slug)
      const draft = { ...order.draft, externalOrderId: `${prefix}${end}` }
      assertTrue(yield* inserted({ ...order, draft }))
      strictEqual((yield* store.byExternalId(slug, draft.externalOrderId))?.id, order.id)
    }
    strictEqual(yield* store.byExternalId(slug, prefix), undefined)
  })

  law("two marketplaces may use one external id; neither sees the other's order", function* (store, [slug, otherSlug]) {
    const one = yield* freshOrder(slug)
    const other = { ...rival(one, yield* Fresh.text("order")), marketplace: otherSlug }
    assertTrue(yield* inserted(one))
    strictEqual(yield* store.byExternalId(otherSlug, one.draft.externalOrderId), undefined)
    assertTrue(yield* inserted(other))
    deepStrictEqual(yield* store.byExternalId(slug, one.draft.externalOrderId), one)
    deepStrictEqual(yield* store.byExternalId(otherSlug, one.draft.externalOrderId), other)
    strictEqual(yield* store.byId(slug, other.id), undefined)
    strictEqual(yield* store.byId(otherSlug, one.id), undefined)
  })

  for (const [how, end] of badEnds)
    law(`an order of a transaction that ${how} was never there; its external id is free`, function* (store) {
      const order = yield* freshOrder(yield* freshSlug)
      yield* endsBadly(inTransaction(Effect.andThen(store.insert(order), end)))
      strictEqual(yield* store.byId(order.marketplace, order.id), undefined)
      assertTrue(yield* inserted(order))
    })

  concurrent("one of twenty concurrent inserts of an external id wins, and is kept", function* (store) {
    for (const unit of [<A, E, R>(effect: Effect.Effect<A, E, R>) => effect, inTransaction]) {
      const first = yield* freshOrder(yield* freshSlug)
      const orders = (yield* Effect.replicateEffect(Fresh.text("order"), 20)).map((id) => rival(first, id))
      const won = exactlyOne(yield* concurrently(orders.map((order) => isNew(unit(store.insert(order))))))
      const kept = yield* Effect.forEach(orders, ({ id }) => store.byId(first.marketplace, id))
      const expected = orders.map((order, i) => (i === won ? order : undefined))
      deepStrictEqual(kept, expected)
      deepStrictEqual(yield* store.byExternalId(first.marketplace, first.draft.externalOrderId), orders[won])
    }
  })

  law("an order is replaced alone and in its marketplace; its external id is used", function* (store, [slug, other]) {
    const [one, two] = [yield* freshOrder(slug), yield* freshOrder(slug)]
    yield* Effect.forEach([one, two], store.insert)
    const changed: Order = { ...one, erasedAt: 7, draft: { ...one.draft, customer: null, meta: null } }
    yield* store.replace({ ...changed, marketplace: other })
    deepStrictEqual(yield* store.byId(slug, one.id), one)
    yield* store.replace(changed)
    yield* store.purge
    yield* store.purge
    deepStrictEqual(yield* store.byId(slug, one.id), changed)
    deepStrictEqual(yield* store.byExternalId(slug, one.draft.externalOrderId), changed)
    deepStrictEqual(yield* store.byId(slug, two.id), two)
    assertFalse(yield* inserted(rival(one, yield* Fresh.text("order"))))
  })
}
