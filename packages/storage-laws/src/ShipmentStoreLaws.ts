/**
 * The laws of `ShipmentStore`.
 */
import { type CompanyId, Money, Transaction } from "@crossdock/kernel"
import { type Order, OrderStore, shipmentOrderOf } from "@crossdock/orders"
import {
  beginShipment,
  closedStatuses,
  dayMillis,
  type Invoice,
  operationalStatuses,
  type Shipment,
  type ShipmentFilter,
  type ShipmentItem,
  ShipmentStore
} from "@crossdock/shipments"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fresh from "./Fresh.ts"
import { badEnds, endsBadly, type Laws, linger, oneWon, outcome, together, waysToWrite } from "./Laws.ts"
import { freshOrder } from "./OrderStoreLaws.ts"

const at = 1_790_000_000_000

/** 20 digits, each greater than those before. */
const freshId = Effect.map(Fresh.companyId, (number) => String(number).padStart(20, "0"))

const freshIds = (count: number) => Effect.forEach(Array.from({ length: count }), () => freshId)

/** With something in every field. */
export const item: ShipmentItem = {
  id: "00000000000000000009",
  externalLineId: null,
  sku: "कुर्ता",
  title: "कुर्ता “Festive” 😀",
  hsCode: null,
  ordered: 3,
  cancelled: 1,
  splitOff: 1,
  invoiced: 2,
  mrp: Money.minorUnits(999_999_999_999_999),
  esp: Money.minorUnits(0),
  discount: Money.minorUnits(1),
  couponDiscount: Money.minorUnits(2),
  deliveryCharge: Money.minorUnits(3),
  taxRate: 0.25,
  taxAmount: Money.minorUnits(4),
  taxBefore: Money.minorUnits(0),
  good: 1,
  bad: 1,
  qcReasons: [{ code: 113, reason: "damaged" }],
  unmappedReasons: ["999", "कोड"],
  imei: ["1", "2"],
  returnReason: "too\nsmall \u0000\ud800"
}

const invoice = (number: string): Invoice => ({
  number,
  at,
  irn: "irn",
  qrCode: null,
  signedInvoice: "a.b.c",
  ackNumber: "1",
  ackDate: null
})

/** A shipment of this order and company, just placed. */
export const placed = (order: Order, companyId: CompanyId, id: string, changes: Partial<Shipment> = {}): Shipment => ({
  ...beginShipment(
    {
      id,
      companyId,
      location: "L1",
      marketplace: order.marketplace,
      orderId: order.id,
      externalOrderId: order.draft.externalOrderId,
      externalShipmentId: `of ${id}`,
      fulfillment: "SELLER",
      selfShip: true,
      currency: "INR",
      linesBefore: 0,
      items: [],
      packAfter: null,
      packBy: null,
      dispatchBy: null,
      deliverBy: null,
      sla: at,
      orderDate: at
    },
    at
  ),
  forwardId: id,
  ...changes
})

/** With something in every field. */
const filled = (shipment: Shipment): Shipment => ({
  ...shipment,
  status: "dp_assigned",
  locked: true,
  fulfillment: "MARKETPLACE",
  selfShip: false,
  items: [item, { ...item, id: "00000000000000000008", mrp: null, qcReasons: [], imei: [], returnReason: null }],
  courier: { name: "Garuḍa", code: null, awbNumbers: ["AWB/1", "AWB/2"] },
  additionalInfo: '{"a":"\\"😀"}',
  invoice: invoice("I/1"),
  creditNote: { ...invoice("C/1"), irn: null },
  returnId: "R'1",
  packages: [{ id: null, lengthCm: 1.5, widthCm: null, heightCm: 0, weightGrams: 250 }],
  events: [
    { status: "placed", at, location: "Surat", remark: "שלום", reasonCode: 0 },
    { status: "dp_assigned", at: at + 1, location: null, remark: null, reasonCode: null }
  ],
  promisedDeliveryDate: "tomorrow",
  estimatedDeliveryDate: "2026-01-01",
  lastLocation: "Pune",
  packAfter: 0,
  packBy: 1,
  dispatchBy: 2,
  deliverBy: 2 ** 52,
  modifiedAt: at + 9
})

