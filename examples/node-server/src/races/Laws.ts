/**
 * Checks that what is stored is consistent, whatever has happened: stock, reservations, histories, units, audit.
 */
import { createHash } from "node:crypto"
import { unitsLeft } from "@crossdock/returns"
import { isCancelled, Lifecycle, type OperationalStatus, type Shipment } from "@crossdock/shipments"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Acknowledged } from "./Races.ts"

interface Record {
  readonly sequence: number
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

const leadsTo = (from: OperationalStatus, to: OperationalStatus): boolean => {
  const { status = {}, ...moves }: Lifecycle.Row = Lifecycle.transitions[from]
  const limits: Lifecycle.MoveRule | undefined = status[to]
  return (limits !== undefined && limits.opensReturn !== true) || Object.values(moves).some((move) => move.to === to)
}

const first: ReadonlySet<OperationalStatus> = new Set(["placed", "cancelled_seller", "return_initiated"])

/** Each step of a history is a move of the lifecycle's table, and the last one is the shipment's status. */
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

const reserving: ReadonlySet<OperationalStatus> = new Set([
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "bag_packed"
])
const delivered: ReadonlySet<OperationalStatus> = new Set(["delivery_done", "handed_over_to_customer"])

/**
 * Delivered ≥ returned ≥ good + bad, and units that were cancelled, delivered, lost or returned to origin are never more
 * than ordered. A line's units are where its shipment is, so the second law is true when the cancelled parts are exactly
 * the missing units.
 */
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

/** Every acknowledged move has happened once, and every move that happened was acknowledged. */
const answers = (shipments: ReadonlyArray<Shipment>, acknowledged: Acknowledged | undefined): ReadonlyArray<string> => {
  if (acknowledged === undefined) return []
  const known = new Map(shipments.map((one) => [one.id, one]))
  const parts = partsOf(shipments.filter((one) => one.journey === "forward" && one.forwardId !== one.id))
  const reached = {
    confirm: "bag_confirmed",
    invoice: "bag_invoiced",
    pack: "bag_packed",
    customer: "cancelled_customer"
  }
  return [
    ...Object.entries(reached).flatMap(([operation, status]) =>
      shipments
        .filter(({ forwardId, id, journey }) => journey === "forward" && forwardId === id)
        .flatMap(({ events, id }) => {
          const times = acknowledged.get(`${operation} ${id}`) ?? 0
          const happened = events.filter((event) => event.status === status).length
          // Repeating a status is not a second move.
          const fits = operation === "customer" ? times > 0 === happened > 0 : times === happened
          return fits ? [] : [`${operation} of ${id} was acknowledged ${times} times and happened ${happened} times`]
        })
    ),
    ...[...acknowledged].flatMap(([key, times]) => {
      const [operation, id = ""] = key.split(" ")
      if (operation !== "cancel" && operation !== "cancelPart") return []
      const all = (acknowledged.get(`cancel ${id}`) ?? 0) + (acknowledged.get(`cancelPart ${id}`) ?? 0)
      const ended = known.get(id)?.status === "cancelled_seller" ? 1 : 0
      return all === (parts.get(id) ?? 0) + ended ? [] : [`${key}: ${times}, parts ${parts.get(id) ?? 0}, end ${ended}`]
    })
  ]
}

const partsOf = (parts: ReadonlyArray<Shipment>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { forwardId } of parts) counts.set(forwardId, (counts.get(forwardId) ?? 0) + 1)
  return counts
}

/** The chain of records is intact, and each change of a status is in exactly one of them, in order. */
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

const client = (url: string) =>
  url.startsWith("sqlite:") ? BetterSqlite3.layer(url.slice("sqlite:".length)) : Postgres.layer(Redacted.make(url))

/**
 * All faults in the database of `url`, as sentences. Without `acknowledged`, answers aren't compared.
 */
