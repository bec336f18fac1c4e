/** Laws about finding shipments in a `ShipmentStore`: by order, number, AWB, filter and page. */
import { Instant } from "@crossdock/kernel"
import { shipmentOrderOf } from "@crossdock/orders"
import type { Shipment, ShipmentFilter } from "@crossdock/shipments"
import { closedStatuses, operationalStatuses, ShipmentStore } from "@crossdock/shipments"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import { about, column, columns, endsBadly, inTransaction, inUnit, type Laws, outcome, sortedBy } from "./Laws.ts"
import type { Ports } from "./ShipmentWorld.ts"
import {
  courier,
  filled,
  freshId,
  freshIds,
  invoice,
  item,
  loadAll,
  next,
  placed,
  stored,
  world
} from "./ShipmentWorld.ts"

/** Shipments of two marketplaces, in each combination of locations, statuses and dates. Around 1970, rounding can be wrong. */
const many = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const [one, other] = [yield* world(0), yield* world(0)]
  const all: Array<{ readonly shipment: Shipment; readonly order: ReturnType<typeof shipmentOrderOf> }> = []
  for (const order of [one.order, other.order]) {
    for (const location of ["L1", "L2"]) {
      for (const status of ["placed", "bag_picked", "out_for_delivery"] as const) {
        for (const orderDate of [Instant.dayMillis + 20, -Instant.dayMillis, Instant.dayMillis - 1]) {
          const id = yield* freshId
          const shipment = placed(order, one.company, id, { location, status, orderDate })
          all.push({ shipment, order: shipmentOrderOf(order) })
        }
      }
    }
  }
  yield* store.insert(all.map(({ shipment }) => shipment).toReversed())
  const newestFirst = all.toSorted(
    (a, b) => b.shipment.orderDate - a.shipment.orderDate || (a.shipment.id < b.shipment.id ? 1 : -1)
  )
  return { company: one.company, all: newestFirst, marketplace: other.order.marketplace }
})

const statusOf = (shipment: Shipment) => (shipment.status === "placed" ? "CREATED" : "TRANSIT")

