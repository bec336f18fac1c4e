/** `crossdock archive` moves closed orders to files. At the end, both companies move to another database. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Ids } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { mayMoveStock, ShipmentStore } from "@crossdock/shipments"
import type { Random } from "@crossdock/system-tests/Random"
import { Effect } from "effect"
import * as Choice from "./Choice.ts"
import { crossdock } from "./Commands.ts"
import * as Subscribers from "./Subscribers.ts"
import * as World from "./World.ts"

/** The database of a history, an empty database, and a folder for files. */
export interface Places {
  readonly url: string
  readonly other: string
  readonly folder: string
}

export interface Archive extends Places {
  readonly draw: Random
}

const day = 86_400_000

/** `archive move` moves whole months that are older than this. */
const days = 90

/** Moves closed orders. The history knows which orders must move. */
const move = ({ draw, folder, url }: Archive, world: World.World) =>
  Effect.gen(function* () {
    world.now += Choice.between(draw, days, days + 40) * day
    const before = new Date(world.now - days * day).setUTCDate(1) - (world.now % day)
    const over = [...world.placed].filter(
      ([id, { shipments }]) =>
        Ids.timeOf(id) < before && shipments.every((one) => !mayMoveStock(one) && one.modifiedAt < before)
    )
    const at = ["--database", url] as const
    const answer = yield* crossdock("archive", "move", join(folder, "archive"), "--days", `${days}`, "--json", ...at)
    const { orders, records }: { readonly orders: number; readonly records: number } = JSON.parse(answer)
    if (orders !== over.length) return yield* Effect.die(new Error(`${orders} of ${over.length} orders were archived`))
    for (const [id, placed] of over) {
      world.placed.delete(id)
      world.archived.set(id, placed)
    }
    yield* crossdock("archive", "verify", join(folder, "archive"), ...at)
    return `${orders} orders and ${records} records are archived`
  })

/** Checks that an archived order is unchanged in its file, and that it can't be read or repeated. */
const look = ({ draw, folder, url }: Archive, world: World.World) =>
  Effect.gen(function* () {
    const [orders, { ofOrder }] = [yield* Orders.Orders, yield* ShipmentStore]
    const [id, { order, sent, shipments }] = Choice.oneOf(draw, [...world.archived])
    const caller = World.marketplace(order.marketplace as World.Slug)
    const by = Choice.oneOf(draw, [id, sent.externalOrderId, ...shipments.map((one) => one.id)])
    const found = JSON.parse(
      yield* crossdock("archive", "find", join(folder, "archive"), by, "--json", "--database", url)
    )
    const [repeated, read, erased] = [
      yield* Effect.flip(orders.place(caller, sent)),
      yield* Effect.flip(orders.read(caller, id)),
      yield* Effect.flip(orders.erase(World.host, order.marketplace, id))
    ]
    const same = found.order.id === id && JSON.stringify(found.shipments) === JSON.stringify(shipments)
    const faults = [
      ...(same ? [] : [`it is found as ${JSON.stringify(found)}`]),
      ...(repeated.message.includes(id) ? [] : [`it is repeated: ${repeated.message}`]),
      ...[read, erased].flatMap(({ _tag }) => (_tag === "OrderNotFound" ? [] : [`it isn't unknown: ${_tag}`])),
      ...((yield* ofOrder(id)).length === 0 ? [] : ["it has shipments in the database"])
    ]
    if (faults.length > 0) return yield* Effect.die(new Error(`archived order ${by}: ${faults.join("; ")}`))
    return `archived order ${by} is looked for`
  })

export const step = (archive: Archive, world: World.World) =>
  Effect.gen(function* () {
    const { draw } = archive
    if (Choice.isChance(draw, 0.015)) return [yield* move(archive, world)]
    return world.archived.size > 0 && Choice.isChance(draw, 0.05) ? [yield* look(archive, world)] : []
  })

/** The rows of an export. Different databases export them in different orders. */
const rowsIn = (file: string): ReadonlyArray<string> =>
  gunzipSync(readFileSync(file))
    .toString()
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    .flatMap((line) => {
      const { rows, table }: { readonly table: string; readonly rows: ReadonlyArray<unknown> } = JSON.parse(line)
      return rows.map((row) => JSON.stringify([table, row]))
    })
    .sort()

/** Moves both companies to another database, which must then have all their rows. The import checks stock and audit. */
export const moveAway = ({ folder, other, url }: Places, world: World.World) =>
  Effect.gen(function* () {
    const at = ["--database", other] as const
    yield* crossdock("migrate", ...at)
    const written = (name: string, content: unknown) => {
      const file = join(folder, `${name}.json`)
      writeFileSync(file, JSON.stringify(content))
      return file
    }
    for (const { amount, currency, id, interval, name } of Subscribers.plans)
      yield* crossdock("plan", "add", written(id, { id, name, price: amount / 100, currency, interval }), ...at)
    const empty = { password: "a password of some length", webhook: null, locations: [], buffers: [], skus: null }
    for (const slug of World.slugs)
      yield* crossdock("marketplace", "add", written(slug, { ...world.registrations[slug], ...empty }), ...at)
    const faults: Array<string> = []
    for (const company of World.companies) {
      const [first, second] = [join(folder, `${company}.gz`), join(folder, `${company} there.gz`)]
      yield* crossdock("company", "export", `${company}`, first, "--database", url)
      yield* crossdock("company", "import", first, ...at)
      yield* crossdock("company", "export", `${company}`, second, ...at)
      const [here, there] = [rowsIn(first), new Set(rowsIn(second))]
      const missing = here.filter((row) => !there.has(row))
      if (missing.length > 0 || here.length !== there.size)
        faults.push(`company ${company} moves as ${there.size} of ${here.length} rows, without ${missing.slice(0, 3)}`)
    }
    return faults
  })
