/**
 * A marketplace's reports may come late, twice, or in another order. A fact that doesn't fit yet is rejected and resent; a
 * repeat of an accepted one changes nothing.
 */
import {
  isOnTheWayBack,
  Lifecycle,
  type OperationalStatus,
  operationalStatuses,
  type Shipment,
  type ShipmentCommand
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"
import { ask, later, standing } from "./Fixtures.ts"

/** How far each status is on its way. The delivery retry is the only circle: its three statuses are equally far. */
const progress: Readonly<Record<string, number>> = {
  placed: 0,
  bag_confirmed: 1,
  bag_invoiced: 2,
  dp_assigned: 3,
  bag_packed: 4,
  bag_picked: 5,
  out_for_delivery: 6,
  delivery_attempt_failed: 6,
  delivery_reattempt_requested: 6,
  rejected_by_customer: 7,
  return_initiated: 0,
  return_dp_assigned: 1,
  return_bag_in_transit: 2,
  return_bag_delivered: 9,
  rto_in_transit: 8,
  rto_bag_delivered: 9,
  handed_over_to_customer: 9,
  delivery_done: 9,
  bag_lost: 9,
  deadstock: 10,
  return_accepted: 10,
  credit_note_generated: 11,
  cancelled_customer: 9,
  cancelled_seller: 9
}

const farness = (status: string): number => progress[status] ?? Number.NaN

interface World {
  readonly forward: Shipment
  readonly returns: ReadonlyArray<Shipment>
  /** Units by kind and item. */
  readonly stock: Readonly<Record<string, number>>
}

/** The seller has invoiced it, and the marketplace runs the logistics. */
const start: World = {
  forward: standing("bag_invoiced", { ships: "marketplace", invoiced: true }),
  returns: [],
  stock: {}
}

/**
 * A fact about the delivered shipment, from a marketplace that knows no other id; with `toReturn`, about the return that it
 * opened.
 */
interface Fact {
  readonly command: ShipmentCommand
  readonly toReturn: boolean
}

const factOf = (name: string): Fact => {
  if (name === "return_deadstock") return { command: ask.status("deadstock"), toReturn: true }
  if (name === "awb") return { command: ask.awb("marketplace"), toReturn: false }
  return { command: name === "return_initiated" ? ask.giveBack() : ask.status(name), toReturn: false }
}

/** The world after one fact; undefined when it is rejected. */
const report = (world: World, { command, toReturn }: Fact): World | undefined => {
  const asked = toReturn ? world.returns[0] : world.forward
  if (asked === undefined) return undefined
  const returns = toReturn ? [] : world.returns
  const made = Result.getOrUndefined(Lifecycle.move(asked, command, later, { returns }))
  if (made === undefined) return undefined
  const put = (before: Shipment) => (before.id === made.shipment.id ? made.shipment : before)
  const stock = { ...world.stock }
  for (const { itemId, kind, quantity } of made.stock) {
    stock[`${kind} ${itemId}`] = (stock[`${kind} ${itemId}`] ?? 0) + quantity
  }
  return {
    forward: put(world.forward),
    returns: [...world.returns.map(put), ...(made.created === null ? [] : [made.created])],
    stock
  }
}

/** Every fact, and the rejected ones again until no more of them fit. */
const reportAll = (names: ReadonlyArray<string>): World => {
  let world = start
  let open = names.map(factOf)
  for (let before = -1; before !== open.length; ) {
    before = open.length
    open = open.filter((one) => {
      const next = report(world, one)
      world = next ?? world
      return next === undefined
    })
  }
  return world
}

/** The final state: statuses, units, and the effects on stock. */
const endOf = ({ forward, returns, stock }: World) => ({
  forward: forward.status,
  returns: returns.map(({ items, status }) => [status, items.map(({ id, ordered }) => `${ordered} ${id}`)]),
  stock: Object.entries(stock).sort()
})

const permutations = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2
    ? [items]
    : items.flatMap((one, at) =>
        permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [one, ...rest])
      )

