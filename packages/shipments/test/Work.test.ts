import type { Portion } from "@crossdock/returns"
import {
  IssuedDocuments,
  Lifecycle,
  noMeta,
  type Shipment,
  type ShipmentCommand,
  ShipmentFeed,
  type ShipmentItem
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import { Result } from "effect"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { at, document, item, placed } from "./Fixtures.ts"

/** Counts the reads of these objects' fields: reading a line or a named portion is one step of work, on any machine. */
const counting = () => {
  let reads = 0
  const watched = <A extends object>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
    all.map(
      (one) =>
        new Proxy(one, {
          get: (target, key) => {
            reads++
            return Reflect.get(target, key)
          }
        })
    )
  return { watched, reads: () => reads }
}

type Watched = ReturnType<typeof counting>["watched"]

const lines = (count: number): ReadonlyArray<ShipmentItem> =>
  Array.from({ length: count }, (_, n) => item(String(n), 2, { externalLineId: `line-${n}` }))

const portions = (count: number, quantity: number): ReadonlyArray<Portion> =>
  Array.from({ length: count }, (_, n) => ({ itemId: String(n), quantity }))

interface Case {
  readonly shipment: Shipment
  readonly command: ShipmentCommand
  readonly returns?: ReadonlyArray<Shipment>
}

/** The largest command of each kind: all lines exist, and all are named. */
const cases: Readonly<Record<string, (count: number, watched: Watched) => Case>> = {
  Confirm: (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)) }),
    command: { _tag: "Confirm", items: watched(portions(count, 2)) }
  }),
  "Cancel of a part": (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)) }),
    command: {
      _tag: "Cancel",
      partId: "2",
      items: watched(portions(count, 1).map((one) => ({ ...one, reasonCode: "1" })))
    }
  }),
  "Cancel of everything": (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)) }),
    command: {
      _tag: "Cancel",
      partId: "2",
      items: watched(portions(count, 2).map((one) => ({ ...one, reasonCode: null })))
    }
  }),
  InvoiceSale: (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)), status: "bag_confirmed" }),
    command: {
      _tag: "InvoiceSale",
      invoice: document,
      items: watched(portions(count, 2).map((one) => ({ ...one, imei: [`${one.itemId}-1`, `${one.itemId}-2`] }))),
      packages: null
    }
  }),
  Pack: (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)), status: "dp_assigned" }),
    command: { _tag: "Pack" }
  }),
  Dispatch: (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)), status: "bag_packed" }),
    command: { _tag: "Dispatch", items: watched(portions(count, 2)) }
  }),
  "Report of a cancellation": (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)) }),
    command: { _tag: "Report", by: "marketplace", status: "cancelled_customer", meta: noMeta }
  }),
  "InitiateReturn of lines named": (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)), status: "delivery_done" }),
    returns: [returnOf(lines(count), watched)],
    command: {
      _tag: "InitiateReturn",
      by: "marketplace",
      newShipmentId: "3",
      returnId: "another",
      meta: noMeta,
      items: watched(
        Array.from({ length: count }, (_, n) => ({
          itemId: n % 2 === 0 ? String(n) : null,
          externalLineId: n % 2 === 0 ? null : `line-${n}`,
          quantity: 1,
          reason: "too small"
        }))
      )
    }
  }),
  "InitiateReturn of everything": (count, watched) => ({
    shipment: placed("seller", { items: watched(lines(count)), status: "delivery_done" }),
    returns: [returnOf(lines(count), watched)],
    command: {
      _tag: "InitiateReturn",
      by: "marketplace",
      newShipmentId: "3",
      returnId: "another",
      meta: noMeta,
      items: null
    }
  }),
  "CheckQuality of lines named": (count, watched) => ({
    shipment: returnOf(lines(count), watched, "return_bag_delivered"),
    command: {
      _tag: "CheckQuality",
      bad: true,
      items: watched(portions(count, 1).map((one) => ({ ...one, reasonCode: 1 })))
    }
  }),
  "CheckQuality of everything": (count, watched) => ({
    shipment: returnOf(lines(count), watched, "return_bag_delivered"),
    command: { _tag: "CheckQuality", bad: false, items: null }
  }),
  Deadstock: (count, watched) => ({
    shipment: returnOf(lines(count), watched, "return_bag_delivered"),
    command: { _tag: "Report", by: "seller", status: "deadstock", meta: noMeta }
  })
}

/** A return of one unit of each line. */
const returnOf = (
  items: ReadonlyArray<ShipmentItem>,
  watched: Watched,
  status: Shipment["status"] = "return_initiated"
): Shipment => ({
  ...placed("seller", { items: watched(items.map((one) => ({ ...one, ordered: 1 }))), status }),
  id: "9",
  journey: "return",
  forwardId: "00000000000000000001"
})

const work = (made: (typeof cases)[string], count: number): number => {
  const { reads, watched } = counting()
  const { command, returns = [], shipment } = made(count, watched)
  const moved = Lifecycle.move(shipment, command, at, { returns })
  assertTrue(Result.isSuccess(moved), JSON.stringify(moved))
  const { created, events } = moved.success
  const after = { ...moved.success.shipment, items: watched(moved.success.shipment.items) }
  ShipmentFeed.eventsOf({
    updates: [{ before: shipment, after }],
    inserts: created === null ? [] : [created],
    stock: [],
    events: (id) => (id === after.id ? events : [])
  })
  return reads()
}

describe("The work of a command and its events", () => {
  it.each(Object.entries(cases))("%s grows no faster than the lines it is about", (_, made) => {
    const [some, twice] = [work(made, 100), work(made, 200)]
    assertTrue(twice <= 2.5 * some, `${some} looks at 100 lines, ${twice} at 200`)
  })
})

describe("A shipment with many packages", () => {
  it("grows by little with each AWB that it gets", () => {
    const seller = { legalName: "Acme Retail", name: "BLR1", address: null }
    const one = { id: null, lengthCm: null, widthCm: null, heightCm: null, weightGrams: 5 }
    const packed = { ...placed("seller", { status: "bag_packed" }), packages: Array.from({ length: 1_000 }, () => one) }
    const after = Array.from({ length: 10 }, (_, nth) => `AWB-${nth}`).reduce<Shipment>((before, awbNumber) => {
      const command = { _tag: "AssignAwb", by: "seller", awbNumber, courierName: "Swift", autoDispatch: false } as const
      const { shipment } = Result.getOrThrow(Lifecycle.move(before, command, at))
      return IssuedDocuments.stored(before, shipment, seller)
    }, packed)
    assertTrue(JSON.stringify(after).length < 1.1 * JSON.stringify(packed).length)
  })
})

describe("A shipment with many returns", () => {
  it("takes no longer to open one more of many lines than their number", () => {
    const count = 3_000
    const shipment = placed("seller", { items: lines(count), status: "delivery_done" })
    const one = item("0", 1)
    const returns = Array.from({ length: count }, (_, nth) => ({
      ...placed("seller", { items: [{ ...one, id: String(nth) }], status: "return_initiated" }),
      id: `R${nth}`,
      journey: "return" as const
    }))
    const items = portions(count, 1).map((named) => ({ ...named, externalLineId: null, reason: null }))
    const command = {
      _tag: "InitiateReturn",
      by: "marketplace",
      newShipmentId: "3",
      returnId: null,
      meta: noMeta,
      items
    } as const
    const began = processorMillis()
    const moved = Lifecycle.move(shipment, command, at, { returns })
    const took = processorMillis() - began
    assertTrue(Result.isSuccess(moved))
    assertTrue(took < 300, `${took} ms`)
  })
})
