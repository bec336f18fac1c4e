/**
 * The retail sample as an endless day. Marketplaces place its invoices as orders, again and again. Sellers fulfil the orders
 * and restock SKUs that are sold out. Every call goes through `@crossdock/client`, which retries safely.
 */
import * as Client from "@crossdock/client/promise"
import * as Sample from "@crossdock/system-tests/demo/Sample"
import type * as Races from "@crossdock/system-tests/races/Races"
import type { Measurements } from "./Measurements.ts"

export interface Options {
  readonly url: string
  /** The slugs of the marketplaces. All have the same password. */
  readonly marketplaces: ReadonlyArray<string>
  readonly password: string
  /** How many orders each marketplace has in progress at the same time. */
  readonly atOnce: number
  readonly measurements: Measurements
}

/** The books of the callers. They are complete once all calls were answered. */
export interface Books {
  readonly acknowledged: Races.Record
  /** The units on hand, by `sku location`. */
  readonly onHand: Map<string, number>
  readonly counts: { orders: number; soldOut: number; delivered: number; cancelled: number; restocked: number }
  /** Wrong answers, as sentences. */
  readonly faults: Array<string>
}

export const newBooks = (): Books => ({
  acknowledged: { orders: new Map(), moves: new Map() },
  onHand: new Map(),
  counts: { orders: 0, soldOut: 0, delivered: 0, cancelled: 0, restocked: 0 },
  faults: []
})

/** A killed host is back within seconds, but a call may fail on several hosts. */
const retry = { times: 60, first: "100 millis", longest: "2 seconds" } as const

/** Every sixth order is cancelled. */
const cancelledOf = 6
const perBulk = 20

/** The initial stock is the units that are ordered in this many days. */
const days = 5
const locations = ["BLR1", "BOM1"]
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

interface Placed {
  readonly id: string
  readonly lines: Sample.Invoice["lines"]
  readonly isCancelled: boolean
}

interface Read extends Placed {
  readonly items: ReadonlyArray<{ readonly orderItemId: string; readonly quantity: number }>
}

/** The outcome of a bulk. It has an outcome for every record. */
type Bulk = Promise<
  Client.Outcome<{ readonly errors: ReadonlyArray<{ readonly index: number; readonly code: string }> }, never>
>

