import type { CompanyId } from "@crossdock/kernel"
import { shipmentOrderOf } from "@crossdock/orders"
import { type Shipment, ShipmentStore } from "@crossdock/shipments"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { concurrently, exactlyOneSucceeded, loadedBehind } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import type { Laws } from "./Laws.ts"
import { about, badEnds, column, columns, endsBadly, inTransaction, outcome, sortedBy, waysToWrite } from "./Laws.ts"
import { shipmentSearchLaws } from "./ShipmentSearchLaws.ts"
import {
  at,
  courier,
  filled,
  freshId,
  freshIds,
  invoice,
  load,
  loadAll,
  moveAll,
  next,
  nextOf,
  type Ports,
  placed,
  stored,
  world
} from "./ShipmentWorld.ts"

export const shipmentStoreLaws = (laws: Laws<Ports>): void => {
  const { concurrent, law } = about(ShipmentStore, laws)
  law("nothing is found where nothing is, or nothing is asked", function* (store) {
    const { company, order, shipments } = yield* stored(1)
    for (const ids of [[], yield* freshIds(2)]) {
      deepStrictEqual(yield* store.load(company, ids), [])
      deepStrictEqual(yield* store.withOrders(company, ids), [])
      deepStrictEqual(yield* store.returnsOf(company, ids), [])
      deepStrictEqual(yield* store.companiesOf(order.marketplace, ids), [])
      deepStrictEqual(yield* store.usedInvoiceNumbers(company, ids), [])
      deepStrictEqual(yield* store.openAwbs(company, ids), [])
    }
    deepStrictEqual(yield* store.ofOrder(yield* Fresh.text("order")), [])
    yield* store.insert([])
    yield* store.update(company, [])
    deepStrictEqual(yield* store.ofOrder(order.id), shipments)
  })

  law("shipments are read back equal, empty or with every field; unknown ids are left out", function* (store) {
    const { company, shipments } = yield* world(3)
    const all = shipments.map((one, i) => (i === 1 ? filled(one) : one))
    yield* store.insert(all)
    deepStrictEqual(yield* loadAll(company, [yield* freshId, ...column(all, "id"), ...column(all, "id")]), all)
  })

  law("shipments come with what they show of their orders, each once, and none of another company", function* (store) {
    const [one, other] = [yield* stored(2), yield* stored(1)]
    const asked = [yield* freshId, ...one.ids, ...one.ids, ...other.ids]
    const found = yield* store.withOrders(one.company, asked)
    const order = shipmentOrderOf(one.order)
    deepStrictEqual(sortedBy(column(found, "shipment"), "id"), one.shipments)
    deepStrictEqual(column(found, "order"), [order, order])
  })

  law("what an update wrote is read back equal, also when it empties what was filled", function* (store) {
    const { company, shipments } = yield* stored(3)
    const [one, other, untouched] = shipments
    const changed = { ...filled(one), version: 4 }
    yield* store.update(company, [{ before: one, after: changed }, next(other)])
    deepStrictEqual(yield* loadAll(company, column(shipments, "id")), [changed, next(other).after, untouched])
    const emptied = { ...one, version: 5 }
    yield* store.update(company, [{ before: changed, after: emptied }])
    deepStrictEqual(yield* load(company, one.id), emptied)
  })

  law("an id is used once: a second insert is stale and leaves nothing, whose ever the first is", function* (store) {
    const { company, order, shipments } = yield* stored(1)
    const { company: otherCompany, order: otherOrder } = yield* world(0)
    const [taken, fresh] = [shipments[0].id, yield* freshIds(2)]
    for (const owner of [company, otherCompany]) {
      const again = [fresh[0], taken, fresh[1]].map((id) => placed(otherOrder, owner, id))
      strictEqual(yield* outcome(store.insert(again)), "StaleWrite")
      deepStrictEqual(yield* loadAll(owner, fresh), [])
    }
    const twice = [fresh[0], fresh[1], fresh[0]].map((id) => placed(otherOrder, company, id))
    strictEqual(yield* outcome(store.insert(twice)), "StaleWrite")
    deepStrictEqual(yield* loadAll(otherCompany, [taken]), [])
    deepStrictEqual(yield* store.ofOrder(otherOrder.id), [])
    deepStrictEqual(yield* store.ofOrder(order.id), shipments)
  })

  law("a shipment that changed since it was read is a stale write, and so is an unknown one", function* (store) {
    const { company, order, shipments } = yield* stored(1)
    const [first] = shipments
    const second = next(first).after
    yield* store.update(company, [next(first)])
    const unborn = placed(order, company, yield* freshId)
    for (const stale of [first, { ...first, version: 3 }, { ...first, version: 0 }, unborn])
      strictEqual(yield* outcome(store.update(company, [next(stale, { locked: true })])), "StaleWrite")
    deepStrictEqual(yield* loadAll(company, [first.id, unborn.id]), [second])
  })

  law("when one of several shipments is stale, none is written", function* (store) {
    const { company, ids, shipments } = yield* stored(3)
    yield* store.update(company, nextOf(shipments.slice(1, 2)))
    const before = yield* loadAll(company, ids)
    const all = shipments.map((one) => next(one, { locked: true }))
    strictEqual(yield* outcome(store.update(company, all)), "StaleWrite")
    deepStrictEqual(yield* loadAll(company, ids), before)
  })

  law("a stale insert or update fails its transaction, and nothing of that remains", function* (store) {
    const { company, ids, order, shipments } = yield* stored(2)
    const [one, other] = shipments
    const fresh = placed(order, company, yield* freshId)
    const begun = Effect.andThen(store.insert([fresh]), store.update(company, [next(one)]))
    const stale = next({ ...other, version: 7 })
    for (const rejected of [store.insert([other]), store.update(company, [next(next(one).after), stale])]) {
      for (const written of waysToWrite) {
        strictEqual(yield* outcome(inTransaction(written(Effect.andThen(begun, rejected)))), "StaleWrite")
        deepStrictEqual(yield* loadAll(company, [...ids, fresh.id]), shipments)
      }
    }
  })

  for (const [how, end] of badEnds)
    law(`what a transaction wrote that ${how} was never there`, function* (store) {
      const { company, ids, order, shipments } = yield* stored(1)
      const fresh = placed(order, company, yield* freshId)
      const writes = Effect.andThen(store.insert([fresh]), moveAll(company, ids))
      yield* endsBadly(inTransaction(Effect.andThen(writes, end)))
      deepStrictEqual(yield* store.ofOrder(order.id), shipments)
      yield* inTransaction(writes)
      strictEqual((yield* store.ofOrder(order.id)).length, 2)
    })

  concurrent("of many who update one shipment at once exactly one wins, the others are stale", function* (store) {
    const { company, ids } = yield* stored(1)
    for (const unit of [<A, E, R>(effect: Effect.Effect<A, E, R>) => effect, inTransaction]) {
      const before = yield* load(company, ids[0] ?? "")
      const changes = Array.from({ length: 12 }, (_, i) => next(before, { additionalInfo: `host ${i}` }))
      const outcomes = yield* concurrently(changes.map((one) => outcome(unit(store.update(company, [one])))))
      deepStrictEqual(yield* load(company, before.id), changes[exactlyOneSucceeded(outcomes)]?.after)
    }
  })

  concurrent("of many who insert one id at once exactly one wins, the others are stale", function* (store) {
    const { order, shipments } = yield* world(1)
    const companies = yield* Effect.replicateEffect(Fresh.companyId, 12)
    const rivals = companies.map((companyId) => shipments.map((one) => ({ ...one, companyId })))
    const outcomes = yield* concurrently(rivals.map((one) => outcome(inTransaction(store.insert(one)))))
    deepStrictEqual(yield* store.ofOrder(order.id), rivals[exactlyOneSucceeded(outcomes)])
  })

  concurrent("a transaction that loads a shipment keeps others from it until it ends", function* (store) {
    const { company, ids } = yield* stored(2)
    const shipment = load(company, ids[0] ?? "")
    const update = (before: Shipment) => store.update(company, [next(before)])
    strictEqual((yield* loadedBehind(shipment, loadAll(company, ids), update, shipment)).version, 2)
  })

  concurrent("all who load before they update arrive, and in another order they do not block each other", function* () {
    const { company, ids } = yield* stored(30)
    const writers = Array.from({ length: 16 }, (_, i) => moveAll(company, i % 2 === 0 ? ids : ids.toReversed()))
    // These transactions aren't retried. A transaction that locked its rows never fails as stale.
    yield* concurrently(writers.map((writer) => inTransaction(writer)))
    deepStrictEqual(columns(yield* loadAll(company, ids), "sla", "version"), Array(ids.length).fill([at + 16, 17]))
  })

  law("nothing of another company is ever seen", function* (store) {
    const { company, order, shipments } = yield* world(1)
    const [one] = shipments.map(filled) as [Shipment]
    const back = placed(order, company, yield* freshId, { forwardId: one.id, journey: "return" })
    yield* store.insert([one, back])
    // The second company has a return with the same forward id, and other shipments.
    const other = yield* Fresh.companyId
    const theirs = placed(order, other, yield* freshId, {
      forwardId: one.id,
      journey: "return",
      courier: courier("Garuḍa", "AWB/9"),
      invoice: invoice("I/9"),
      creditNote: invoice("C/9")
    })
    yield* store.insert([theirs])
    const seen = Effect.fnUntraced(function* (viewer: CompanyId) {
      const first = { number: 1, size: 10 }
      return {
        loaded: column(yield* loadAll(viewer, [one.id, back.id, theirs.id]), "id"),
        returns: column(yield* store.returnsOf(viewer, [one.id]), "id"),
        numbers: [...(yield* store.usedInvoiceNumbers(viewer, ["I/1", "C/1", "I/9", "C/9"]))].sort(),
        awbs: (yield* store.openAwbs(viewer, ["AWB/1", "AWB/9"])).map(({ awb }) => awb),
        listed: (yield* store.page(viewer, { locations: null }, first)).items.map(({ shipment }) => shipment.id),
        found: (yield* store.page(viewer, { locations: null, id: one.id }, first)).total
      }
    })
    deepStrictEqual(yield* seen(company), {
      loaded: [one.id, back.id],
      returns: [back.id],
      numbers: ["C/1", "I/1"],
      awbs: ["AWB/1"],
      listed: [back.id, one.id],
      found: 1
    })
    deepStrictEqual(yield* seen(other), {
      loaded: [theirs.id],
      returns: [theirs.id],
      numbers: ["C/9", "I/9"],
      awbs: ["AWB/9"],
      listed: [theirs.id],
      found: 0
    })
    const { found, ...lists } = yield* seen(yield* Fresh.companyId)
    deepStrictEqual([found, Object.values(lists).flat()], [0, []])
  })

  law("more shipments than a statement has parameters are read, listed and written at once", function* (store) {
    const { company, ids, shipments } = yield* stored(Fresh.many.length)
    yield* store.update(company, nextOf(shipments))
    strictEqual((yield* store.load(company, ids)).length, ids.length)
    strictEqual((yield* store.withOrders(company, ids)).length, ids.length)
    deepStrictEqual(yield* store.returnsOf(company, ids), [])
    deepStrictEqual(yield* store.companiesOf("bazaar", ids), [])
    const locations = Fresh.many.map((n) => `none-${n}`)
    const filter = { locations, orderStatus: "DELIVERED" } as const
    deepStrictEqual(yield* store.page(company, filter, { number: 1, size: 10 }), { items: [], total: 0 })
  })

  law("shipments that were read for one company change nothing of another", function* (store) {
    const { company, ids, shipments } = yield* stored(1)
    const other = yield* stored(1)
    const changes = [...shipments, ...other.shipments].map((one) => next(one, { companyId: other.company }))
    for (const attempt of [changes, changes.slice(0, 1)])
      strictEqual(yield* outcome(store.update(other.company, attempt)), "StaleWrite")
    deepStrictEqual(yield* loadAll(company, ids), shipments)
    deepStrictEqual(yield* loadAll(other.company, [...ids, ...other.ids]), other.shipments)
  })

  shipmentSearchLaws(laws)
}
