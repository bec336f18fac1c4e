/**
 * Three applications, each with a host of its own, share one PostgreSQL and call at the same time.
 */
import { allOrThrow, Host, type Outcome, orThrow } from "@crossdock/host"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, inject } from "vitest"
import { bazaar, options, orderOf, seller, start } from "./Shop.ts"

const setStock = ({ services }: Host.Host, quantity: number) =>
  allOrThrow(services.inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity }]))

/** How often each outcome occurred: "applied", or the code of the rejection. */
const counted = (outcomes: ReadonlyArray<Outcome<unknown, unknown>>): Record<string, number> => {
  const codes = outcomes.map((outcome) => {
    if (!outcome.ok) return String(Reflect.get(outcome.error as object, "code"))
    const { failures = [] } = outcome.value as { readonly failures?: ReadonlyArray<{ readonly code: string }> }
    return failures[0]?.code ?? "applied"
  })
  return Object.fromEntries(
    [...new Set(codes)].sort().map((code) => [code, codes.filter((one) => one === code).length])
  )
}

describe("Calls of three hosts on one PostgreSQL", () => {
  const scope = Effect.runSync(Scope.make())
  const hosts: Array<Host.Host> = []
  const hostAt = (at: number): Host.Host => hosts[at % hosts.length] as Host.Host

  /** The ids of confirmed shipments of two units each. */
  const confirmedShipments = async (name: string, count: number): Promise<ReadonlyArray<string>> => {
    const { orders, shipments } = hostAt(0).services
    await setStock(hostAt(0), 1000)
    const placed = await Promise.all(
      Array.from({ length: count }, (_, at) => orThrow(orders.place(bazaar, orderOf(`${name}-${at}`))))
    )
    const ids = placed.map(({ shipments: [one] }) => one?.shipmentId ?? "")
    const read = await orThrow(shipments.read(seller, ids))
    await allOrThrow(
      shipments.confirm(
        seller,
        read.map(({ shipment: { id, items } }) => ({
          orderId: id,
          orderItems: items.map((item) => ({ orderItemId: item.id, quantity: item.ordered }))
        }))
      )
    )
    return ids
  }

  beforeAll(async () => {
    const url = await Effect.runPromise(Scope.provide(PostgresDatabase.make(inject("postgres")), scope))
    const storage = Layer.provide(StorageSql.layer, Postgres.layer(url))
    const numbering: Host.Options["numbering"] = {
      papers: ({ kind, location }) => `${kind === "sale" ? "R" : "G"}-${location}-`
    }
    hosts.push((await start({ storage, numbering })).host)
    for (let count = 1; count < 3; count++) hosts.push(await Host.make({ ...options, storage, numbering }))
  })
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.dispose()))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("sell no unit twice: of 60 orders of two units, 20 get the 40 units", async () => {
    await setStock(hostAt(0), 40)
    const orders = Array.from({ length: 60 }, (_, at) =>
      hostAt(at).services.orders.place(bazaar, orderOf(`SCARCE-${at}`))
    )
    deepStrictEqual(counted(await Promise.all(orders)), { INSUFFICIENT_STOCK: 40, applied: 20 })
  })

  it("place an order once, whichever hosts it is sent to", async () => {
    await setStock(hostAt(0), 1000)
    const sent = await Promise.all(
      Array.from({ length: 12 }, (_, at) => orThrow(hostAt(at).services.orders.place(bazaar, orderOf("AGAIN"))))
    )
    deepStrictEqual(new Set(sent.map(({ id }) => id)).size, 1)
  })

  it("use an invoice number once, and an AWB on one open shipment", async () => {
    const ids = await confirmedShipments("NUMBERS", 12)
    const invoices = ids.map((orderId, at) =>
      hostAt(at).services.shipments.invoice(seller, [{ orderId, invoiceNumber: "INV-1", invoiceType: "sale" }])
    )
    deepStrictEqual(counted(await Promise.all(invoices)), { IN422: 11, applied: 1 })
    const awbs = ids.map((orderId, at) =>
      hostAt(at).services.shipments.assignAwb(seller, [
        { orderId, awbNumber: "AWB-1", courierName: "Swift", autoDispatch: false }
      ])
    )
    const { applied, ...rejected } = counted(await Promise.all(awbs))
    assertTrue(applied === 1 && Object.keys(rejected).length === 1, JSON.stringify(rejected))
  })

  it("number invoices of a series without a gap, also in bulks with rejected records", async () => {
    const ids = await confirmedShipments("SERIES", 20)
    const unknown = "00000000000000000000"
    const bulks = [0, 3, 4, 7, 8, 11, 12, 15, 16, 19].map((at, nth) => ids.slice(at, at + (nth % 2 === 0 ? 3 : 1)))
    const outcomes = bulks.map((some, at) => {
      const records = [unknown, ...some].map((orderId) => ({ orderId, invoiceType: "sale" as const }))
      return hostAt(at).services.shipments.invoice(seller, records)
    })
    deepStrictEqual(counted(await Promise.all(outcomes)), { IN400: bulks.length })
    const read = await orThrow(hostAt(0).services.shipments.read(seller, ids))
    const numberById = new Map(read.map(({ shipment: { id, invoice } }) => [id, Number(invoice?.number.slice(7))]))
    const numbers = bulks.map((some) => some.map((id) => numberById.get(id) ?? 0))
    deepStrictEqual(
      numbers.flat().sort((a, b) => a - b),
      ids.map((_, at) => at + 1)
    )
    // The records of a request are numbered in their order, with none of another request between.
    for (const [first = 0, ...more] of numbers)
      deepStrictEqual(
        more,
        more.map((_, at) => first + at + 1)
      )
  })

  it("confirm a shipment once, of twelve that arrive together", async () => {
    await setStock(hostAt(0), 1000)
    const { services } = hostAt(0)
    const { shipments } = await orThrow(services.orders.place(bazaar, orderOf("CONFIRMED-ONCE")))
    const orderId = shipments[0]?.shipmentId ?? ""
    const [read] = await orThrow(services.shipments.read(seller, [orderId]))
    const orderItems = (read?.shipment.items ?? []).map(({ id, ordered }) => ({ orderItemId: id, quantity: ordered }))
    const confirms = Array.from({ length: 12 }, (_, at) =>
      hostAt(at).services.shipments.confirm(seller, [{ orderId, orderItems }])
    )
    await Promise.all(confirms)
    const [after] = await orThrow(services.shipments.read(seller, [orderId]))
    deepStrictEqual(
      after?.shipment.events.map(({ status }) => status),
      ["placed", "bag_confirmed"]
    )
  })
})