const next = (before: Shipment, changes: Partial<Shipment> = {}) => ({
  before,
  after: { ...before, version: before.version + 1, ...changes }
})

const loadAll = (company: CompanyId, ids: ReadonlyArray<string>) =>
  Effect.map(
    Effect.flatMap(ShipmentStore, (store) => store.load(company, ids)),
    (found) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  )

const load = (company: CompanyId, id: string) =>
  Effect.flatMap(loadAll(company, [id]), ([shipment]) => Effect.orDie(Effect.fromNullishOr(shipment)))

/** An order that is stored, a company, and so many of its shipments that are not. */
const world = Effect.fnUntraced(function* (count: number) {
  const orders = yield* OrderStore
  const order = yield* Effect.flatMap(Fresh.text("bazaar"), freshOrder)
  yield* orders.insert(order)
  const company = yield* Fresh.companyId
  const shipments = (yield* freshIds(count)).map((id) => placed(order, company, id))
  return { order, company, shipments, ids: shipments.map(({ id }) => id) }
})

/** The same, stored. */
const stored = Effect.fnUntraced(function* (count: number) {
  const all = yield* world(count)
  yield* Effect.flatMap(ShipmentStore, (store) => store.insert(all.shipments))
  return all
})

const idsOf = (shipments: ReadonlyArray<Shipment>) => shipments.map(({ id }) => id)

/** Reads these shipments and writes them one version later, as a service does. */
const moveAll = (company: CompanyId, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* ShipmentStore
    const found = yield* store.load(company, ids)
    yield* store.update(
      company,
      found.map((one) => next(one, { sla: one.sla + 1 }))
    )
  })

type Ports = ShipmentStore | OrderStore | Transaction.Transaction