/**
 * The usual journeys, and those with exceptional statuses: the facts, the final status, and the return's. Source:
 * docs/reference/orders.md#journeys.
 */
const journeys = {
  forward: [["dp_assigned", "bag_picked", "out_for_delivery", "delivery_done"], "delivery_done"],
  "handed over": [["dp_assigned", "handed_over_to_customer"], "handed_over_to_customer"],
  "delivered at the second try": [
    [
      "dp_assigned",
      "bag_picked",
      "out_for_delivery",
      "delivery_attempt_failed",
      "delivery_reattempt_requested",
      "out_for_delivery",
      "delivery_done"
    ],
    "delivery_done"
  ],
  return: [
    [
      "dp_assigned",
      "bag_picked",
      "delivery_done",
      "return_initiated",
      "return_dp_assigned",
      "return_bag_in_transit",
      "return_bag_delivered"
    ],
    "delivery_done",
    "return_bag_delivered"
  ],
  "return that is no stock any more": [
    [
      "dp_assigned",
      "handed_over_to_customer",
      "return_initiated",
      "return_bag_in_transit",
      "return_bag_delivered",
      "return_deadstock"
    ],
    "handed_over_to_customer",
    "deadstock"
  ],
  RTO: [["dp_assigned", "bag_picked", "rto_in_transit", "rto_bag_delivered"], "rto_bag_delivered"],
  "RTO after a try that failed": [
    ["dp_assigned", "bag_picked", "out_for_delivery", "delivery_attempt_failed", "rto_in_transit", "rto_bag_delivered"],
    "rto_bag_delivered"
  ],
  "rejected by the customer": [
    [
      "dp_assigned",
      "bag_picked",
      "out_for_delivery",
      "rejected_by_customer",
      "rto_in_transit",
      "rto_bag_delivered",
      "deadstock"
    ],
    "deadstock"
  ],
  "lost on the way out": [["dp_assigned", "bag_picked", "out_for_delivery", "bag_lost"], "bag_lost"],
  "lost on the way back": [["dp_assigned", "bag_picked", "rto_in_transit", "bag_lost"], "bag_lost"],
  "cancelled by the customer": [["dp_assigned", "cancelled_customer"], "cancelled_customer"]
} as const satisfies Record<string, readonly [ReadonlyArray<string>, ...ReadonlyArray<OperationalStatus>]>

const everything = [...operationalStatuses, "awb", "return_deadstock"]

/**
 * Whether a repeat of this fact can't be mistaken for a new one. A late repeat of a failed try can, after a second
 * out_for_delivery.
 */
const isPlain =
  (journey: ReadonlyArray<string>) =>
  (name: string): boolean =>
    name !== "delivery_attempt_failed" || !journey.includes("delivery_reattempt_requested")

describe("The table of moves", () => {
  it("never leads to a status that is less far on its way", () => {
    for (const [from, { status = {} }] of Object.entries<Lifecycle.Row>(Lifecycle.transitions)) {
      // A status that opens a return is the first one of a new shipment.
      const targets = Object.entries(status).filter(([, limits]) => limits.opensReturn !== true)
      for (const [to] of targets) assertTrue(farness(to) >= farness(from), `${from} to ${to}`)
    }
  })
})