export const faults = (url: string, acknowledged?: Acknowledged): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const bodies = yield* sql<{ body: string }>`SELECT body FROM crossdock_shipments WHERE company_id = 1`
    const shipments = bodies.map(({ body }): Shipment => JSON.parse(body))
    const drift = yield* sql`
      SELECT l.location_id, l.size_id, l.on_hand, l.reserved, l.unsellable, m.on_hand AS moved
      FROM crossdock_levels l LEFT JOIN (
        SELECT company_id, location_id, size_id, SUM(on_hand) AS on_hand, SUM(reserved) AS reserved,
          SUM(unsellable) AS unsellable
        FROM crossdock_movement_lines GROUP BY 1, 2, 3
      ) m ON m.company_id = l.company_id AND m.location_id = l.location_id AND m.size_id = l.size_id
      WHERE l.on_hand <> COALESCE(m.on_hand, 0) OR l.reserved <> COALESCE(m.reserved, 0)
        OR l.unsellable <> COALESCE(m.unsellable, 0)`
    const movements = yield* sql<{ sku: string; reference: string; reserved: number; kept: number; bad: number }>`
      SELECT s.sku, m.reference, SUM(m.reserved) AS reserved, SUM(m.on_hand) AS kept, SUM(m.unsellable) AS bad
      FROM crossdock_movement_lines m JOIN crossdock_sizes s ON s.id = m.size_id
      WHERE m.reference IS NOT NULL GROUP BY s.sku, m.reference`
    const counted = yield* sql<{ order_status: string; total: number }>`
      SELECT order_status, SUM(total) AS total FROM crossdock_shipment_counts WHERE company_id = 1 GROUP BY order_status`
    const really = new Map(
      (yield* sql<{ order_status: string; total: number }>`
        SELECT order_status, COUNT(*) AS total FROM crossdock_shipments WHERE company_id = 1 GROUP BY order_status`).map(
        (row) => [row.order_status, row.total]
      )
    )
    const records = yield* sql<Record>`
      SELECT sequence, hash, body FROM crossdock_audit_records WHERE company_id = 1 ORDER BY sequence`
    const known = new Map(shipments.map((one) => [one.id, one]))
    return [
      ...drift.map((row) => `a level is not the sum of its movements: ${JSON.stringify(row)}`),
      ...movements.flatMap(({ bad, kept, reference, reserved, sku }) => {
        const shipment = known.get(reference)
        const lines = shipment?.items.filter((item) => item.sku === sku) ?? []
        const sum = (count: (item: (typeof lines)[number]) => number) =>
          lines.reduce((all, item) => all + count(item), 0)
        const open = shipment !== undefined && reserving.has(shipment.status)
        const written = shipment?.status === "deadstock" ? sum((item) => unitsLeft(item) - item.good - item.bad) : 0
        const shipped = open || shipment?.journey === "return" || shipment === undefined ? 0 : sum(unitsLeft)
        const sound =
          reserved === (open ? sum(unitsLeft) : 0) &&
          kept === sum((item) => item.good) - shipped &&
          bad === sum((item) => item.bad) + written
        return sound ? [] : [`stock of ${sku} for ${reference}: ${JSON.stringify({ reserved, kept, bad })}`]
      }),
      ...counted.flatMap((row) =>
        row.total === (really.get(row.order_status) ?? 0) ? [] : [`${row.order_status} counts ${row.total}`]
      ),
      ...histories(shipments),
      ...units(shipments),
      ...answers(shipments, acknowledged),
      ...audit(records, shipments)
    ]
  }).pipe(Effect.provide(client(url)), Effect.runPromise)

/**
 * Whether the database of `url` has the order.
 */
export const hasOrder = (url: string, externalOrderId: string): Promise<boolean> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT id FROM crossdock_orders WHERE external_order_id = ${externalOrderId}`
  ).pipe(
    Effect.map((found) => found.length === 1),
    Effect.provide(client(url)),
    Effect.runPromise
  )
