/** Checks that orders, stock, histories, the audit trail and answers agree. Missing data on either side is a fault. */
import { createHash } from "node:crypto"
import type { Order } from "@crossdock/orders"
import { unitsLeft } from "@crossdock/returns"
import {
  type AnyStatus,
  isCancelled,
  Lifecycle,
  type OperationalStatus,
  type Shipment,
  type ShipmentItem
} from "@crossdock/shipments"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type * as Races from "./Races.ts"

interface Record {
  readonly sequence: number
  readonly kind: string
  readonly hash: string
  readonly body: string
}

interface Logs {
  readonly entity: { readonly type: string }
  readonly logs: {
    readonly before?: ReadonlyArray<readonly [id: string, status: string]>
    readonly after?: ReadonlyArray<readonly [id: string, status: string]>
  }
}

const leadsTo = (from: AnyStatus, to: AnyStatus): boolean => {
  const { status = {}, ...moves }: Lifecycle.Row = Lifecycle.standard.rows[from] ?? {}
  const limits: Lifecycle.MoveRule | undefined = status[to]
  return (limits !== undefined && limits.opensReturn !== true) || Object.values(moves).some((move) => move.to === to)
}

const first: ReadonlySet<AnyStatus> = new Set(["placed", "cancelled_seller", "return_initiated"])

/** Each step of a history is in the table of the lifecycle. The last step is the status of the shipment. */
const histories = (shipments: ReadonlyArray<Shipment>): ReadonlyArray<string> =>
  shipments.flatMap(({ events, id, status }) => {
    const path = events.map((event) => event.status)
    const legal =
      path[0] !== undefined &&
      first.has(path[0]) &&
      path.at(-1) === status &&
      path.every((to, at) => at === 0 || leadsTo(path[at - 1] ?? to, to))
    return legal ? [] : [`${id} has the history ${path.join(", ")} and is ${status}`]
  })

const reserving: ReadonlySet<AnyStatus> = new Set([
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "bag_packed"
])
const delivered: ReadonlySet<AnyStatus> = new Set(["delivery_done", "handed_over_to_customer"])

/** Delivered ≥ returned ≥ good + bad. The cancelled parts have exactly the units that the shipment lacks. */
const units = (shipments: ReadonlyArray<Shipment>): ReadonlyArray<string> => {
  const children = new Map<string, Array<Shipment>>()
  for (const one of shipments) {
    if (one.forwardId !== one.id) children.set(one.forwardId, [...(children.get(one.forwardId) ?? []), one])
  }
  return shipments.flatMap((shipment) => {
    const own = children.get(shipment.id) ?? []
    return shipment.items.flatMap((item) => {
      const sum = (of: (one: Shipment) => boolean, count: (line: typeof item) => number) =>
        own
          .filter(of)
          .flatMap(({ items }) => items)
          .filter(({ id }) => id === item.id)
          .reduce((total, line) => total + count(line), 0)
      const returned = sum(
        ({ journey }) => journey === "return",
        (line) => line.ordered
      )
      const parts = sum(
        ({ journey }) => journey === "forward",
        (line) => line.ordered
      )
      const sound =
        item.good >= 0 &&
        item.bad >= 0 &&
        item.good + item.bad <= unitsLeft(item) &&
        returned <= (delivered.has(shipment.status) ? unitsLeft(item) : 0) &&
        (isCancelled(shipment) ? item.cancelled === item.ordered && parts <= item.ordered : parts === item.cancelled)
      return sound ? [] : [`${shipment.id}, line ${item.id}: ${JSON.stringify({ ...item, returned, parts })}`]
    })
  })
}

/** Operations and their statuses. Each status must be reached as often as its operation was acknowledged. */
const counted = { confirm: "bag_confirmed", invoice: "bag_invoiced", pack: "bag_packed" } as const

/** The operations that report each status. Reporting a status again doesn't make another move. */
const reported = {
  bag_picked: ["dispatch", "picked"],
  delivery_done: ["delivered"],
  rto_bag_delivered: ["rto"],
  cancelled_customer: ["customer"],
  bag_lost: ["lost"],
  deadstock: ["deadstock"]
} as const satisfies { readonly [Status in OperationalStatus]?: ReadonlyArray<Races.Operation> }

