/**
 * Drives shipments to every situation that callers can bring about and tries every operation there, all of it over HTTP
 * in bulks of twenty. The expected outcomes are the table of the rules' tests, which was written by hand.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { unitsLeft } from "@crossdock/returns"
import type { Shipment } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Array as Arr } from "effect"
import { beforeAll } from "vitest"
import { asks, expectedCode, expectedStatus, type Situation, situations } from "../../shipments/test/ExpectedMoves.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"
import { useHost } from "./TestHost.ts"
import { line, order, place, setStock, shipment, shipmentOf } from "./TestOrders.ts"

const ordersPath = "/order/api/v1/bazaar"
const skuOfA = "85123A"
const skuOfB = "71053"
const orderSize = 50

/** A shipment on its way to a situation. */
interface Subject {
  readonly situation: Situation
  readonly order: string
  /** The one that operations go to: the return once it is open. */
  id: string
  /** By line: `a` has two units, `b` one. */
  readonly items: { a: string; b: string }
}

interface Entry {
  readonly index: number
  readonly code: string
  readonly current?: string
  readonly allowed?: ReadonlyArray<string>
}

interface Answer {
  readonly errors?: ReadonlyArray<Entry>
  readonly data?: { readonly errors: ReadonlyArray<Entry> }
}

interface Read {
  readonly shipments: ReadonlyArray<{
    readonly shipment_id: string
    readonly external_shipment_id: string
    readonly forward_shipment_id: string
    readonly journey_type: string
    readonly status: string
    readonly bags: ReadonlyArray<{ readonly bag_id: string; readonly sku: string }>
  }>
}

const logistics = {
  seller: { fulfillment_type: "SELLER", is_self_ship: true },
  courier: { fulfillment_type: "SELLER", is_self_ship: false },
  marketplace: { fulfillment_type: "MARKETPLACE", is_self_ship: false }
}

/** The courier is assigned at once unless the marketplace runs the logistics, so no other shipment waits for one. */
const reachable = situations.filter(
  ({ ships, status }) => ships === "marketplace" || (status !== "bag_invoiced" && status !== "return_initiated")
)

const out = "confirm sale assign pack dispatch"

const ways: Readonly<Record<string, string>> = {
  placed: "",
  bag_confirmed: "confirm",
  bag_invoiced: "confirm sale",
  dp_assigned: "confirm sale assign",
  bag_packed: "confirm sale assign pack",
  bag_picked: out,
  out_for_delivery: `${out} status:out_for_delivery`,
  delivery_attempt_failed: `${out} status:out_for_delivery status:delivery_attempt_failed`,
  delivery_reattempt_requested: `${out} status:out_for_delivery status:delivery_attempt_failed status:delivery_reattempt_requested`,
  rejected_by_customer: `${out} status:out_for_delivery status:rejected_by_customer`,
  handed_over_to_customer: "confirm sale assign pack status:handed_over_to_customer",
  delivery_done: `${out} status:delivery_done`,
  bag_lost: `${out} status:bag_lost`,
  cancelled_customer: "cancelled_customer",
  cancelled_seller: "cancelAll",
  rto_in_transit: `${out} status:rto_in_transit`,
  rto_bag_delivered: `${out} status:rto_in_transit status:rto_bag_delivered`,
  "rto bag_lost": `${out} status:rto_in_transit status:bag_lost`,
  "rto deadstock": `${out} status:rto_in_transit status:rto_bag_delivered status:deadstock`,
  "rto return_accepted": `${out} status:rto_in_transit status:rto_bag_delivered qcAll`,
  "rto credit_note_generated": `${out} status:rto_in_transit status:rto_bag_delivered qcAll credit`
}

const delivered = `${out} status:delivery_done giveBack`
const returnWays: Readonly<Record<string, string>> = {
  return_initiated: delivered,
  return_dp_assigned: `${delivered} assignReturn`,
  return_bag_in_transit: `${delivered} assignReturn status:return_bag_in_transit`,
  bag_lost: `${delivered} assignReturn status:return_bag_in_transit status:bag_lost`,
  return_bag_delivered: `${delivered} assignReturn status:return_bag_in_transit status:return_bag_delivered`,
  deadstock: `${delivered} assignReturn status:return_bag_in_transit status:return_bag_delivered status:deadstock`,
  return_accepted: `${delivered} assignReturn status:return_bag_in_transit status:return_bag_delivered qcAll`,
  credit_note_generated: `${delivered} assignReturn status:return_bag_in_transit status:return_bag_delivered qcAll credit`
}