/** Plays until `isOver`. Then it continues until every order is delivered or cancelled. */
export const play = async (
  { atOnce, marketplaces, measurements, password, url }: Options,
  { acknowledged, counts, faults, onHand }: Books,
  isOver: () => boolean
): Promise<void> => {
  const { fetch, timed } = measurements
  const seller = (username: string) => Client.seller({ url, username, password: `${username}-secret`, fetch, retry })
  const [acme, adjusting, bengaluru] = [seller("acme"), seller("acme-adjust"), seller("acme-blr1")]
  const invoices = await Sample.invoices()
  const open = new Map(locations.map((location) => [location, [] as Placed[]]))
  const soldOut = new Map<string, number>()
  let selling = marketplaces.length * atOnce

  const add = (key: string, quantity: number) => onHand.set(key, (onHand.get(key) ?? 0) + quantity)

  /** Sends records. The applied records are added to the books. */
  const send = async <A>(
    operation: string,
    records: ReadonlyArray<A>,
    call: () => Bulk,
    applied: (record: A) => void
  ) => {
    if (records.length === 0) return
    const outcome = await timed(operation, call)
    const rejected = new Map((outcome.ok ? outcome.value.errors : []).map(({ code, index }) => [index, code]))
    records.forEach((record, index) => {
      const code = rejected.get(index)
      if (code === undefined) applied(record)
      else faults.push(`${operation} rejected ${JSON.stringify(record)}: ${code}`)
    })
  }

  const stockUp = async () => {
    const records = [...Sample.demand(invoices)].map(([key, quantity]) => {
      const [sku = "", location_id = ""] = key.split(" ")
      return { sku, location_id, quantity: days * quantity }
    })
    await send(
      "set stock",
      records,
      () => acme.bulk.stock.update(records),
      ({ location_id, quantity, sku }) => add(`${sku} ${location_id}`, quantity)
    )
  }

  const place = async (slug: string, client: ReturnType<typeof Client.marketplace>, nth: number) => {
    const at = nth % invoices.length
    const invoice = invoices[at] as Sample.Invoice
    const external = `${slug}-${nth}`
    const order = { ...Sample.orderOf(invoice, at), external_order_id: external }
    const outcome = await timed("place order", () => client.orders.create({ payload: order }))
    const location = Sample.locationOf(at)
    if (outcome.ok) {
      const ids = outcome.value.shipments.map(({ shipment_id }) => shipment_id)
      acknowledged.orders.set(external, ids)
      counts.orders++
      const isCancelled = invoice.cancellation || nth % cancelledOf === 0
      for (const id of ids) open.get(location)?.push({ id, lines: invoice.lines, isCancelled })
    } else if (outcome.error._tag === "ApiError" && outcome.error.code === "INSUFFICIENT_STOCK") {
      counts.soldOut++
      for (const { quantity, sku } of invoice.lines) soldOut.set(`${sku} ${location}`, quantity)
    } else faults.push(`The order ${external} failed: ${outcome.error.message}`)
  }

  const sell = async (slug: string) => {
    const client = Client.marketplace({ url, slug, username: slug, password, fetch, retry })
    let next = 0
    const one = async () => {
      while (!isOver()) await place(slug, client, next++)
      selling--
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }

  const read = async (client: ReturnType<typeof Client.seller>, placed: Placed): Promise<ReadonlyArray<Read>> => {
    const outcome = await timed("read shipment", () => client.shipments.read({ query: { orderId: placed.id } }))
    const items = outcome.ok ? outcome.value[0]?.orderItems : undefined
    if (items !== undefined) return [{ ...placed, items }]
    faults.push(`The shipment ${placed.id} of an acknowledged order can't be read`)
    return []
  }

  const fulfilSome = async (
    client: ReturnType<typeof Client.seller>,
    location: string,
    some: ReadonlyArray<Placed>
  ) => {
    const all = (await Promise.all(some.map((one) => read(client, one)))).flat()
    const moved = (operation: Races.Operation) => (id: string) => acknowledged.moves.set(`${operation} ${id}`, 1)
    const withItems = ({ id, items }: Read) => ({
      orderId: id,
      orderItems: items.map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
    })
    const cancelled = all.filter(({ isCancelled }) => isCancelled)
    const kept = all.filter(({ isCancelled }) => !isCancelled)
    const { shipments } = client.bulk
    await send(
      "cancel",
      cancelled,
      () => shipments.cancel(cancelled.map(withItems)),
      ({ id }) => {
        moved("cancel")(id)
        counts.cancelled++
      }
    )
    const ids = kept.map(({ id }) => id)
    const step = (operation: Races.Operation, call: () => Bulk) => send(operation, ids, call, moved(operation))
    await step("confirm", () => shipments.confirm(kept.map(withItems)))
    await step("invoice", () =>
      shipments.invoiceUpdate(ids.map((orderId) => ({ orderId, invoiceNumber: `I-${orderId}`, invoiceType: "sale" })))
    )
    await step("pack", () => shipments.pack(ids.map((orderId) => ({ orderId }))))
    await step("dispatch", () => shipments.dispatch(ids.map((orderId) => ({ orderId }))))
    await send(
      "delivered",
      kept,
      () => shipments.status(ids.map((orderId) => ({ orderId, orderStatus: "delivery_done" }))),
      ({ id, lines }) => {
        moved("delivered")(id)
        counts.delivered++
        for (const { quantity, sku } of lines) add(`${sku} ${location}`, -quantity)
      }
    )
  }

  const fulfil = async (client: ReturnType<typeof Client.seller>, location: string) => {
    const queue = open.get(location) ?? []
    while (selling > 0 || queue.length > 0) {
      const some = queue.splice(0, perBulk)
      if (some.length === 0) await pause(50)
      else await fulfilSome(client, location, some)
    }
  }

  const restock = async () => {
    while (selling > 0) {
      const records = [...soldOut].slice(0, 500).map(([key, quantity]) => {
        const [sku = "", location_id = ""] = key.split(" ")
        return { sku, location_id, quantity: 2 * quantity }
      })
      for (const { location_id, sku } of records) soldOut.delete(`${sku} ${location_id}`)
      await send(
        "adjust stock",
        records,
        () => adjusting.bulk.stock.update(records),
        (record) => {
          add(`${record.sku} ${record.location_id}`, record.quantity)
          counts.restocked++
        }
      )
      await pause(200)
    }
  }

  await stockUp()
  await Promise.all([
    ...marketplaces.map(sell),
    // The second seller sees only one location.
    fulfil(acme, "BOM1"),
    fulfil(bengaluru, "BLR1"),
    restock()
  ])
}
