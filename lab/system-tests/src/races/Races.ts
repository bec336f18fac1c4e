/** Races: concurrent bulks of different moves for the same shipments, in random order, sent to several hosts. */
import type * as Api from "../Api.ts"
import type { Random } from "../Random.ts"

export const shuffled = <A>(draw: Random, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => [draw(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)

/** A host, with a seller and a marketplace that are signed in. */
export interface Host {
  readonly seller: Api.Api
  readonly marketplace: Api.Api
}

interface Line {
  readonly id: string
  readonly quantity: number
}

interface Subject {
  readonly id: string
  readonly lines: ReadonlyArray<Line>
}

/** The orders and moves that hosts acknowledged. */
export interface Acknowledged {
  /** The shipments of each order, by its external id. */
  readonly orders: ReadonlyMap<string, ReadonlyArray<string>>
  /** How often each operation was acknowledged, by `operation shipment`. */
  readonly moves: ReadonlyMap<string, number>
}

/** A record of acknowledged orders and moves. It matches the database whenever no request is in flight. */
export interface Record {
  readonly orders: Map<string, ReadonlyArray<string>>
  readonly moves: Map<string, number>
}

export const record = (): Record => ({ orders: new Map(), moves: new Map() })

/** A copy of the record as it is now. */
export const until = ({ moves, orders }: Record): Acknowledged => ({ orders: new Map(orders), moves: new Map(moves) })

const skus = ["85123A", "71053", "84406B"]
const perBulk = 20

const address = {
  name: "A Customer",
  phone: "1",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const ask = async <A>(api: Api.Api, method: string, path: string, body: unknown): Promise<A> => {
  const answer = await api.call<A>(method, path, body)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const stock = (host: Host, quantity: number) =>
  ask(
    host.seller,
    "PUT",
    "/ims/v3/inventory",
    skus.map((sku) => ({ location_id: "BLR1", sku, quantity }))
  )

interface Read {
  readonly shipments: ReadonlyArray<{
    readonly shipment_id: string
    readonly bags: ReadonlyArray<{ readonly bag_id: string; readonly quantity: number }>
  }>
}

const read = async (host: Host, orderId: string): Promise<ReadonlyArray<Subject>> =>
  (
    await ask<Read>(host.marketplace, "GET", `/order/api/v1/bazaar/order?platform_order_id=${orderId}`, undefined)
  ).shipments.map((one) => ({
    id: one.shipment_id,
    lines: one.bags.flatMap((bag) => (bag.quantity > 0 ? [{ id: bag.bag_id, quantity: bag.quantity }] : []))
  }))

interface Placed {
  readonly platform_order_id: string
  readonly shipments: ReadonlyArray<{ readonly shipment_id: string }>
}

const place = (host: Host, name: string, draw: Random) =>
  ask<Placed>(host.marketplace, "POST", "/order/api/v1/bazaar/create", {
    external_order_id: name,
    ordering_currency: "INR",
    payment: { mode: "PREPAID" },
    billing_address: address,
    shipping_address: address,
    shipments: Array.from({ length: perBulk }, (_, at) => ({
      external_shipment_id: `${at}`,
      location_id: "BLR1",
      lines: shuffled(draw, skus)
        .slice(0, 1 + Math.floor(draw() * 2))
        .map((sku) => ({ sku, quantity: 1 + Math.floor(draw() * 3), esp: 100 }))
    }))
  })

const all = ({ lines }: Subject) => lines.map(({ id, quantity }) => ({ orderItemId: id, quantity }))
const some = ({ lines }: Subject) => lines.slice(0, 1).map(({ id }) => ({ orderItemId: id, quantity: 1 }))
const seller = "/oms/v3/shipment"
const bazaar = "/order/api/v1/bazaar"

/** The operations on a shipment, each with its path and its record. */
const operations = {
  confirm: { path: `${seller}/confirm`, record: (one: Subject) => ({ orderId: one.id, orderItems: all(one) }) },
  cancel: { path: `${seller}/cancel`, record: (one: Subject) => ({ orderId: one.id, orderItems: all(one) }) },
  cancelPart: { path: `${seller}/cancel`, record: (one: Subject) => ({ orderId: one.id, orderItems: some(one) }) },
  invoice: {
    path: `${seller}/invoiceUpdate`,
    record: ({ id }: Subject) => ({ orderId: id, invoiceType: "sale", invoiceNumber: `I-${id}` })
  },
  pack: { path: `${seller}/pack`, record: ({ id }: Subject) => ({ orderId: id }) },
  dispatch: { path: `${seller}/dispatch`, record: ({ id }: Subject) => ({ orderId: id }) },
  picked: { path: `${seller}/status`, record: ({ id }: Subject) => ({ orderId: id, orderStatus: "bag_picked" }) },
  delivered: { path: `${seller}/status`, record: ({ id }: Subject) => ({ orderId: id, orderStatus: "delivery_done" }) },
  rto: { path: `${seller}/status`, record: ({ id }: Subject) => ({ orderId: id, orderStatus: "rto_bag_delivered" }) },
  backOnTheWay: {
    path: `${seller}/status`,
    record: ({ id }: Subject) => ({ orderId: id, orderStatus: "return_bag_in_transit" })
  },
  back: {
    path: `${seller}/status`,
    record: ({ id }: Subject) => ({ orderId: id, orderStatus: "return_bag_delivered" })
  },
  deadstock: { path: `${seller}/status`, record: ({ id }: Subject) => ({ orderId: id, orderStatus: "deadstock" }) },
  lost: { path: `${seller}/status`, record: ({ id }: Subject) => ({ orderId: id, orderStatus: "bag_lost" }) },
  good: { path: `${seller}/return`, record: (one: Subject) => ({ orderId: one.id, orderItems: some(one) }) },
  bad: { path: `${seller}/return?badQc=true`, record: ({ id }: Subject) => ({ orderId: id }) },
  customer: {
    path: `${bazaar}/status`,
    record: ({ id }: Subject) => ({ order_id: id, isSelfShip: true, status: "cancelled_customer" })
  },
  returnSome: {
    path: `${bazaar}/status`,
    record: (one: Subject) => ({
      order_id: one.id,
      isSelfShip: true,
      status: "return_initiated",
      meta: { items: some(one) }
    })
  },
  returnAll: {
    path: `${bazaar}/status`,
    record: ({ id }: Subject) => ({ order_id: id, isSelfShip: true, status: "return_initiated" })
  }
} as const

export type Operation = keyof typeof operations

interface Outcome {
  readonly errors?: ReadonlyArray<{ readonly index: number }>
  readonly data?: { readonly errors: ReadonlyArray<{ readonly index: number }> }
}

const send = async (
  host: Host,
  operation: Operation,
  subjects: ReadonlyArray<Subject>,
  { moves }: Record
): Promise<void> => {
  const { path, record } = operations[operation]
  const isMarketplace = path.startsWith(bazaar)
  const method = path.endsWith("/status") ? "PUT" : "POST"
  for (let from = 0; from < subjects.length; from += perBulk) {
    const bulk = subjects.slice(from, from + perBulk)
    const records = bulk.map((one): object => record(one))
    const outcome = await ask<Outcome>(isMarketplace ? host.marketplace : host.seller, method, path, records)
    const rejected = new Set((outcome.errors ?? outcome.data?.errors ?? []).map(({ index }) => index))
    bulk.forEach(({ id }, index) => {
      const key = `${operation} ${id}`
      if (!rejected.has(index)) moves.set(key, (moves.get(key) ?? 0) + 1)
    })
  }
}

/** The moves that race on the way to the customer. Returns race in three rounds: opening, journey, and quality check. */
const forward = ["confirm", "cancel", "cancelPart", "invoice", "pack", "picked", "customer"] as const
const homeward = [
  ["returnSome", "returnSome", "returnAll"],
  ["backOnTheWay", "back", "lost"],
  ["good", "good", "bad", "bad", "deadstock"]
] as const

/** Runs races on `count` shipments, twenty at a time: half on the way to the customer, half on the way back. */
export const run = async (
  hosts: ReadonlyArray<Host>,
  count: number,
  draw: Random,
  name: string,
  acknowledged: Record = record()
): Promise<{ readonly races: number; readonly requests: number; readonly acknowledged: Acknowledged }> => {
  let requests = 0
  let races = 0
  const pick = () => hosts[Math.floor(draw() * hosts.length)] as Host
  const race = async (wanted: ReadonlyArray<Operation>, subjects: ReadonlyArray<Subject>) => {
    requests += wanted.length
    races += subjects.length
    await Promise.all(
      shuffled(draw, wanted).map((operation) => send(pick(), operation, shuffled(draw, subjects), acknowledged))
    )
  }
  const inTurn = async (wanted: ReadonlyArray<Operation>, subjects: ReadonlyArray<Subject>) => {
    for (const operation of wanted) await send(pick(), operation, subjects, acknowledged)
  }
  for (let round = 0; races < count; round++) {
    const external = `${name}-${round}`
    const { platform_order_id, shipments } = await place(pick(), external, draw)
    acknowledged.orders.set(
      external,
      shipments.map(({ shipment_id }) => shipment_id)
    )
    const subjects = await read(pick(), platform_order_id)
    const begun: ReadonlyArray<Operation> = ["confirm", "invoice", "pack"]
    if (round % 2 === 0) {
      await inTurn(begun.slice(0, Math.floor(draw() * 4)), subjects)
      await race(shuffled(draw, [...forward, ...forward]).slice(0, 4 + Math.floor(draw() * 11)), subjects)
      continue
    }
    await inTurn([...begun, "dispatch", draw() < 0.8 ? "delivered" : "rto"], subjects)
    for (const wanted of homeward) {
      await race(wanted, await read(pick(), platform_order_id))
      await inTurn(["backOnTheWay", "back"], draw() < 0.5 ? [] : await read(pick(), platform_order_id))
    }
  }
  return { races, requests, acknowledged }
}