/** Like `reported`, for statuses that may also be reported for the forward shipment of the return. */
const reportedOfEither = { return_bag_in_transit: "backOnTheWay", return_bag_delivered: "back" } as const

const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, one) => sum + one, 0)

/** The acknowledged operations of a shipment, compared with the history of the shipment, its parts and its returns. */
const claimsOf = (
  shipment: Shipment,
  own: ReadonlyArray<Shipment>,
  moves: Races.Acknowledged["moves"]
): ReadonlyArray<readonly [what: string, acknowledged: number, happened: number]> => {
  const { forwardId, id, items, journey, status } = shipment
  const times = (operation: Races.Operation, of = id) => moves.get(`${operation} ${of}`) ?? 0
  const reached = (to: OperationalStatus, one = shipment) => one.events.filter((event) => event.status === to).length
  const returns = own.filter((one) => one.journey === "return")
  const units = (lines: ReadonlyArray<ShipmentItem>) => total(lines.map(unitsLeft))
  const isPart = forwardId !== id && journey === "forward"
  return [
    ...Object.entries(counted).map(
      ([name, to]) => [`${name} of ${id}`, times(name as Races.Operation), reached(to)] as const
    ),
    ...Object.entries(reported).map(([name, by]) => {
      const to = name as OperationalStatus
      return [`${to} of ${id}`, by.some((operation) => times(operation) > 0) ? 1 : 0, reached(to)] as const
    }),
    ...Object.entries(reportedOfEither).map(([name, by]) => {
      const to = name as OperationalStatus
      const asked = Math.min(1, times(by))
      if (journey === "return")
        return [`${to} of ${id}`, Math.max(asked, Math.min(times(by, forwardId), reached(to), 1)), reached(to)] as const
      return [`${to} of a return of ${id}`, asked, returns.some((one) => reached(to, one) > 0) ? asked : 0] as const
    }),
    [
      `cancel of ${id}`,
      times("cancel") + times("cancelPart"),
      own.length - returns.length + (status === "cancelled_seller" && !isPart ? 1 : 0)
    ],
    [
      `units of returns of ${id}`,
      times("returnAll") > 0 ? units(items) : Math.min(1, times("returnSome")),
      total(returns.map((one) => units(one.items)))
    ],
    [`return of ${id} without a request`, 0, Math.max(0, returns.length - times("returnSome") - times("returnAll"))],
    [`good quality check of ${id}`, times("good"), total(items.map((item) => item.good))],
    [`bad quality check of ${id}`, times("bad"), items.some((item) => item.bad > 0) ? 1 : 0]
  ]
}

/** Every acknowledged order exists with its shipments. Each move happened exactly as often as it was acknowledged. */
const answers = (shipments: ReadonlyArray<Shipment>, { moves, orders }: Races.Acknowledged): ReadonlyArray<string> => {
  const known = new Set(shipments.map(({ id }) => id))
  const missing = [...orders].flatMap(([order, ids]) =>
    ids.flatMap((id) => (known.has(id) ? [] : [`${id} of the acknowledged order ${order} is missing`]))
  )
  const children = Map.groupBy(
    shipments.filter(({ forwardId, id }) => forwardId !== id),
    ({ forwardId }) => forwardId
  )
  const claims = shipments
    .filter(({ externalOrderId }) => orders.has(externalOrderId))
    .flatMap((shipment) => claimsOf(shipment, children.get(shipment.id) ?? [], moves))
  return [
    ...missing,
    ...claims.flatMap(([what, acknowledged, happened]) =>
      acknowledged === happened ? [] : [`${what}: acknowledged ${acknowledged}, happened ${happened}`]
    )
  ]
}

