import { join } from "node:path"
import { beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as Abort from "../src/Abort.ts"
import * as Api from "../src/Api.ts"
import * as Cluster from "../src/Cluster.ts"
import * as Random from "../src/Random.ts"
import * as Laws from "../src/races/Laws.ts"
import * as Races from "../src/races/Races.ts"
import { useHost } from "./TestHost.ts"

/** Each removes or adds something, with the fault that the laws must find. */
const tamperings: ReadonlyArray<readonly [statement: string, fault: RegExp]> = [
  ["DELETE FROM crossdock_orders", /has no order/],
  [
    "DELETE FROM crossdock_shipments WHERE id IN (SELECT id FROM crossdock_shipments WHERE forward_id = id LIMIT 1)",
    /of order .* is missing/
  ],
  ["DELETE FROM crossdock_shipments WHERE forward_id <> id", /has audit records and is missing/],
  ["DELETE FROM crossdock_shipment_counts", /a count of shipments is wrong/],
  [
    `INSERT INTO crossdock_shipment_counts (company_id, order_status, location, day, marketplace, total)
      VALUES (1, 'CREATED', 'NOWHERE', 1, 'bazaar', 1)`,
    /a count of shipments is wrong/
  ],
  ["DELETE FROM crossdock_movements", /a level is not the sum/],
  ["DELETE FROM crossdock_levels", /a level is not the sum/],
  ["DELETE FROM crossdock_audit_records", /the audit trail of/],
  ["DELETE FROM crossdock_events", /has 0 batches of events/],
  [
    `UPDATE crossdock_shipments SET body = replace(body, '"status":"bag_confirmed"', '"status":"placed"')`,
    /confirm of/
  ],
  [`UPDATE crossdock_shipments SET body = replace(body, '"good":1', '"good":0')`, /good quality check of/],
  [`UPDATE crossdock_shipments SET body = replace(body, '"bad":1', '"bad":0')`, /bad quality check of/]
]

describe("concurrent moves of the same shipments", () => {
  const folder = temporaryFolder()
  const file = join(folder, "races.db")
  const host = useHost(() => ({ databaseUrl: `sqlite:${file}` }))

  let acknowledged: Races.Acknowledged = Races.record()
  let races = 0
  const resent: Cluster.Resent = { count: 0 }
  const aborts = Abort.make(Random.make(9), 0.1)
  beforeAll(async () => {
    const client = (signIn: typeof Api.seller) => Cluster.persistent({ hosts: [host] }, 0, signIn, resent, aborts)
    const sides = { seller: client(Api.seller), marketplace: client(Api.marketplace) }
    await Races.stock(sides, 100_000)
    ;({ acknowledged, races } = await Races.run([sides], 1500, Random.make(7), "RACE"))
    sides.seller.close()
    sides.marketplace.close()
  })

  it("leave legal histories that match the acknowledged requests, and break no law", async () => {
    deepStrictEqual(await Laws.faults(`sqlite:${file}`, acknowledged), [])
    const times = (operation: string) =>
      [...acknowledged.moves.keys()].filter((key) => key.startsWith(`${operation} `)).length
    assertTrue(races >= 1500)
    assertTrue(aborts.count > 20 && resent.count === 0)
    for (const operation of [
      "confirm",
      "cancel",
      "cancelPart",
      "pack",
      "customer",
      "returnSome",
      "lost",
      "good",
      "bad"
    ])
      assertTrue(times(operation) > 0, operation)
  })

  it("break a law when an answer is not what happened", async () => {
    const missing = new Map([...acknowledged.orders, ["NEVER-PLACED", ["1"]] as const])
    const oneMore = (operation: string) =>
      new Map([...acknowledged.moves].map(([key, count]) => [key, key.startsWith(operation) ? count + 1 : count]))
    const found = (claimed: Races.Acknowledged) => Laws.faults(`sqlite:${file}`, claimed)
    assertTrue((await found({ ...acknowledged, orders: missing })).some((fault) => fault.includes("NEVER-PLACED")))
    for (const operation of ["confirm", "cancel", "pack", "good", "bad"])
      assertTrue((await found({ ...acknowledged, moves: oneMore(operation) })).length > 0, operation)
    const none = await found({ ...acknowledged, moves: new Map() })
    for (const name of ["confirm", "cancel", "delivery_done", "bag_lost", "units of returns", "return_bag_delivered"])
      assertTrue(
        none.some((fault) => fault.startsWith(name)),
        name
      )
  })

  it("break a law when anything stored is missing, added or changed", async () => {
    for (const [at, [statement, fault]] of tamperings.entries()) {
      const copy = join(folder, `tampered-${at}.db`)
      const source = new Database(file, { readonly: true })
      source.prepare("VACUUM INTO ?").run(copy)
      source.close()
      const tampered = new Database(copy)
      tampered.pragma("foreign_keys = OFF")
      tampered.exec(statement)
      tampered.close()
      const faults = await Laws.faults(`sqlite:${copy}`, acknowledged)
      assertTrue(
        faults.some((one) => fault.test(one)),
        `${statement}: ${faults.slice(0, 3).join("; ")}`
      )
    }
  })
})
