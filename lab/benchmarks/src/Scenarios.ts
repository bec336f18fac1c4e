/** The requests of the benchmarks, and how fast a program answers them. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { address } from "./address.ts"
import type { Contender } from "./Contender.ts"

const data = dirname(createRequire(import.meta.url).resolve("@crossdock/cli/reference.json"))
const retail: ReadonlyArray<{ readonly sku: string }> = JSON.parse(
  await readFile(join(data, "retail-products.json"), "utf8")
)
export const skus = retail.slice(0, 500).map(({ sku }) => sku)

export interface Scenario {
  readonly name: string
  /** The number of records per request. */
  readonly records: number
  readonly requests: number
  /** The number of unmeasured requests before the first round. A new program is half as fast until it is compiled. */
  readonly warmUp: number
  /** The number of concurrent connections. The default is 2. */
  readonly clients?: number
  /** The lowest rate that passes, as a share of the rate of `same`. It is about 0.85 of the lowest measured share. */
  readonly floor: number
  readonly prepare: (contender: Contender, requests: number) => Promise<(nth: number) => Promise<number>>
}

let unique = 0

const stockOf = (quantity: number) => skus.map((sku) => ({ location_id: "BLR1", sku, quantity }))

/** A new order of three lines from one location. */
export const orderBody = (location: string) => {
  const id = `BENCH-${unique++}`
  const lines = [0, 1, 2].map((line) => ({
    external_line_id: String(line),
    sku: skus[(unique * 3 + line) % skus.length],
    quantity: 1,
    esp: 100
  }))
  return {
    external_order_id: id,
    ordering_currency: "INR",
    payment: { mode: "COD" },
    billing_address: address,
    shipping_address: address,
    shipments: [{ external_shipment_id: `${id}-1`, location_id: location, lines }]
  }
}

interface Placed {
  readonly shipments: ReadonlyArray<{ readonly shipment_id: string }>
}

const place = async ({ marketplace }: Contender) => {
  const { body, status } = await marketplace.call<Placed>("POST", "/order/api/v1/bazaar/create", orderBody("BLR1"))
  if (status !== 200) throw new Error(`create answered ${status} ${JSON.stringify(body)}`)
  return body.shipments[0]?.shipment_id ?? ""
}

const stockUp = async ({ seller }: Contender) => {
  await seller.call("PUT", "/ims/v3/inventory", stockOf(1_000_000 + unique++))
}

const confirmBody = async ({ name, seller }: Contender, orderId: string) => {
  if (name !== "crossdock") return [{ orderId }]
  const { body } = await seller.call<
    ReadonlyArray<{ readonly orderItems: ReadonlyArray<{ orderItemId: string; quantity: number }> }>
  >("GET", `/oms/v3/shipment?orderId=${orderId}`)
  return [{ orderId, orderItems: body[0]?.orderItems.map(({ orderItemId, quantity }) => ({ orderItemId, quantity })) }]
}

/** The scenarios, for a database with `seeded` shipments. */
export const scenarios = (seeded: number): ReadonlyArray<Scenario> => [
  {
    name: "bulk stock of 500",
    records: 500,
    requests: 150,
    warmUp: 500,
    floor: 0.53,
    prepare: async ({ seller }) => {
      return async () => (await seller.call("PUT", "/ims/v3/inventory", stockOf(++unique))).status
    }
  },
  {
    name: "one stock record",
    records: 1,
    requests: 1500,
    warmUp: 3000,
    floor: 0.42,
    prepare: async ({ seller }) => {
      return async () => (await seller.call("PUT", "/ims/v3/inventory", stockOf(++unique).slice(0, 1))).status
    }
  },
  {
    name: "order create, 3 lines",
    records: 1,
    requests: 600,
    warmUp: 3000,
    floor: 0.33,
    prepare: async (contender) => {
      await stockUp(contender)
      return async () => {
        await place(contender)
        return 200
      }
    }
  },
  {
    name: "scarce orders",
    records: 1,
    requests: 1000,
    warmUp: 3000,
    floor: 0.31,
    clients: 5,
    prepare: async ({ marketplace, seller }) => {
      await seller.call("PUT", "/ims/v3/inventory", stockOf(5))
      return async () => {
        const { status } = await marketplace.call("POST", "/order/api/v1/bazaar/create", orderBody("BLR1"))
        return status === 409 ? 200 : status
      }
    }
  },
  {
    name: "one lifecycle move",
    records: 1,
    requests: 600,
    warmUp: 3000,
    floor: 0.34,
    prepare: async (contender, requests) => {
      await stockUp(contender)
      const bodies: Array<unknown> = []
      for (let at = 0; at < requests; at++) bodies.push(await confirmBody(contender, await place(contender)))
      return async (nth) => (await contender.seller.call("POST", "/oms/v3/shipment/confirm", bodies[nth])).status
    }
  },
  {
    name: `list of 50 among ${seeded}`,
    records: 1,
    requests: 300,
    warmUp: 600,
    floor: 1.04,
    prepare: async ({ seller }) => {
      return async (nth) =>
        (
          await seller.call(
            "GET",
            `/oms/v3/shipment?orderStatus=CREATED&locationCode=BLR1&pageSize=50&pageNumber=${1 + (nth % 5)}`
          )
        ).status
    }
  }
]

export const usualClients = 2

/** The result of one round: requests per second, and milliseconds per request. */
export interface Round {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Measures one round: `requests` requests, after a fifth as many unmeasured ones. `begin` runs between them. */
export const round = async (
  contender: Contender,
  { clients = usualClients, prepare, requests }: Scenario,
  begin: () => Promise<unknown> = async () => {}
): Promise<Round> => {
  const warm = Math.ceil(requests / 5)
  const ask = await prepare(contender, requests + warm)
  const millis: Array<number> = []
  let next = 0
  const until = async (end: number) => {
    const worker = async () => {
      while (next < end) {
        const from = performance.now()
        const status = await ask(next++)
        millis.push(performance.now() - from)
        if (status !== 200) throw new Error(`${contender.name} answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: clients }, worker))
  }
  await until(warm)
  millis.length = 0
  await begin()
  const from = performance.now()
  await until(requests + warm)
  const perSecond = (requests * 1000) / (performance.now() - from)
  const sorted = millis.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { perSecond, p50: at(0.5), p99: at(0.99) }
}