describe("What a marketplace reports", () => {
  it("late, twice or in any order never moves a shipment backwards, nor one that has ended", () => {
    const wild = FastCheck.array(FastCheck.constantFrom(...everything), { maxLength: 20 })
    // A part of a journey in order comes first, or most of the rest would be rejected.
    const begun = FastCheck.constantFrom(...Object.values(journeys)).chain(([journey]) =>
      FastCheck.nat(journey.length).map((upTo): ReadonlyArray<string> => journey.slice(0, upTo))
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.tuple(begun, wild), ([first, more]) => {
        const names = [...first, ...more]
        let world = start
        for (const name of names) {
          const next = report(world, factOf(name)) ?? world
          for (const before of [world.forward, ...world.returns]) {
            const after = [next.forward, ...next.returns].find(({ id }) => id === before.id)
            assertTrue(after !== undefined && farness(after.status) >= farness(before.status))
            assertTrue(after.events.length >= before.events.length)
            if (progress[before.status] === 9) assertTrue([before.status, "deadstock"].includes(after.status))
          }
          world = next
        }
      }),
      { numRuns: runs(2000) }
    )
  })

  for (const [name, [journey, ...ends]] of Object.entries(journeys)) {
    it(`ends the same in every order and however often: ${name}`, () => {
      const end = endOf(reportAll(journey))
      deepStrictEqual([end.forward, ...end.returns.map(([status]) => status)], ends)
      for (const order of permutations(journey)) deepStrictEqual(endOf(reportAll(order)), end)
      const repeated = FastCheck.tuple(
        FastCheck.shuffledSubarray([...journey], { minLength: journey.length }),
        FastCheck.array(FastCheck.constantFrom(...journey.filter(isPlain(journey))), { maxLength: 8 })
      )
      FastCheck.assert(
        FastCheck.property(repeated, ([order, more]) => {
          deepStrictEqual(endOf(reportAll([...more, ...order])), end)
          deepStrictEqual(endOf(reportAll([...order, ...more])), end)
        }),
        { numRuns: runs(500) }
      )
    })
  }
})

/** Where the same facts can end differently: a reported status has neither a time nor a number. */
describe("Facts without an order", () => {
  it("a second out_for_delivery that comes too early is a repeat; the fact that ends the delivery still ends it", () => {
    const retry: ReadonlyArray<string> = journeys["delivered at the second try"][0].slice(0, -1)
    const ends = new Set(permutations(retry).map((order) => reportAll(order).forward.status))
    deepStrictEqual([...ends].toSorted(), ["delivery_reattempt_requested", "out_for_delivery"])
    for (const order of permutations(retry)) {
      deepStrictEqual(reportAll([...order, "delivery_done"]).forward.status, "delivery_done")
    }
  })

  it("a late repeat of a failed try after the second out_for_delivery is another failed try, until the reattempt is reported", () => {
    const [first] = journeys["delivered at the second try"]
    const failedAgain = reportAll([...first.slice(0, -1), "delivery_attempt_failed", "delivery_done"])
    deepStrictEqual(failedAgain.forward.status, "delivery_attempt_failed")
    const reported = [...first.slice(0, -1), "delivery_attempt_failed", "delivery_done", "delivery_reattempt_requested"]
    deepStrictEqual(reportAll(reported).forward.status, "delivery_done")
  })

  it("of two ends that contradict each other the first that fits counts, and the other is always rejected", () => {
    const both = ["dp_assigned", "bag_picked", "delivery_done", "rto_bag_delivered"]
    for (const order of permutations(both)) {
      const { forward } = reportAll(order)
      const ends = forward.events.filter(({ status }) => progress[status] === 9)
      deepStrictEqual([ends.length, ends[0]?.status], [1, forward.status])
    }
  })

  it("a lost bag is lost in every order; it shows as lost on the way back when it had been reported as turning back", () => {
    const lost = journeys["lost on the way back"][0]
    for (const order of permutations(lost)) {
      const { forward } = reportAll(order)
      const turned = forward.events.some(({ status }) => status === "rto_in_transit")
      deepStrictEqual([forward.status, isOnTheWayBack(forward)], ["bag_lost", turned])
    }
  })

  it("an AWB number is stored unless it comes after the bag was picked; the shipment ends the same", () => {
    const facts = ["awb", ...journeys.forward[0]]
    for (const order of permutations(facts)) {
      const { forward } = reportAll(order)
      const place = (name: string) => order.indexOf(name)
      const tooLate = place("dp_assigned") < place("bag_picked") && place("bag_picked") < place("awb")
      deepStrictEqual([forward.status, forward.courier?.awbNumbers ?? []], ["delivery_done", tooLate ? [] : ["AWB1"]])
    }
  })
})