/** The chain of records is intact. Each change of a status is in exactly one record, in order. */
const audit = (records: ReadonlyArray<Record>, shipments: ReadonlyArray<Shipment>): ReadonlyArray<string> => {
  let last = ""
  const faults: Array<string> = []
  const recorded = new Map<string, Array<readonly [from: string | null, to: string]>>()
  records.forEach(({ body, hash, sequence }, at) => {
    if (sequence !== at + 1) faults.push(`audit record ${at + 1} is ${sequence}`)
    if (
      createHash("sha256")
        .update(last + body)
        .digest("hex") !== hash
    )
      faults.push(`audit record ${sequence} is broken`)
    last = hash
    const { entity, logs }: Logs = JSON.parse(body)
    if (entity.type !== "shipment") return
    const before = new Map(logs.before)
    for (const [id, status] of logs.after ?? [])
      recorded.set(id, [...(recorded.get(id) ?? []), [before.get(id) ?? null, status]])
  })
  const known = new Set(shipments.map(({ id }) => id))
  for (const id of recorded.keys()) if (!known.has(id)) faults.push(`${id} has audit records and is missing`)
  for (const { events, id, status } of shipments) {
    const changes = recorded.get(id) ?? []
    const chained = changes.every(
      ([from], at) => from === (at === 0 ? (from === null ? null : "placed") : changes[at - 1]?.[1])
    )
    if (!chained || (changes.at(-1)?.[1] ?? events[0]?.status) !== status) {
      faults.push(`the audit trail of ${id} says ${JSON.stringify(changes)}; it is ${status}`)
    }
  }
  return faults
}

/** The types of records that have events. */
const eventful: ReadonlySet<string> = new Set(["order", "shipment", "inventory"])

/** Each change of these types has exactly one batch of events, and the feed has no other events. */
const feed = (records: ReadonlyArray<Record>, batches: ReadonlyArray<{ readonly change: number }>) => {
  const times = Map.groupBy(batches, ({ change }) => change)
  const changes = new Set(records.map(({ sequence }) => sequence))
  return [
    ...records.flatMap(({ kind, sequence }) => {
      const found = times.get(sequence)?.length ?? 0
      return found === 1 || (found === 0 && !eventful.has(kind))
        ? []
        : [`change ${sequence} has ${found} batches of events`]
    }),
    ...[...times.keys()].flatMap((change) => (changes.has(change) ? [] : [`events are of no change: ${change}`]))
  ]
}

const client = (url: string) =>
  url.startsWith("sqlite:") ? BetterSqlite3.layer(url.slice("sqlite:".length)) : Postgres.layer(Redacted.make(url))

interface Moved {
  readonly sku: string
  readonly reference: string
  readonly reserved: number
  readonly kept: number
  readonly bad: number
}

/** The sum that the movements of a shipment must have, for each SKU. */
const movedBy = (shipment: Shipment): ReadonlyArray<Moved> =>
  [...Map.groupBy(shipment.items, ({ sku }) => sku)].map(([sku, lines]) => {
    const sum = (count: (item: ShipmentItem) => number) => total(lines.map(count))
    const open = reserving.has(shipment.status)
    const written = shipment.status === "deadstock" ? sum((item) => unitsLeft(item) - item.good - item.bad) : 0
    const shipped = open || shipment.journey === "return" ? 0 : sum(unitsLeft)
    return {
      sku,
      reference: shipment.id,
      reserved: open ? sum(unitsLeft) : 0,
      kept: sum((item) => item.good) - shipped,
      bad: sum((item) => item.bad) + written
    }
  })

/** The movements of each shipment and SKU match the shipment, and there are no other movements. */
const movements = (shipments: ReadonlyArray<Shipment>, stored: ReadonlyArray<Moved>): ReadonlyArray<string> => {
  const key = ({ reference, sku }: Moved) => JSON.stringify([reference, sku])
  const shown = (moved: Moved | undefined) => `${moved?.reserved ?? 0} ${moved?.kept ?? 0} ${moved?.bad ?? 0}`
  const [wanted, found] = [shipments.flatMap(movedBy), stored].map((all) => new Map(all.map((one) => [key(one), one])))
  return [...new Set([...(wanted?.keys() ?? []), ...(found?.keys() ?? [])])].flatMap((at) => {
    const [should, is] = [shown(wanted?.get(at)), shown(found?.get(at))]
    return should === is ? [] : [`reserved, on hand and unsellable of ${at} moved by ${is} instead of ${should}`]
  })
}