/** The operations that bring a shipment there. */
const wayTo = ({ credited, invoiced, ships, status, way }: Situation): ReadonlyArray<string> => {
  const steps = way === "return" ? returnWays[status] : (ways[`${way} ${status}`] ?? ways[status])
  assertTrue(steps !== undefined, `${way} ${status}`)
  const isCancelled = status.startsWith("cancelled")
  return [
    ...(isCancelled && invoiced ? ["confirm", "sale"] : []),
    ...(steps === "" ? [] : steps.split(" ")),
    ...(isCancelled && credited ? ["credit"] : [])
  ].filter((step) => !step.startsWith("assign") || ships === "marketplace")
}

describe("every operation in every situation", () => {
  const file = join(temporaryFolder(), "lifecycle.db")
  const host = useHost({ database: file })
  let database: Database.Database
  let numbers = 0

  /** What an operation sends for a shipment, and to which path. */
  const requestOf = (
    asked: string,
    { id, items }: Subject
  ): readonly [method: string, path: string, record: object] => {
    const [name = "", target = "", by = "seller"] = asked.split(":")
    const both = [
      { orderItemId: items.a, quantity: 2 },
      { orderItemId: items.b, quantity: 1 }
    ]
    const one = [{ orderItemId: items.a, quantity: 1 }]
    const seller = (method: string, path: string, record: object) =>
      [method, `${shipment}/${path}`, { orderId: id, ...record }] as const
    const report = (status: string) =>
      ["PUT", `${ordersPath}/status`, { order_id: id, isSelfShip: true, status }] as const
    const awb = { awbNumber: `AWB-${++numbers}`, courierName: "BlueDart" }
    switch (name) {
      case "confirm":
        return seller("POST", "confirm", { orderItems: both })
      case "cancelAll":
        return seller("POST", "cancel", { orderItems: both })
      case "cancelPart":
        return seller("POST", "cancel", { orderItems: one })
      case "sale":
        return seller("POST", "invoiceUpdate", { invoiceType: "sale", invoiceNumber: `INV-${++numbers}` })
      case "credit":
        return seller("POST", "invoiceUpdate", { invoiceType: "return", invoiceNumber: `CN-${++numbers}` })
      case "pack":
        return seller("POST", "pack", {})
      case "dispatch":
        return seller("POST", "dispatch", {})
      case "awb":
        return target === "seller"
          ? seller("PUT", "awb", { ...awb, autoDispatch: false })
          : ["PUT", `${ordersPath}/awb`, { orderId: id, isSelfShip: true, ...awb, autoDispatch: false }]
      case "awbDispatch":
        return seller("PUT", "awb", { ...awb, autoDispatch: true })
      case "qcAll":
        return seller("POST", "return", { orderItems: both })
      case "qcPart":
        return seller("POST", "return", { orderItems: one })
      case "qcRest":
        return seller("POST", "return", {})
      case "assign":
        return report("dp_assigned")
      case "assignReturn":
        return report("return_dp_assigned")
      case "giveBack":
        return report("return_initiated")
      case "cancelled_customer":
        return report("cancelled_customer")
      default:
        return by === "seller" ? seller("PUT", "status", { orderStatus: target }) : report(target)
    }
  }

  /** Sends the same operation for all of them, in bulks of twenty; returns the rejections by shipment id. */
  const askAll = async (asked: string, subjects: ReadonlyArray<Subject>): Promise<ReadonlyMap<string, Entry>> => {
    const rejected = new Map<string, Entry>()
    for (let from = 0; from < subjects.length; from += 20) {
      const batch = subjects.slice(from, from + 20)
      const requests = batch.map((subject) => requestOf(asked, subject))
      const [[method, path] = ["", ""]] = requests as ReadonlyArray<readonly [string, string, object]>
      const api = path.startsWith(ordersPath) ? host.bazaar : host.acme
      const { body, status } = await api.call<Answer>(
        method,
        path,
        requests.map(([, , record]) => record)
      )
      strictEqual(status, 200, JSON.stringify(body))
      for (const entry of body.errors ?? body.data?.errors ?? []) rejected.set(batch[entry.index]?.id ?? "", entry)
    }
    return rejected
  }

  /** A digest of all stored shipments, stock and audit records. */
  const fingerprint = (): string => {
    const hash = createHash("sha256")
    for (const query of [
      "SELECT id, version, body FROM crossdock_shipments ORDER BY id",
      "SELECT location_id, size_id, on_hand, reserved, unsellable, version, sequence FROM crossdock_levels ORDER BY 1, 2",
      "SELECT COUNT(*) FROM crossdock_movements",
      "SELECT id, audit_sequence, audit_hash FROM crossdock_companies ORDER BY id",
      "SELECT * FROM crossdock_shipment_counts ORDER BY 1, 2, 3, 4, 5",
      "SELECT * FROM crossdock_shipment_awbs ORDER BY 1, 2, 3"
    ])
      hash.update(JSON.stringify(database.prepare(query).all()))
    return hash.digest("hex")
  }

  const read = async (id: string): Promise<Read["shipments"]> =>
    (await host.bazaar.call<Read>("GET", `${ordersPath}/order?platform_order_id=${id}`)).body.shipments

  /** One shipment for each of the wanted situations, moved there. */
  const bring = async (wanted: ReadonlyArray<Situation>): Promise<ReadonlyArray<Subject>> => {
    const subjects: Array<Subject> = []
    for (let from = 0; from < wanted.length; from += orderSize) {
      const batch = wanted.slice(from, from + orderSize)
      const { platform_order_id } = await place(
        host.bazaar,
        order(
          batch.map(({ ships }, at) =>
            shipmentOf([line(skuOfA, 2), line(skuOfB, 1)], {
              external_shipment_id: `${from + at}`,
              ...logistics[ships]
            })
          )
        )
      )
      const found = new Map((await read(platform_order_id)).map((one) => [one.external_shipment_id, one]))
      batch.forEach((situation, at) => {
        const one = found.get(`${from + at}`)
        const bagOf = (sku: string) => one?.bags.find((bag) => bag.sku === sku)?.bag_id ?? ""
        subjects.push({
          situation,
          order: platform_order_id,
          id: one?.shipment_id ?? "",
          items: { a: bagOf(skuOfA), b: bagOf(skuOfB) }
        })
      })
    }
    const ahead = new Map(subjects.map((subject) => [subject, [...wayTo(subject.situation)]]))
    for (;;) {
      const left = [...ahead].filter(([, steps]) => steps.length > 0)
      if (left.length === 0) return subjects
      const waves = Object.entries(Arr.groupBy(left, ([, [step = ""]]) => step))
      for (const [step, wave] of waves) {
        const all = wave.map(([subject]) => subject)
        const rejected = await askAll(step, all)
        deepStrictEqual([...rejected.values()], [], step)
        if (step === "giveBack") await followReturns(all)
        for (const [, steps] of wave) steps.shift()
      }
    }
  }

  const followReturns = async (subjects: ReadonlyArray<Subject>) => {
    for (const [id, own] of Object.entries(Arr.groupBy(subjects, (subject) => subject.order))) {
      const returns = new Map(
        (await read(id)).filter((one) => one.journey_type === "return").map((one) => [one.forward_shipment_id, one])
      )
      for (const subject of own) subject.id = returns.get(subject.id)?.shipment_id ?? ""
    }
  }

  const statusesOf = async (subjects: ReadonlyArray<Subject>): Promise<ReadonlyMap<string, string>> => {
    const orders = [...new Set(subjects.map((subject) => subject.order))]
    const all = await Promise.all(orders.map(read))
    return new Map(all.flat().map((one) => [one.shipment_id, one.status]))
  }

  /** Couriers don't call, and a marketplace does not dispatch with its AWB. */
  const askable = Object.keys(asks).filter(
    (asked) => !asked.startsWith("courier") && asked !== "awbDispatch:marketplace"
  )

  const shown = ({ credited, invoiced, ships, status, way }: Situation) =>
    `${status} (${way}, ${ships} ships${invoiced ? ", invoiced" : ""}${credited ? ", credited" : ""})`

  beforeAll(async () => {
    database = new Database(file, { readonly: true })
    await setStock(host.acme, 1_000_000, [skuOfA, skuOfB])
  })

  it("starts from the intended situation", async () => {
    const subjects = await bring(reachable)
    const statuses = await statusesOf(subjects)
    for (const { id, situation } of subjects) strictEqual(statuses.get(id), situation.status, shown(situation))
    strictEqual(new Set(reachable.map(({ status }) => status)).size, 24)
  })

  it("is rejected with its code wherever docs/reference/lifecycle.md has no such move, and changes nothing", async () => {
    const subjects = await bring(reachable)
    let rejections = 0
    for (const asked of askable) {
      const against = subjects.filter(({ situation }) => expectedStatus(situation, asked) === undefined)
      const before = fingerprint()
      const rejected = await askAll(asked, against)
      strictEqual(fingerprint(), before, asked)
      for (const { id, situation } of against) {
        const entry = rejected.get(id)
        strictEqual(entry?.code, expectedCode(situation, asked), `${asked}, ${shown(situation)}`)
        strictEqual(entry?.current, situation.status, asked)
        assertTrue(entry?.allowed !== undefined)
        rejections++
      }
    }
    assertTrue(rejections > 3000, String(rejections))
  })

  it("is accepted wherever docs/reference/lifecycle.md has such a move, and leads to the stated status", async () => {
    const pairs = askable.flatMap((asked) =>
      reachable.flatMap((situation) => {
        const to = expectedStatus(situation, asked)
        return to === undefined ? [] : [{ asked, situation, to }]
      })
    )
    const subjects = await bring(pairs.map(({ situation }) => situation))
    const all = pairs.map((pair, at) => ({ ...pair, subject: subjects[at] as Subject }))
    for (const [asked, group] of Object.entries(Arr.groupBy(all, (one) => one.asked))) {
      const rejected = await askAll(
        asked,
        group.map(({ subject }) => subject)
      )
      for (const { situation, subject } of group) {
        strictEqual(rejected.get(subject.id)?.code, undefined, `${asked}, ${shown(situation)}`)
      }
    }
    const statuses = await statusesOf(subjects)
    for (const { asked, situation, subject, to } of all) {
      // If the courier port assigns the courier, it does so at once.
      const end = to === "bag_invoiced" && situation.ships === "courier" ? "dp_assigned" : to
      strictEqual(statuses.get(subject.id), end, `${asked}, ${shown(situation)}`)
    }
    assertTrue(all.length > 250, String(all.length))
  })

  it("keeps every level the sum of its movements, and reserved stock the units of open shipments", () => {
    const drift = database
      .prepare(
        `SELECT l.size_id FROM crossdock_levels l LEFT JOIN (
           SELECT company_id, location_id, size_id, SUM(on_hand) AS on_hand, SUM(reserved) AS reserved,
             SUM(unsellable) AS unsellable
           FROM crossdock_movement_lines GROUP BY 1, 2, 3
         ) m ON m.company_id = l.company_id AND m.location_id = l.location_id AND m.size_id = l.size_id
         WHERE l.on_hand <> COALESCE(m.on_hand, 0) OR l.reserved <> COALESCE(m.reserved, 0)
           OR l.unsellable <> COALESCE(m.unsellable, 0)`
      )
      .all()
    deepStrictEqual(drift, [])
    const openUnits = new Map<string, number>()
    const bodies = database.prepare("SELECT body FROM crossdock_shipments").pluck().all() as ReadonlyArray<string>
    for (const { items, status } of bodies.map((body): Shipment => JSON.parse(body))) {
      if (!["placed", "bag_confirmed", "bag_invoiced", "dp_assigned", "bag_packed"].includes(status)) continue
      for (const item of items) openUnits.set(item.sku, (openUnits.get(item.sku) ?? 0) + unitsLeft(item))
    }
    const reserved = database
      .prepare("SELECT s.sku, l.reserved FROM crossdock_levels l JOIN crossdock_sizes s ON s.id = l.size_id")
      .all() as ReadonlyArray<{ readonly sku: string; readonly reserved: number }>
    for (const one of reserved) strictEqual(one.reserved, openUnits.get(one.sku) ?? 0, one.sku)
    assertTrue(openUnits.size === 2)
  })
})