export const shipmentSearchLaws = (laws: Laws<Ports>): void => {
  const { law } = about(ShipmentStore, laws)
  law("returns are those of the shipments asked for, oldest first; a cancelled part is not one", function* (store) {
    const { company, ids, order, shipments } = yield* stored(3)
    const [one, other, third] = ids
    const [r1, part, r2, r3, r4] = yield* freshIds(5)
    const from = (id: string, forwardId: string, changes: Partial<Shipment> = {}) =>
      placed(order, company, id, { forwardId, journey: "return", status: "return_initiated", ...changes })
    const [first, second, last] = [from(r1, other), from(r2, one, { location: "L2" }), from(r4, one)]
    const cancelled = from(part, one, { journey: "forward", status: "cancelled_customer" })
    yield* store.insert([last, cancelled, second, from(r3, third)])
    yield* store.insert([first])
    deepStrictEqual(yield* store.returnsOf(company, [one, other, one]), [first, second, last])
    deepStrictEqual(yield* store.returnsOf(company, [one]), [second, last])
    deepStrictEqual(yield* store.returnsOf(company, [r1, part]), [])
    deepStrictEqual(yield* loadAll(company, ids), shipments)
  })

  law("a shipment's company is found for its own marketplace only", function* (store) {
    const [one, other] = [yield* stored(2), yield* stored(1)]
    const second = placed(one.order, other.company, yield* freshId)
    yield* store.insert([second])
    const ids = [...one.ids, ...other.ids, second.id, yield* freshId]
    const companiesOf = Effect.fnUntraced(function* (marketplace: string) {
      return sortedBy(yield* store.companiesOf(marketplace, ids), "id")
    })
    deepStrictEqual(yield* companiesOf(one.order.marketplace), [
      ...one.ids.map((id) => ({ id, companyId: one.company })),
      { id: second.id, companyId: other.company }
    ])
    deepStrictEqual(yield* companiesOf(other.order.marketplace), [{ id: other.ids[0], companyId: other.company }])
    deepStrictEqual(yield* companiesOf(yield* Fresh.text("bazaar")), [])
  })

  law("the shipments of an order come oldest first, of any company", function* (store) {
    const { company, order, shipments } = yield* world(4)
    const other = yield* Fresh.companyId
    const all = shipments.map((one, i) => ({ ...one, companyId: i % 2 === 0 ? other : company }))
    yield* stored(1)
    yield* store.insert(all.slice(2))
    yield* store.insert(all.slice(0, 2).reverse())
    deepStrictEqual(yield* store.ofOrder(order.id), all)
  })

  law("an invoice or credit note number is used, and found once, while a shipment has it", function* (store) {
    const { company, shipments } = yield* world(3)
    const [one, other, bare] = shipments
    const billed = { ...one, invoice: invoice("I/1"), creditNote: invoice("C/1") }
    yield* store.insert([billed, { ...other, invoice: invoice("C/1") }, bare])
    const used = Effect.map(store.usedInvoiceNumbers(company, ["C/1", "I/2", "I/1", "i/1", "I/1", "I"]), (found) =>
      [...found].sort()
    )
    deepStrictEqual(yield* used, ["C/1", "I/1"])
    yield* store.update(company, [next(bare, { creditNote: invoice("I/2") }), next(billed, { invoice: null })])
    deepStrictEqual(yield* used, ["C/1", "I/2"])
  })

  law("an invoice number, and a credit note number, is on one shipment of its company", function* (store) {
    const { company, shipments } = yield* world(4)
    const [one, other, late, bare] = shipments
    const elsewhere = yield* world(1)
    const billed = { ...one, invoice: invoice("I/1"), creditNote: invoice("C/1") }
    yield* store.insert([billed, other, bare])
    yield* store.insert(elsewhere.shipments.map((theirs) => ({ ...theirs, invoice: invoice("I/1") })))
    for (const paper of [{ invoice: invoice("I/1") }, { creditNote: invoice("C/1") }]) {
      const attempts = [
        store.insert([{ ...late, ...paper }]),
        store.update(company, [next(bare, {}), next(other, paper)])
      ]
      for (const attempt of attempts) assertTrue((yield* outcome(attempt)) !== "done")
    }
    deepStrictEqual(yield* loadAll(company, column(shipments, "id")), [billed, other, bare])
    // Once no shipment uses the number, it is free again.
    yield* store.update(company, [next(billed, { invoice: invoice("I/2") })])
    yield* store.update(company, [next(other, { invoice: invoice("I/1") })])
    deepStrictEqual(yield* store.usedInvoiceNumbers(company, ["I/1", "I/2"]), ["I/1", "I/2"])
  })

  law("numbers and AWBs of 2,000 characters are found, apart where they differ in the last", function* (store) {
    const { company, shipments } = yield* world(2)
    const [one, bare] = shipments
    const [text, other] = yield* Fresh.longTexts
    const filled = { ...one, invoice: invoice(text), creditNote: invoice(other), courier: courier("Swift", text) }
    yield* store.insert([filled, bare])
    deepStrictEqual((yield* store.usedInvoiceNumbers(company, [text, other])).toSorted(), [text, other].toSorted())
    deepStrictEqual(yield* store.byAwb(company, text), [filled])
    deepStrictEqual(yield* store.byAwb(company, other), [])
    yield* store.update(company, [
      next(filled, { creditNote: null, courier: courier("Swift", other) }),
      next(bare, { courier: courier("Swift", text) })
    ])
    deepStrictEqual(yield* store.usedInvoiceNumbers(company, [text, other]), [text])
    const open = sortedBy(yield* store.openAwbs(company, [text, other]), "shipmentId")
    deepStrictEqual(columns(open, "shipmentId", "awb").flat(), [one.id, other, bare.id, text])
  })

  law("an AWB is open while its shipment is, in each status", function* (store) {
    const statuses = operationalStatuses
    const { company, shipments } = yield* world(statuses.length)
    const all = statuses.map((status, i) => ({ status, courier: courier(`Courier ${i}`, `AWB-${i}`) }))
    yield* store.insert(shipments.map((one, i) => (i < 12 ? one : { ...one, ...all[i] })))
    const moved = shipments.slice(0, 12).map((one, i) => next(one, all[i]))
    yield* store.update(company, moved)
    const closed: ReadonlyArray<string> = closedStatuses
    const expected = shipments.flatMap(({ id }, i) =>
      closed.includes(statuses[i] ?? "") ? [] : [{ shipmentId: id, courier: `Courier ${i}`, awb: `AWB-${i}` }]
    )
    const awbs = all.flatMap((one) => one.courier.awbNumbers)
    deepStrictEqual(sortedBy(yield* store.openAwbs(company, awbs), "shipmentId"), expected)
    deepStrictEqual(yield* store.openAwbs(company, ["AWB-0", "AWB", "awb-1"]), expected.slice(0, 1))
  })

  law("an AWB may be open at two couriers, and is not a shipment's any more that has another", function* (store) {
    const { company, shipments } = yield* world(2)
    const one = { ...shipments[0], courier: courier("Courier 1", "AWB") }
    const other = { ...shipments[1], courier: courier("Courier 2", "AWB") }
    yield* store.insert([one, other])
    strictEqual((yield* store.openAwbs(company, ["AWB"])).length, 2)
    yield* store.update(company, [next(one, { courier: null }), next(other, { courier: courier("New", "B") })])
    deepStrictEqual(yield* store.openAwbs(company, ["AWB", "B"]), [{ shipmentId: other.id, courier: "New", awb: "B" }])
  })

  law("every AWB of a shipment is open, not its first alone, and no former one", function* (store) {
    const { company, shipments } = yield* world(2)
    const [one, other] = shipments
    yield* store.insert([{ ...one, courier: courier("Swift", "A", "B", "B") }, other])
    const open = Effect.map(store.openAwbs(company, ["A", "B", "C", "D"]), (found) =>
      found.map(({ awb, shipmentId }) => `${shipmentId === one.id ? "one" : "other"} ${awb}`).toSorted()
    )
    deepStrictEqual(yield* open, ["one A", "one B"])
    const first = next({ ...one, courier: courier("Swift", "A", "B", "B") }, { courier: courier("Swift", "B", "C") })
    yield* store.update(company, [first, next(other, { courier: courier("Swift", "D", "C") })])
    deepStrictEqual(yield* open, ["one B", "one C", "other C", "other D"])
    yield* store.update(company, [next(first.after, { status: "delivery_done" })])
    deepStrictEqual(yield* open, ["other C", "other D"])
  })

  law("shipments of a company are found by AWB, the open ones first, then the newest", function* (store) {
    const { company, order, shipments } = yield* world(4)
    const all = shipments.map((one, i) => ({
      ...one,
      courier: courier("Swift", `X${i}`, "SHARED"),
      status: i % 2 === 0 ? ("dp_assigned" as const) : ("delivery_done" as const)
    }))
    yield* store.insert([
      ...all,
      placed(order, yield* Fresh.companyId, yield* freshId, { courier: courier("Swift", "SHARED") })
    ])
    const by = (awb: string) =>
      Effect.map(store.byAwb(company, awb), (found) => found.map((one) => all.findIndex(({ id }) => id === one.id)))
    deepStrictEqual(yield* by("SHARED"), [2, 0, 3, 1])
    deepStrictEqual(yield* store.byAwb(company, "X1"), all.slice(1, 2))
    deepStrictEqual(yield* store.byAwb(company, "shared"), [])
  })

  law("a page shows shipments with the facts of their orders; one without shipments is empty", function* (store) {
    const { company, order, shipments } = yield* world(1)
    const first = { number: 1, size: 10 }
    deepStrictEqual(yield* store.page(company, { locations: null }, first), { items: [], total: 0 })
    const [one] = shipments.map(filled) as [Shipment]
    yield* store.insert([one])
    deepStrictEqual(yield* store.page(company, { locations: null }, first), {
      items: [{ shipment: one, order: shipmentOrderOf(order) }],
      total: 1
    })
  })

  law("each filter leaves out what it says, alone and with all others; the newest come first", function* (store) {
    const { all, company, marketplace } = yield* many
    const [id, old] = [all[4]?.shipment.id ?? "", all.at(-1)?.shipment.id ?? ""]
    const places = [null, ["L2"], ["L1", "L2"], ["none"], []]
    const parts: ReadonlyArray<ReadonlyArray<Omit<ShipmentFilter, "locations">>> = [
      [{}, { orderStatus: "CREATED" }, { orderStatus: "TRANSIT" }, { orderStatus: "DELIVERED" }],
      [{}, { marketplace }],
      [{}, { from: 0 }],
      [{}, { to: 0 }, { to: -1 }],
      [{}, { id }, { id: old }]
    ]
    const filters = parts.reduce<ReadonlyArray<ShipmentFilter>>(
      (before, choices) => before.flatMap((filter) => choices.map((choice) => ({ ...filter, ...choice }))),
      places.map((locations) => ({ locations }))
    )
    const expected = (filter: ShipmentFilter) =>
      all.filter(
        ({ shipment }) =>
          (filter.locations?.includes(shipment.location) ?? true) &&
          (filter.id ?? shipment.id) === shipment.id &&
          (filter.orderStatus ?? statusOf(shipment)) === statusOf(shipment) &&
          (filter.marketplace ?? shipment.marketplace) === shipment.marketplace &&
          shipment.orderDate >= (filter.from ?? -9) * Instant.dayMillis &&
          shipment.orderDate < ((filter.to ?? 9) + 1) * Instant.dayMillis
      )
    for (const filter of filters) {
      const items = expected(filter)
      deepStrictEqual(yield* store.page(company, filter, { number: 1, size: 100 }), { items, total: items.length })
    }
  })

  law("open shipments are found by the openness of their status, whatever it is shown as", function* (store) {
    const statuses = operationalStatuses
    const { company, shipments: bare } = yield* world(statuses.length + 3)
    const shipments = bare.map((one) => ({ ...one, items: [item] }))
    const delivered = { orderStatus: "DELIVERED", stock: "none" } as const
    const added = [
      { status: "own", added: delivered },
      { status: "own", added: { ...delivered, orderStatus: "CANCELLED" } },
      { status: "own", added: { ...delivered, orderStatus: "TRANSIT", isClosed: true } }
    ] as const
    const all = [...statuses.map((status) => ({ status })), ...added]
    const closed: ReadonlyArray<string> = closedStatuses
    yield* store.insert(shipments)
    yield* store.update(
      company,
      shipments.map((one, i) => next(one, all[i] ?? {}))
    )
    const open = shipments.filter((_, i) => i < statuses.length + 2 && !closed.includes(statuses[i] ?? ""))
    const found = Effect.fnUntraced(function* (more: object) {
      const filter = { locations: null, isOpen: true, ...more } as const
      const { items, total } = yield* store.page(company, filter, { number: 1, size: 100 })
      deepStrictEqual(total, items.length)
      return items.map(({ shipment }) => shipment.id).toSorted()
    })
    deepStrictEqual(yield* found({}), column(open, "id").toSorted())
    deepStrictEqual(yield* found({ orderStatus: "DELIVERED" }), [shipments[statuses.length]?.id])
    deepStrictEqual(yield* found({ locations: ["none"] }), [])
  })

  law("a shipment is found by all texts of its custom fields while it has them", function* (store) {
    const { company, shipments } = yield* world(3)
    const [one, other, bare] = shipments
    const filters = ["order.po=A\\_%😀", "shipment.route=N"]
    const values = {
      orderFields: { po: "A\\_%😀" },
      customFields: { route: "N" },
      items: [{ ...item, customFields: { a: 1 } }]
    }
    yield* store.insert([{ ...one, ...values, filters }, { ...other, ...values, filters: filters.slice(0, 1) }, bare])
    const found = (...fields: ReadonlyArray<string>) =>
      Effect.map(store.page(company, { locations: null, fields }, { number: 1, size: 1 }), ({ items, total }) => [
        total,
        items[0]?.shipment
      ])
    deepStrictEqual(yield* found("order.po=A\\_%😀"), [2, { ...other, ...values, filters: filters.slice(0, 1) }])
    deepStrictEqual(yield* found(...filters), [1, { ...one, ...values, filters }])
    deepStrictEqual(yield* found("order.po=A"), [0, undefined])
    yield* store.update(company, [next({ ...one, ...values, filters }, { filters: [] })])
    deepStrictEqual(yield* found("shipment.route=N"), [0, undefined])
    strictEqual((yield* found("order.po=A\\_%😀"))[0], 1)
  })

  law("pages follow each other without gap or repetition, and each has the total", function* (store) {
    const { all, company } = yield* many
    for (const size of [1, 7, 35, 36, 50]) {
      const numbers = Array.from({ length: Math.ceil(all.length / size) + 1 }, (_, i) => i + 1)
      const pages = yield* Effect.forEach(numbers, (number) =>
        store.page(company, { locations: null }, { number, size })
      )
      const lengths = numbers.map((number) => Math.max(0, Math.min(size, all.length - (number - 1) * size)))
      deepStrictEqual(column(column(pages, "items"), "length"), lengths)
      deepStrictEqual(new Set(column(pages, "total")), new Set([all.length]))
      deepStrictEqual(column(pages, "items").flat(), all)
    }
  })

  law("shipments of one date are sorted by the code points of their ids, descending", function* (store) {
    const { company, order } = yield* world(0)
    const prefix = yield* freshId
    yield* store.insert(Fresh.shuffled.map((end) => placed(order, company, `${prefix}${end}`)))
    const page = yield* store.page(company, { locations: null }, { number: 1, size: 100 })
    const inOrder = Fresh.inOrder.map((end) => `${prefix}${end}`)
    deepStrictEqual(column(column(page.items, "shipment"), "id"), inOrder.toReversed())
    deepStrictEqual(column(yield* store.ofOrder(order.id), "id"), inOrder)
  })

  law("inside a transaction totals count its writes so far, whenever they are read", function* (store) {
    const { company, shipments } = yield* world(2)
    const [one, other] = shipments
    const totals = Effect.forEach(["CREATED", "CONFIRMED"] as const, (orderStatus) =>
      Effect.map(
        store.page(company, { locations: null, orderStatus }, { number: 1, size: 1 }),
        ({ items, total }) => `${items.length} of ${total}`
      )
    )
    yield* inUnit(function* () {
      yield* store.insert([one])
      deepStrictEqual(yield* totals, ["1 of 1", "0 of 0"])
      yield* store.insert([other])
      yield* store.update(company, [next(one, { status: "bag_confirmed" })])
      deepStrictEqual(yield* totals, ["1 of 1", "1 of 1"])
      yield* store.update(company, [next(other, { status: "bag_confirmed" })])
    })
    deepStrictEqual(yield* totals, ["0 of 0", "1 of 2"])
  })

  law("totals follow every move, of a part too, but not of a failed transaction", function* (store) {
    const { company, shipments } = yield* stored(3)
    const [one, other, third] = shipments
    const totals = Effect.forEach(["CREATED", "CONFIRMED", "CANCELLED"] as const, (orderStatus) =>
      Effect.map(store.page(company, { locations: ["L1"], orderStatus }, { number: 1, size: 1 }), ({ total }) => total)
    )
    deepStrictEqual(yield* totals, [3, 0, 0])
    const confirm = store.update(company, [
      next(one, { status: "bag_confirmed" }),
      next(other, { status: "bag_confirmed" }),
      next(third, { locked: true })
    ])
    yield* endsBadly(inTransaction(Effect.andThen(confirm, Effect.fail("rejected"))))
    deepStrictEqual(yield* totals, [3, 0, 0])
    yield* confirm
    deepStrictEqual(yield* totals, [1, 2, 0])
    const part = { ...one, id: yield* freshId, forwardId: one.id, status: "cancelled_seller" as const }
    yield* inTransaction(
      Effect.andThen(
        store.update(company, [next(next(one).after, { status: "cancelled_seller" })]),
        store.insert([part])
      )
    )
    deepStrictEqual(yield* totals, [1, 1, 2])
  })

  law("a shipment is found by the status that it was moved to, a lost one by where it was lost", function* (store) {
    const { company, shipments } = yield* stored(2)
    const [one, other] = shipments
    const found = Effect.fnUntraced(function* (orderStatus: "CREATED" | "DELIVERED" | "TRANSIT" | "RETURN_PROCESSING") {
      const { items } = yield* store.page(company, { locations: null, orderStatus }, { number: 1, size: 9 })
      return column(column(items, "shipment"), "id")
    })
    yield* store.update(company, [next(one, { status: "delivery_done" })])
    deepStrictEqual([yield* found("CREATED"), yield* found("DELIVERED")], [[other.id], [one.id]])
    yield* store.update(company, [
      next(next(one).after, { status: "bag_lost", journey: "return" }),
      next(other, { status: "bag_lost" })
    ])
    deepStrictEqual([yield* found("TRANSIT"), yield* found("RETURN_PROCESSING")], [[other.id], [one.id]])
  })
}