const writeLaws = ({ law }: Laws<Ports>): void => {
  law("nothing is found where nothing is, or nothing is asked", function* () {
    const store = yield* ShipmentStore
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

  law("shipments are read back equal, empty or with something in every field; unknown ids are left out", function* () {
    const store = yield* ShipmentStore
    const { company, shipments } = yield* world(3)
    const all = shipments.map((one, i) => (i === 1 ? filled(one) : one))
    yield* store.insert(all)
    deepStrictEqual(yield* loadAll(company, [yield* freshId, ...idsOf(all), ...idsOf(all)]), all)
  })

  law("shipments come with what they show of their orders, each once, and none of another company", function* () {
    const store = yield* ShipmentStore
    const [one, other] = [yield* stored(2), yield* stored(1)]
    const asked = [yield* freshId, ...one.ids, ...one.ids, ...other.ids]
    const found = yield* store.withOrders(one.company, asked)
    deepStrictEqual(
      found.toSorted((a, b) => (a.shipment.id < b.shipment.id ? -1 : 1)),
      one.shipments.map((shipment) => ({ shipment, order: shipmentOrderOf(one.order) }))
    )
  })

  law("what an update wrote is read back equal, also when it empties what was filled", function* () {
    const store = yield* ShipmentStore
    const { company, shipments } = yield* stored(3)
    const [one, other, untouched] = shipments as [Shipment, Shipment, Shipment]
    const changed = { ...filled(one), version: 4 }
    yield* store.update(company, [{ before: one, after: changed }, next(other)])
    deepStrictEqual(yield* loadAll(company, idsOf(shipments)), [changed, next(other).after, untouched])
    const emptied = { ...one, version: 5 }
    yield* store.update(company, [{ before: changed, after: emptied }])
    deepStrictEqual(yield* load(company, one.id), emptied)
  })

  law("an id is used once: a second insert is stale and leaves nothing, whose ever the first is", function* () {
    const store = yield* ShipmentStore
    const { company, order, shipments } = yield* stored(1)
    const { company: otherCompany, order: otherOrder } = yield* world(0)
    const [taken, ...fresh] = [...idsOf(shipments), ...(yield* freshIds(2))] as [string, string, string]
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

  law(
    "a shipment that was changed since it was read is a stale write, and so is one that was never there",
    function* () {
      const store = yield* ShipmentStore
      const { company, order, shipments } = yield* stored(1)
      const [first] = shipments as [Shipment]
      const second = next(first).after
      yield* store.update(company, [next(first)])
      const unborn = placed(order, company, yield* freshId)
      for (const stale of [first, { ...first, version: 3 }, { ...first, version: 0 }, unborn]) {
        strictEqual(yield* outcome(store.update(company, [next(stale, { locked: true })])), "StaleWrite")
      }
      deepStrictEqual(yield* loadAll(company, [first.id, unborn.id]), [second])
    }
  )

  law("when one of several shipments is stale, none is written", function* () {
    const store = yield* ShipmentStore
    const { company, ids, shipments } = yield* stored(3)
    yield* store.update(
      company,
      shipments.slice(1, 2).map((one) => next(one))
    )
    const before = yield* loadAll(company, ids)
    const all = shipments.map((one) => next(one, { locked: true }))
    strictEqual(yield* outcome(store.update(company, all)), "StaleWrite")
    deepStrictEqual(yield* loadAll(company, ids), before)
  })

  law("a stale insert or update fails its transaction, and nothing of that remains", function* () {
    const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
    const { company, ids, order, shipments } = yield* stored(2)
    const [one, other] = shipments as [Shipment, Shipment]
    const fresh = placed(order, company, yield* freshId)
    const begun = Effect.andThen(store.insert([fresh]), store.update(company, [next(one)]))
    const stale = next({ ...other, version: 7 })
    for (const rejected of [store.insert([other]), store.update(company, [next(next(one).after), stale])]) {
      for (const written of waysToWrite) {
        strictEqual(yield* outcome(transaction.run(written(Effect.andThen(begun, rejected)))), "StaleWrite")
        deepStrictEqual(yield* loadAll(company, [...ids, fresh.id]), shipments)
      }
    }
  })

  for (const [how, end] of badEnds) {
    law(`what a transaction wrote that ${how} was never there`, function* () {
      const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
      const { company, ids, order, shipments } = yield* stored(1)
      const fresh = placed(order, company, yield* freshId)
      const writes = Effect.andThen(store.insert([fresh]), moveAll(company, ids))
      yield* endsBadly(transaction.run(Effect.andThen(writes, end)))
      deepStrictEqual(yield* store.ofOrder(order.id), shipments)
      yield* transaction.run(writes)
      strictEqual((yield* store.ofOrder(order.id)).length, 2)
    })
  }
}

const raceLaws = ({ concurrent }: Laws<Ports>): void => {
  concurrent("of many who update one shipment at once exactly one wins, the others are stale", function* () {
    const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
    const { company, ids } = yield* stored(1)
    for (const unit of [<A, E, R>(effect: Effect.Effect<A, E, R>) => effect, transaction.run]) {
      const before = yield* load(company, ids[0] ?? "")
      const changes = Array.from({ length: 12 }, (_, i) => next(before, { additionalInfo: `host ${i}` }))
      const outcomes = yield* together(changes.map((one) => outcome(unit(store.update(company, [one])))))
      oneWon(outcomes)
      deepStrictEqual(yield* load(company, before.id), changes[outcomes.indexOf("done")]?.after)
    }
  })

  concurrent("of many who insert one id at once exactly one wins, the others are stale", function* () {
    const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
    const { order, shipments } = yield* world(1)
    const companies = yield* Effect.forEach(Array.from({ length: 12 }), () => Fresh.companyId)
    const rivals = companies.map((companyId) => shipments.map((one) => ({ ...one, companyId })))
    const outcomes = yield* together(rivals.map((one) => outcome(transaction.run(store.insert(one)))))
    oneWon(outcomes)
    deepStrictEqual(yield* store.ofOrder(order.id), rivals[outcomes.indexOf("done")])
  })

  concurrent("a transaction that loads a shipment keeps others from it until it ends", function* () {
    const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
    const { company, ids } = yield* stored(2)
    const [id = ""] = ids
    const locked = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      transaction.run(
        Effect.gen(function* () {
          const shipment = yield* load(company, id)
          yield* Deferred.succeed(locked, undefined)
          yield* linger(loadAll(company, ids))
          yield* store.update(company, [next(shipment)])
        })
      )
    )
    yield* Deferred.await(locked)
    strictEqual((yield* transaction.run(load(company, id))).version, 2)
    yield* Fiber.join(first)
  })

  concurrent("all who load before they update arrive, and in another order they do not block each other", function* () {
    const transaction = yield* Transaction.Transaction
    const { company, ids } = yield* stored(30)
    const writers = Array.from({ length: 16 }, (_, i) => moveAll(company, i % 2 === 0 ? ids : ids.toReversed()))
    // Not `decide`: a transaction that locked what it read is never stale.
    yield* together(writers.map((writer) => transaction.run(writer)))
    deepStrictEqual(
      (yield* loadAll(company, ids)).map(({ sla, version }) => [sla, version]),
      ids.map(() => [at + 16, 17])
    )
  })
}

const findLaws = ({ law }: Laws<Ports>): void => {
  law("returns are those of the shipments asked for, oldest first; a cancelled part is not one", function* () {
    const store = yield* ShipmentStore
    const { company, ids, order, shipments } = yield* stored(3)
    const [one, other, third] = ids as [string, string, string]
    const [r1, part, r2, r3, r4] = yield* freshIds(5)
    const from = (id: string | undefined, forwardId: string, changes: Partial<Shipment> = {}) =>
      placed(order, company, id ?? "", { forwardId, journey: "return", status: "return_initiated", ...changes })
    const [first, second, last] = [from(r1, other), from(r2, one, { location: "L2" }), from(r4, one)]
    const cancelled = from(part, one, { journey: "forward", status: "cancelled_customer" })
    yield* store.insert([last, cancelled, second, from(r3, third)])
    yield* store.insert([first])
    deepStrictEqual(yield* store.returnsOf(company, [one, other, one]), [first, second, last])
    deepStrictEqual(yield* store.returnsOf(company, [one]), [second, last])
    deepStrictEqual(yield* store.returnsOf(company, [r1 ?? "", part ?? ""]), [])
    deepStrictEqual(yield* loadAll(company, ids), shipments)
  })

  law("a shipment's company is found for its own marketplace only", function* () {
    const store = yield* ShipmentStore
    const [one, other] = [yield* stored(2), yield* stored(1)]
    const second = placed(one.order, other.company, yield* freshId)
    yield* store.insert([second])
    const ids = [...one.ids, ...other.ids, second.id, yield* freshId]
    const companiesOf = Effect.fnUntraced(function* (marketplace: string) {
      return (yield* store.companiesOf(marketplace, ids)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    })
    deepStrictEqual(yield* companiesOf(one.order.marketplace), [
      ...one.ids.map((id) => ({ id, companyId: one.company })),
      { id: second.id, companyId: other.company }
    ])
    deepStrictEqual(yield* companiesOf(other.order.marketplace), [{ id: other.ids[0], companyId: other.company }])
    deepStrictEqual(yield* companiesOf(yield* Fresh.text("bazaar")), [])
  })

  law("the shipments of an order come oldest first, whatever their company", function* () {
    const store = yield* ShipmentStore
    const { company, order, shipments } = yield* world(4)
    const other = yield* Fresh.companyId
    const all = shipments.map((one, i) => ({ ...one, companyId: i % 2 === 0 ? other : company }))
    yield* stored(1)
    yield* store.insert(all.slice(2))
    yield* store.insert(all.slice(0, 2).reverse())
    deepStrictEqual(yield* store.ofOrder(order.id), all)
  })

  law(
    "numbers of invoices and of credit notes are used, each found once, as long as a shipment has them",
    function* () {
      const store = yield* ShipmentStore
      const { company, shipments } = yield* world(3)
      const [one, other, bare] = shipments as [Shipment, Shipment, Shipment]
      const billed = { ...one, invoice: invoice("I/1"), creditNote: invoice("C/1") }
      yield* store.insert([billed, { ...other, invoice: invoice("C/1") }, bare])
      const used = Effect.map(store.usedInvoiceNumbers(company, ["C/1", "I/2", "I/1", "i/1", "I/1", "I"]), (found) =>
        [...found].sort()
      )
      deepStrictEqual(yield* used, ["C/1", "I/1"])
      yield* store.update(company, [next(bare, { creditNote: invoice("I/2") }), next(billed, { invoice: null })])
      deepStrictEqual(yield* used, ["C/1", "I/2"])
    }
  )

  law("numbers and AWBs of 2,000 characters are found, apart where they differ in the last", function* () {
    const store = yield* ShipmentStore
    const { company, shipments } = yield* world(2)
    const [one, bare] = shipments as [Shipment, Shipment]
    const [text, other] = yield* Fresh.longTexts
    const carried = (awb: string) => ({ name: "Garuda", code: null, awbNumbers: [awb] })
    const filled = { ...one, invoice: invoice(text), creditNote: invoice(other), courier: carried(text) }
    yield* store.insert([filled, bare])
    deepStrictEqual((yield* store.usedInvoiceNumbers(company, [text, other])).toSorted(), [text, other].toSorted())
    deepStrictEqual(yield* store.byAwb(company, text), [filled])
    deepStrictEqual(yield* store.byAwb(company, other), [])
    yield* store.update(company, [
      next(filled, { creditNote: null, courier: carried(other) }),
      next(bare, { courier: carried(text) })
    ])
    deepStrictEqual(yield* store.usedInvoiceNumbers(company, [text, other]), [text])
    const open = (yield* store.openAwbs(company, [text, other])).map(({ awb, shipmentId }) => [awb, shipmentId])
    deepStrictEqual(
      new Map(open.map(([awb = "", id = ""]) => [awb, id])),
      new Map([
        [text, bare.id],
        [other, one.id]
      ])
    )
    strictEqual(open.length, 2)
  })

  law("an AWB is open as long as its shipment is, in each status", function* () {
    const store = yield* ShipmentStore
    const statuses = operationalStatuses
    const { company, shipments } = yield* world(statuses.length)
    const courier = (i: number) => ({ name: `Courier ${i}`, code: null, awbNumbers: [`AWB-${i}`] })
    const all = shipments.map((one, i) => ({ ...one, status: statuses[i] ?? "placed", courier: courier(i) }))
    yield* store.insert(shipments.slice(0, 12))
    yield* store.insert(all.slice(12))
    yield* store.update(
      company,
      shipments.slice(0, 12).map((one, i) => ({ before: one, after: { ...one, ...all[i], version: 2 } }))
    )
    const closed: ReadonlyArray<string> = closedStatuses
    const expected = all.flatMap(({ id, status }, i) =>
      closed.includes(status) ? [] : [{ shipmentId: id, courier: `Courier ${i}`, awb: `AWB-${i}` }]
    )
    const awbs = all.map((_, i) => `AWB-${i}`)
    const open = yield* store.openAwbs(company, awbs)
    deepStrictEqual(
      open.toSorted((a, b) => (a.shipmentId < b.shipmentId ? -1 : 1)),
      expected
    )
    deepStrictEqual(yield* store.openAwbs(company, ["AWB-0", "AWB", "awb-1"]), expected.slice(0, 1))
  })

  law("an AWB may be open at two couriers, and is not a shipment's any more that has another", function* () {
    const store = yield* ShipmentStore
    const { company, shipments } = yield* world(2)
    const [one, other] = shipments.map(
      (shipment, i): Shipment => ({
        ...shipment,
        courier: { name: `Courier ${i}`, code: null, awbNumbers: ["AWB"] }
      })
    ) as [Shipment, Shipment]
    yield* store.insert([one, other])
    strictEqual((yield* store.openAwbs(company, ["AWB"])).length, 2)
    yield* store.update(company, [
      next(one, { courier: null }),
      next(other, { courier: { name: "New", code: null, awbNumbers: ["B"] } })
    ])
    deepStrictEqual(yield* store.openAwbs(company, ["AWB", "B"]), [{ shipmentId: other.id, courier: "New", awb: "B" }])
  })
}

const carryLaws = ({ law }: Laws<Ports>): void => {
  const carried = (...awbNumbers: ReadonlyArray<string>) => ({ name: "Swift", code: null, awbNumbers })

  law("every AWB of a shipment is open, not its first alone, and none that it does not carry any more", function* () {
    const store = yield* ShipmentStore
    const { company, shipments } = yield* world(2)
    const [one, other] = shipments as [Shipment, Shipment]
    yield* store.insert([{ ...one, courier: carried("A", "B", "B") }, other])
    const open = Effect.map(store.openAwbs(company, ["A", "B", "C", "D"]), (found) =>
      found.map(({ awb, shipmentId }) => `${shipmentId === one.id ? "one" : "other"} ${awb}`).toSorted()
    )
    deepStrictEqual(yield* open, ["one A", "one B"])
    const first = next({ ...one, courier: carried("A", "B", "B") }, { courier: carried("B", "C") })
    yield* store.update(company, [first, next(other, { courier: carried("D", "C") })])
    deepStrictEqual(yield* open, ["one B", "one C", "other C", "other D"])
    yield* store.update(company, [next(first.after, { status: "delivery_done" })])
    deepStrictEqual(yield* open, ["other C", "other D"])
  })

  law(
    "who carries an AWB is found by it, the open ones first, then the newest, and in the own company alone",
    function* () {
      const store = yield* ShipmentStore
      const { company, order, shipments } = yield* world(4)
      const all = shipments.map((one, i) => ({
        ...one,
        courier: carried(`X${i}`, "SHARED"),
        status: i % 2 === 0 ? ("dp_assigned" as const) : ("delivery_done" as const)
      }))
      yield* store.insert([
        ...all,
        placed(order, yield* Fresh.companyId, yield* freshId, { courier: carried("SHARED") })
      ])
      const by = (awb: string) =>
        Effect.map(store.byAwb(company, awb), (found) => found.map((one) => all.findIndex(({ id }) => id === one.id)))
      deepStrictEqual(yield* by("SHARED"), [2, 0, 3, 1])
      deepStrictEqual(yield* store.byAwb(company, "X1"), all.slice(1, 2))
      deepStrictEqual(yield* store.byAwb(company, "shared"), [])
    }
  )
}

/**
 * Shipments of two marketplaces with every place, status and date, each of its marketplace's order. The dates are around
 * the first of 1970, where a day that is rounded the wrong way shows.
 */
const many = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const [one, other] = [yield* world(0), yield* world(0)]
  const all: Array<{ readonly shipment: Shipment; readonly order: ReturnType<typeof shipmentOrderOf> }> = []
  for (const order of [one.order, other.order]) {
    for (const location of ["L1", "L2"]) {
      for (const status of ["placed", "bag_picked", "out_for_delivery"] as const) {
        for (const orderDate of [dayMillis + 20, -dayMillis, dayMillis - 1]) {
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

const pageLaws = ({ law }: Laws<Ports>): void => {
  law(
    "a page shows shipments with the facts of their orders, and a company without any has an empty one",
    function* () {
      const store = yield* ShipmentStore
      const { company, order, shipments } = yield* world(1)
      const first = { number: 1, size: 10 }
      deepStrictEqual(yield* store.page(company, { locations: null }, first), { items: [], total: 0 })
      const [one] = shipments.map(filled) as [Shipment]
      yield* store.insert([one])
      deepStrictEqual(yield* store.page(company, { locations: null }, first), {
        items: [{ shipment: one, order: shipmentOrderOf(order) }],
        total: 1
      })
    }
  )

  law("each filter leaves out what it says, alone and with all others; the newest come first", function* () {
    const store = yield* ShipmentStore
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
          shipment.orderDate >= (filter.from ?? -9) * dayMillis &&
          shipment.orderDate < ((filter.to ?? 9) + 1) * dayMillis
      )
    for (const filter of filters) {
      const items = expected(filter)
      deepStrictEqual(yield* store.page(company, filter, { number: 1, size: 100 }), { items, total: items.length })
    }
  })

  law("pages follow each other without gap or repetition, and each has the total", function* () {
    const store = yield* ShipmentStore
    const { all, company } = yield* many
    for (const size of [1, 7, 35, 36, 50]) {
      const numbers = Array.from({ length: Math.ceil(all.length / size) + 1 }, (_, i) => i + 1)
      const pages = yield* Effect.forEach(numbers, (number) =>
        store.page(company, { locations: null }, { number, size })
      )
      deepStrictEqual(
        pages.map(({ items, total }) => [items.length, total]),
        numbers.map((number) => [Math.max(0, Math.min(size, all.length - (number - 1) * size)), all.length])
      )
      deepStrictEqual(
        pages.flatMap(({ items }) => items),
        all
      )
    }
  })

  law("shipments of one date come by their ids' code points, the last first", function* () {
    const store = yield* ShipmentStore
    const { company, order } = yield* world(0)
    const prefix = yield* freshId
    yield* store.insert(Fresh.shuffled.map((end) => placed(order, company, `${prefix}${end}`)))
    const page = yield* store.page(company, { locations: null }, { number: 1, size: 100 })
    const inOrder = Fresh.inOrder.map((end) => `${prefix}${end}`)
    deepStrictEqual(
      page.items.map(({ shipment }) => shipment.id),
      inOrder.toReversed()
    )
    deepStrictEqual(idsOf(yield* store.ofOrder(order.id)), inOrder)
  })

  law(
    "inside of a transaction totals count what it has written so far, before and after they were asked for",
    function* () {
      const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
      const { company, shipments } = yield* world(2)
      const [one, other] = shipments as [Shipment, Shipment]
      const totals = Effect.forEach(["CREATED", "CONFIRMED"] as const, (orderStatus) =>
        Effect.map(
          store.page(company, { locations: null, orderStatus }, { number: 1, size: 1 }),
          ({ items, total }) => [items.length, total]
        )
      )
      yield* transaction.run(
        Effect.gen(function* () {
          yield* store.insert([one])
          deepStrictEqual(yield* totals, [
            [1, 1],
            [0, 0]
          ])
          yield* store.insert([other])
          yield* store.update(company, [next(one, { status: "bag_confirmed" })])
          deepStrictEqual(yield* totals, [
            [1, 1],
            [1, 1]
          ])
          yield* store.update(company, [next(other, { status: "bag_confirmed" })])
        })
      )
      deepStrictEqual(yield* totals, [
        [0, 0],
        [1, 2]
      ])
    }
  )

  law(
    "totals follow every move, of a part too, and are nobody else's when a transaction came to nothing",
    function* () {
      const [store, transaction] = [yield* ShipmentStore, yield* Transaction.Transaction]
      const { company, shipments } = yield* stored(3)
      const [one, other, third] = shipments as [Shipment, Shipment, Shipment]
      const totals = Effect.forEach(["CREATED", "CONFIRMED", "CANCELLED"] as const, (orderStatus) =>
        Effect.map(
          store.page(company, { locations: ["L1"], orderStatus }, { number: 1, size: 1 }),
          ({ total }) => total
        )
      )
      deepStrictEqual(yield* totals, [3, 0, 0])
      const confirm = store.update(company, [
        next(one, { status: "bag_confirmed" }),
        next(other, { status: "bag_confirmed" }),
        next(third, { locked: true })
      ])
      yield* endsBadly(transaction.run(Effect.andThen(confirm, Effect.fail("rejected"))))
      deepStrictEqual(yield* totals, [3, 0, 0])
      yield* confirm
      deepStrictEqual(yield* totals, [1, 2, 0])
      const part = { ...one, id: yield* freshId, forwardId: one.id, status: "cancelled_seller" as const }
      yield* transaction.run(
        Effect.andThen(
          store.update(company, [next(next(one).after, { status: "cancelled_seller" })]),
          store.insert([part])
        )
      )
      deepStrictEqual(yield* totals, [1, 1, 2])
    }
  )

  law("a shipment is found by the status that it was moved to, a lost one by where it was lost", function* () {
    const store = yield* ShipmentStore
    const { company, shipments } = yield* stored(2)
    const [one, other] = shipments as [Shipment, Shipment]
    const found = Effect.fnUntraced(function* (orderStatus: "CREATED" | "DELIVERED" | "TRANSIT" | "RETURN_PROCESSING") {
      const { items } = yield* store.page(company, { locations: null, orderStatus }, { number: 1, size: 9 })
      return items.map(({ shipment }) => shipment.id)
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

const tenantLaws = ({ law }: Laws<Ports>): void => {
  law("nothing of another company is ever seen", function* () {
    const store = yield* ShipmentStore
    const { company, order, shipments } = yield* world(1)
    const [one] = shipments.map(filled) as [Shipment]
    const back = placed(order, company, yield* freshId, { forwardId: one.id, journey: "return" })
    yield* store.insert([one, back])
    // Another company, with a return of the same forward id, and what is its own.
    const other = yield* Fresh.companyId
    const theirs = placed(order, other, yield* freshId, {
      forwardId: one.id,
      journey: "return",
      courier: { name: "Garuḍa", code: null, awbNumbers: ["AWB/9"] },
      invoice: invoice("I/9"),
      creditNote: invoice("C/9")
    })
    yield* store.insert([theirs])
    const seen = Effect.fnUntraced(function* (viewer: CompanyId) {
      const first = { number: 1, size: 10 }
      return {
        loaded: idsOf(yield* loadAll(viewer, [one.id, back.id, theirs.id])),
        returns: idsOf(yield* store.returnsOf(viewer, [one.id])),
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
    deepStrictEqual(yield* seen(yield* Fresh.companyId), {
      loaded: [],
      returns: [],
      numbers: [],
      awbs: [],
      listed: [],
      found: 0
    })
  })

  law("more shipments than a statement has parameters are read, listed and written at once", function* () {
    const store = yield* ShipmentStore
    const { company, ids, shipments } = yield* stored(Fresh.many.length)
    yield* store.update(
      company,
      shipments.map((one) => next(one))
    )
    strictEqual((yield* store.load(company, ids)).length, ids.length)
    strictEqual((yield* store.withOrders(company, ids)).length, ids.length)
    deepStrictEqual(yield* store.returnsOf(company, ids), [])
    deepStrictEqual(yield* store.companiesOf("bazaar", ids), [])
    const locations = Fresh.many.map((n) => `none-${n}`)
    const filter = { locations, orderStatus: "DELIVERED" } as const
    deepStrictEqual(yield* store.page(company, filter, { number: 1, size: 10 }), { items: [], total: 0 })
  })

  law("nothing of another company is ever changed, also with what somebody read for the one", function* () {
    const store = yield* ShipmentStore
    const { company, ids, shipments } = yield* stored(1)
    const other = yield* stored(1)
    const changes = [...shipments, ...other.shipments].map((one) => next(one, { companyId: other.company }))
    for (const attempt of [changes, changes.slice(0, 1)]) {
      strictEqual(yield* outcome(store.update(other.company, attempt)), "StaleWrite")
    }
    deepStrictEqual(yield* loadAll(company, ids), shipments)
    deepStrictEqual(yield* loadAll(other.company, [...ids, ...other.ids]), other.shipments)
  })
}

export const shipmentStoreLaws = (laws: Laws<Ports>): void => {
  writeLaws(laws)
  raceLaws(laws)
  findLaws(laws)
  carryLaws(laws)
  pageLaws(laws)
  tenantLaws(laws)
}