/** Every shipment has an order, and every order has the shipments that it names. */
const orders = (shipments: ReadonlyArray<Shipment>, stored: ReadonlyArray<Order>): ReadonlyArray<string> => {
  const known = new Map(shipments.map((one) => [one.id, one]))
  const byId = new Map(stored.map((order) => [order.id, new Set(order.shipments.map(({ shipmentId }) => shipmentId))]))
  return [
    ...shipments.flatMap(({ forwardId, id, orderId }) => {
      const own = byId.get(orderId)
      if (own === undefined) return [`${id} has no order`]
      // A part may be split again, so the shipment that it comes from may be a part too.
      return own.has(forwardId) || known.has(forwardId) ? [] : [`${id} comes from ${forwardId}, which is missing`]
    }),
    ...shipments.flatMap(({ forwardId, id, orderId }) =>
      forwardId !== id || byId.get(orderId)?.has(id) === true ? [] : [`the order of ${id} does not name it`]
    ),
    ...stored.flatMap(({ id, shipments: named }) =>
      named.flatMap(({ shipmentId }) => (known.has(shipmentId) ? [] : [`${shipmentId} of order ${id} is missing`]))
    )
  ]
}

/** Counts in `crossdock_shipment_counts` that differ from the shipments, or are missing. */
const wrongCounts = (sql: SqlClient.SqlClient) => sql`
  SELECT company_id, order_status, location, day, marketplace, SUM(counted) AS counted, SUM(there) AS there FROM (
    SELECT company_id, order_status, location, day, marketplace, total AS counted, 0 AS there
    FROM crossdock_shipment_counts
    UNION ALL
    SELECT company_id, order_status, location, order_date / 86400000, marketplace, 0, 1 FROM crossdock_shipments
  ) both_sides GROUP BY company_id, order_status, location, day, marketplace HAVING SUM(counted) <> SUM(there)`

/** Levels that aren't the sum of their movements, and movements without a level. */
const wrongLevels = (sql: SqlClient.SqlClient) => sql`
  SELECT company_id, location_id, size_id, SUM(on_hand) AS on_hand, SUM(reserved) AS reserved, SUM(unsellable) AS unsellable
  FROM (
    SELECT company_id, location_id, size_id, on_hand, reserved, unsellable FROM crossdock_levels
    UNION ALL
    SELECT company_id, location_id, size_id, -on_hand, -reserved, -unsellable FROM crossdock_movement_lines
  ) both_sides GROUP BY company_id, location_id, size_id
  HAVING SUM(on_hand) <> 0 OR SUM(reserved) <> 0 OR SUM(unsellable) <> 0`

interface Body {
  readonly body: string
}

/** Parses bodies without the code that usually reads them, so that a fault of that code can't hide here. */
const parsed =
  <A>() =>
  (rows: ReadonlyArray<Body>): ReadonlyArray<A> =>
    rows.map(({ body }) => JSON.parse(body))

/** Finds faults in the database of `url`, as sentences. Orders outside `acknowledged` are only checked for consistency. */
export const faults = (url: string, acknowledged: Races.Acknowledged): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const shipments = parsed<Shipment>()(yield* sql<Body>`SELECT body FROM crossdock_shipments WHERE company_id = 1`)
    const stored = parsed<Order>()(yield* sql<Body>`SELECT body FROM crossdock_orders`)
    const moved = yield* sql<Moved>`
      SELECT s.sku, m.reference, SUM(m.reserved) AS reserved, SUM(m.on_hand) AS kept, SUM(m.unsellable) AS bad
      FROM crossdock_movement_lines m JOIN crossdock_sizes s ON s.company_id = m.company_id AND s.id = m.size_id
      WHERE m.reference IS NOT NULL GROUP BY s.sku, m.reference`
    const records = yield* sql<Record>`
      SELECT sequence, entity_type AS kind, hash, body FROM crossdock_audit_records WHERE company_id = 1 ORDER BY sequence`
    const batches = yield* sql<{ readonly change: number }>`
      SELECT change_number AS change FROM crossdock_events WHERE company_id = 1`
    return [
      ...(yield* wrongLevels(sql)).map((row) => `a level is not the sum of its movements: ${JSON.stringify(row)}`),
      ...(yield* wrongCounts(sql)).map((row) => `a count of shipments is wrong: ${JSON.stringify(row)}`),
      ...orders(shipments, stored),
      ...movements(shipments, moved),
      ...histories(shipments),
      ...units(shipments),
      ...answers(shipments, acknowledged),
      ...audit(records, shipments),
      ...feed(records, batches)
    ]
  }).pipe(Effect.provide(client(url)), Effect.runPromise)
