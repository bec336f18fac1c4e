/** An application in the same process calls services to write, often with wrong values. */
import { Calls } from "@crossdock/http"
import type { Bulk, StorageError } from "@crossdock/kernel"
import type { Shipment } from "@crossdock/shipments"
import { Effect } from "effect"
import * as Aborted from "./Aborted.ts"
import * as Choice from "./Choice.ts"
import * as Goods from "./Goods.ts"
import * as World from "./World.ts"

const wrong = [null, "", "3", 1.5, -1, Number.NaN, 1e21, true, [], {}, "\u0000", "x".repeat(300)]

/** The value with a fault at a random place. */
const spoiled = (draw: World.World["draw"], value: unknown): unknown => {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : []
  if (entries.length === 0 || Choice.isChance(draw, 0.2)) return Choice.oneOf(draw, wrong)
  const [key, found] = Choice.oneOf(draw, entries)
  const inner = spoiled(draw, found)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as object), [key]: inner }
}

type Call = (
  caller: ReturnType<typeof World.seller>,
  sent: never
) => Effect.Effect<Bulk.Summary, StorageError | Calls.CallRejected>

/** The calls with their arguments. There are few different invoice numbers and AWBs, so most are already used. */
const callsOf = (draw: World.World["draw"], calls: Calls.Calls, all: ReadonlyArray<Shipment>) => {
  const { inventory, shipments } = calls
  const places = Array.from({ length: Choice.between(draw, 1, 3) }, () => ({
    location_id: Choice.oneOf(draw, World.locations),
    sku: Choice.oneOf(draw, Goods.skus),
    quantity: Choice.between(draw, 0, 30)
  }))
  const each = (more: (one: Shipment) => object) => all.map((one) => ({ orderId: one.id, ...more(one) }))
  const items = (units: (ordered: number) => number) =>
    each(({ items }) => ({
      orderItems: items.map(({ id, ordered }) => ({ orderItemId: id, quantity: units(ordered) }))
    }))
  const moves: ReadonlyArray<readonly [name: string, call: Call, sent: unknown]> = [
    ["confirm", shipments.confirm, items((ordered) => ordered)],
    ["cancel", shipments.cancel, items((ordered) => Choice.between(draw, 1, ordered))],
    [
      "invoice",
      shipments.invoice,
      each(() => ({ invoiceNumber: `CALL-${Choice.between(draw, 1, 3)}`, invoiceType: "sale" }))
    ],
    ["pack", shipments.pack, each(() => ({}))],
    [
      "assignAwb",
      shipments.assignAwb,
      each(() => ({
        awbNumber: `AWB${Choice.between(draw, 1, 5)}`,
        courierName: "Swift",
        autoDispatch: Choice.isChance(draw, 0.5)
      }))
    ],
    ["dispatch", shipments.dispatch, each(() => ({}))],
    ["reportStatus", shipments.reportStatus, each(() => ({ orderStatus: "delivery_done" }))],
    ["checkQuality", shipments.checkQuality, each(() => ({ badQc: Choice.isChance(draw, 0.5) }))]
  ]
  const stock = ["setStock", inventory.setStock as Call, places] as const
  return all.length === 0 ? [stock] : [stock, ...moves]
}

/** Calls a service with a body, which must have the same outcome as over HTTP, record by record. */
export const call = (world: World.World): Effect.Effect<string, unknown, World.Services> =>
  Effect.gen(function* () {
    const { draw } = world
    const caller = World.seller(Choice.oneOf(draw, World.companies))
    const { companyId } = caller.principal
    const own = [...world.placed].flatMap(([orderId, { shipments }]) =>
      shipments.flatMap((shipment) => (shipment.companyId === companyId ? [{ orderId, shipment }] : []))
    )
    const chosen = own.length === 0 ? [] : [Choice.oneOf(draw, own), ...Choice.some(draw, own, 2 / own.length)]
    for (const { orderId } of chosen) world.touched.add(orderId)
    const shipments = chosen.map(({ shipment }) => shipment)
    const [name, run, valid] = Choice.oneOf(draw, callsOf(draw, yield* Calls.make, shipments))
    const sent = Choice.isChance(draw, 0.3) ? spoiled(draw, valid) : valid
    return yield* Aborted.withKey(world, run(caller, sent as never)).pipe(
      Effect.map(({ status }) => status),
      Effect.catchTag("CallRejected", ({ code }) => Effect.succeed(code)),
      Effect.map((outcome) => `${caller.principal.id} calls ${name}: ${outcome}`)
    )
  })
