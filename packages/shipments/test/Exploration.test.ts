/**
 * Walks every sequence of moves, of any length, through all states of an order's shipment, its cancelled parts and its returns.
 * States that the rules can't distinguish are visited once, so that the walk ends.
 */
import {
  extendLifecycle,
  Lifecycle,
  operationalStatuses,
  type Party,
  type Shipment,
  type ShipmentCommand
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { finalStatuses } from "./ExpectedMoves.ts"
import { ask, item, later, placed } from "./Fixtures.ts"

interface World {
  readonly forward: Shipment
  readonly parts: ReadonlyArray<Shipment>
  readonly returns: ReadonlyArray<Shipment>
  /** Units by `kind item`. */
  readonly stock: Readonly<Record<string, number>>
}

const lines = ["a", "b"]
const ordered: Readonly<Record<string, number>> = { a: 2, b: 1 }

const keyOf = (shipment: Shipment): string =>
  [
    shipment.status,
    shipment.returnId,
    shipment.invoice === null ? "" : "invoiced",
    shipment.creditNote === null ? "" : "credited",
    shipment.events.some(({ status }) => status.startsWith("rto")) ? "rto" : "",
    ...shipment.items.map((one) => [one.id, one.ordered, one.cancelled, one.good, one.bad].join(","))
  ].join(";")

const worldKey = (world: World): string =>
  [
    keyOf(world.forward),
    world.parts.map(keyOf).sort().join("+"),
    world.returns.map(keyOf).sort().join("+"),
    JSON.stringify(Object.entries(world.stock).sort())
  ].join("|")

const one = (id: string) => [{ itemId: id, quantity: 1 }]
const left = (shipment: Shipment) =>
  shipment.items
    .map(({ cancelled, id, ordered }) => ({ itemId: id, quantity: ordered - cancelled }))
    .filter(({ quantity }) => quantity > 0)

const commands = (shipment: Shipment, { statuses }: Lifecycle.Table): ReadonlyArray<ShipmentCommand> => [
  ask.confirm(left(shipment)),
  ask.cancel(left(shipment)),
  ask.cancel(one("a")),
  ask.cancel(one("b")),
  ask.sale(),
  ask.credit(),
  ask.courier("courier"),
  ask.pack,
  ask.dispatch(),
  ask.awb("marketplace"),
  ask.awb("marketplace", true),
  ask.awb("seller", true),
  ask.qc(one("a")),
  ask.qc(one("b"), true),
  ask.qc(null),
  ask.giveBack(null),
  ask.giveBack(one("a")),
  ask.giveBack(one("a"), { returnId: "R1" }),
  ask.giveBack(one("b"), { returnId: "R2" }),
  ...statuses.map((status) => ask.status(status))
]

const add = (stock: World["stock"], { stock: effects }: Lifecycle.MoveResult): World["stock"] => {
  const sum = { ...stock }
  for (const { itemId, kind, quantity } of effects) {
    const key = `${kind} ${itemId}`
    sum[key] = (sum[key] ?? 0) + quantity
  }
  return sum
}

/** All worlds after one move. */
const next = (world: World, lifecycle: Lifecycle.Table): ReadonlyArray<World> =>
  [world.forward, ...world.parts, ...world.returns].flatMap((shipment) =>
    commands(shipment, lifecycle).flatMap((command) => {
      const returns = shipment === world.forward ? world.returns : []
      const made = Result.getOrUndefined(Lifecycle.move(shipment, command, later, { returns, lifecycle }))
      if (made === undefined || made.unchanged) return []
      const put = (before: Shipment) => (before.id === made.shipment.id ? made.shipment : before)
      const fresh =
        made.created === null ? [] : [{ ...made.created, id: `${world.parts.length + world.returns.length + 2}` }]
      return [
        {
          forward: put(world.forward),
          parts: [...world.parts.map(put), ...fresh.filter(({ journey }) => journey === "forward")],
          returns: [...world.returns.map(put), ...fresh.filter(({ journey }) => journey === "return")],
          stock: add(world.stock, made)
        }
      ]
    })
  )

const reserved = "placed bag_confirmed bag_invoiced dp_assigned quality_hold bag_packed".split(" ")
const delivered = "delivery_done handed_over_to_customer".split(" ")

const sum = (
  shipments: ReadonlyArray<Shipment>,
  id: string,
  count: (line: Shipment["items"][number]) => number
): number =>
  shipments
    .flatMap(({ items }) => items)
    .filter((line) => line.id === id)
    .reduce((total, line) => total + count(line), 0)

/** The laws for one order's shipments, per line. */
const check = ({ forward, parts, returns, stock }: World): void => {
  const where = () =>
    JSON.stringify({ forward: keyOf(forward), parts: parts.map(keyOf), returns: returns.map(keyOf), stock })
  for (const id of lines) {
    const units = (kind: string) => stock[`${kind} ${id}`] ?? 0
    const total = ordered[id] ?? 0
    const cancelled = sum([forward], id, (line) => line.cancelled)
    const kept = total - cancelled
    const partial = sum(parts, id, (line) => line.cancelled)
    const returned = sum(returns, id, (line) => line.ordered)
    const settled = (shipments: ReadonlyArray<Shipment>) => sum(shipments, id, (line) => line.good + line.bad)
    const written = [forward, ...returns].filter(({ status }) => status === "deadstock" || status === "kept_as_second")
    const wholly = forward.status.startsWith("cancelled")

    assertTrue(cancelled >= 0 && kept >= 0 && (wholly ? kept === 0 : partial === cancelled), where())
    assertTrue(partial <= total && partial === sum(parts, id, (line) => line.ordered), where())
    // Every reserved unit is released or consumed exactly once, and not before its time.
    strictEqual(units("release"), cancelled, where())
    strictEqual(units("consume"), reserved.includes(forward.status) || wholly ? 0 : kept, where())
    // Units come back only from their destination.
    assertTrue(delivered.includes(forward.status) ? returned <= kept : returned === 0, where())
    for (const shipment of [forward, ...returns]) {
      const counts = shipment.items.flatMap((_) => [_.good, _.bad, _.ordered - _.cancelled - _.good - _.bad])
      assertTrue(Math.min(...counts) >= 0, where())
    }
    assertTrue(settled(returns) <= returned, where())
    assertTrue(forward.status.startsWith("delivery_") || settled([forward]) <= kept, where())
    strictEqual(
      units("restock"),
      sum([forward, ...returns], id, (line) => line.good),
      where()
    )
    strictEqual(
      units("unsellable"),
      sum([forward, ...returns], id, (line) => line.bad) +
        sum(written, id, (line) => line.ordered - line.cancelled - line.good - line.bad),
      where()
    )
    assertTrue(units("restock") + units("unsellable") <= units("consume"), where())
    const accepted = [forward, ...returns].filter(
      ({ status }) => status === "return_accepted" || status === "credit_note_generated"
    )
    strictEqual(
      settled(accepted),
      sum(accepted, id, (line) => line.ordered - line.cancelled),
      where()
    )
  }
  for (const part of parts) strictEqual(part.status, "cancelled_seller")
}

/** The statuses after one move from each status, written by hand from docs/reference/shipments.md. */
const legal: Readonly<Record<string, string>> = {
  placed: "bag_confirmed cancelled_seller cancelled_customer",
  bag_confirmed: "bag_invoiced cancelled_seller cancelled_customer",
  bag_invoiced: "dp_assigned cancelled_seller cancelled_customer",
  dp_assigned: "bag_packed bag_picked handed_over_to_customer cancelled_seller cancelled_customer",
  bag_packed: "bag_picked handed_over_to_customer cancelled_seller cancelled_customer",
  bag_picked: "out_for_delivery delivery_done rto_in_transit rto_bag_delivered bag_lost",
  out_for_delivery:
    "delivery_attempt_failed delivery_done rejected_by_customer rto_in_transit rto_bag_delivered bag_lost",
  delivery_attempt_failed: "delivery_reattempt_requested rto_in_transit",
  delivery_reattempt_requested: "out_for_delivery delivery_done",
  rejected_by_customer: "rto_in_transit rto_bag_delivered",
  rto_in_transit: "rto_bag_delivered bag_lost",
  rto_bag_delivered: "return_accepted deadstock",
  return_initiated: "return_dp_assigned return_bag_in_transit",
  return_dp_assigned: "return_bag_in_transit",
  return_bag_in_transit: "return_bag_delivered bag_lost",
  return_bag_delivered: "return_accepted deadstock",
  return_accepted: "credit_note_generated"
}

/** Every bag is checked before it is packed, and seconds stay as unsellable. */
const extended = Result.getOrThrow(
  extendLifecycle({
    statuses: {
      quality_hold: { orderStatus: "PROCESSING", stock: "none" },
      kept_as_second: { orderStatus: "RETURN_DELIVERED", stock: "unsellable", isClosed: true }
    },
    transitions: {
      dp_assigned: {
        pack: null,
        awbDispatch: null,
        status: { quality_hold: {}, bag_picked: null, handed_over_to_customer: null }
      },
      quality_hold: {
        pack: { to: "bag_packed" },
        cancel: { to: "cancelled_seller", guards: ["within-what-is-left"] },
        status: { cancelled_customer: { who: "marketplace" } }
      },
      rto_bag_delivered: { status: { deadstock: null, kept_as_second: {} } }
    }
  })
)

const legalExtended: typeof legal = {
  ...legal,
  dp_assigned: "quality_hold cancelled_seller cancelled_customer",
  quality_hold: "bag_packed cancelled_seller cancelled_customer",
  rto_bag_delivered: "return_accepted kept_as_second"
}

const checkHistory = ({ events }: Shipment, legal: Readonly<Record<string, string>>): void => {
  for (const [index, { status }] of events.entries()) {
    const from = events[index - 1]?.status
    if (from !== undefined) assertTrue((legal[from] ?? "").split(" ").includes(status), `${from} to ${status}`)
  }
}

const explore = (ships: Party, lifecycle: Lifecycle.Table, legal: Readonly<Record<string, string>>) => {
  const start: World = {
    forward: placed(ships, { items: [item("a", 2), item("b", 1)] }),
    parts: [],
    returns: [],
    stock: {}
  }
  const seen = new Map([[worldKey(start), start]])
  const reached = new Set<string>()
  const stuck = new Set<string>()
  let frontier = [start]
  let depth = 0
  for (; frontier.length > 0; depth++) {
    const further: Array<World> = []
    for (const world of frontier) {
      check(world)
      const shipments = [world.forward, ...world.parts, ...world.returns]
      for (const shipment of shipments) {
        checkHistory(shipment, legal)
        for (const { status } of shipment.events) reached.add(status)
      }
      const after = next(world, lifecycle)
      for (const shipment of shipments) {
        const goesOn = after.some((later) =>
          [later.forward, ...later.returns].some(({ id, status }) => id === shipment.id && status !== shipment.status)
        )
        if (!goesOn) stuck.add(shipment.status)
      }
      for (const world of after) {
        const key = worldKey(world)
        if (seen.has(key)) continue
        seen.set(key, world)
        further.push(world)
      }
    }
    frontier = further
  }
  return { depth, reached, stuck, worlds: seen.size }
}

describe("Every sequence of moves", () => {
  for (const ships of ["seller", "courier", "marketplace"] as const) {
    it(`keeps units and stock exact, never moves illegally and never gets stuck, shipped by the ${ships}`, () => {
      const { depth, reached, stuck, worlds } = explore(ships, Lifecycle.standard, legal)
      assertTrue(depth > 12 && worlds > 1000, `only ${worlds} worlds, ${depth} moves deep`)
      deepStrictEqual([...reached].sort(), [...operationalStatuses].sort())
      deepStrictEqual([...stuck].sort(), [...finalStatuses].sort())
    })
  }

  it("keeps units and stock exact by a host's lifecycle too", () => {
    const { reached, stuck } = explore("courier", extended, legalExtended)
    deepStrictEqual([...reached].sort(), [...extended.statuses].sort())
    deepStrictEqual([...stuck].sort(), [...finalStatuses, "kept_as_second"].sort())
  }, 120_000)
})
