import { join } from "node:path"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "./TemporaryFolder.ts"
import { useHost } from "./TestHost.ts"
import { line, order, type Problem, place, shipment, shipmentOf } from "./TestOrders.ts"

const file = join(temporaryFolder(), "crossdock.db")
const host = useHost({ database: file })

const change = (statement: string) => {
  const database = new Database(file)
  database.exec(statement)
  database.close()
}

const stock = [{ location_id: "BLR1", sku: "85123A", quantity: 10 }]

describe("a host whose database was damaged", () => {
  it("answers 500 INTERNAL_SERVER_ERROR without internal details, and keeps serving", async () => {
    await host.acme.call("PUT", "/ims/v3/inventory", stock)
    const placed = await place(host.bazaar, order([shipmentOf([line("85123A")])]))
    const id = placed.shipments[0]?.shipment_id ?? ""
    change(`UPDATE crossdock_shipments SET body = '{"secret-of-the-body": ' WHERE id = '${id}'`)
    const read = await host.acme.call<Problem>("GET", `${shipment}?orderId=${id}`)
    strictEqual(read.status, 500)
    deepStrictEqual(Object.keys(read.body).sort(), ["code", "message", "request_id"])
    strictEqual(read.body.code, "INTERNAL_SERVER_ERROR")
    const text = JSON.stringify(read.body)
    for (const leak of ["secret-of", "JSON", "Syntax", "SELECT", "crossdock_", ".ts", ".js", "Error:"]) {
      expect(text).not.toContain(leak)
    }
    strictEqual((await host.acme.call("PUT", "/ims/v3/inventory", stock)).status, 200)
  })

  it("answers 503 STORAGE_UNAVAILABLE with Retry-After if a statement can't run, and changes nothing", async () => {
    const before = await host.acme.call("GET", "/ims/v3/listings?skus=85123A")
    change("ALTER TABLE crossdock_movements RENAME TO crossdock_movements_away")
    const write = await host.acme.call<Problem>("PUT", "/ims/v3/inventory", [{ ...stock[0], quantity: 77 }])
    change("ALTER TABLE crossdock_movements_away RENAME TO crossdock_movements")
    deepStrictEqual([write.status, write.body.code, write.headers["retry-after"]], [503, "STORAGE_UNAVAILABLE", "1"])
    expect(JSON.stringify(write.body)).not.toContain("crossdock_")
    const after = await host.acme.call<{ readonly data: unknown }>("GET", "/ims/v3/listings?skus=85123A")
    deepStrictEqual(after.body.data, (before.body as typeof after.body).data)
  })
})

describe("a storage that does not answer", () => {
  it("makes readiness 503 within 2 seconds and leaves liveness alone, until it answers again", async () => {
    const other = new Database(file)
    other.exec("BEGIN IMMEDIATE")
    const write = host.acme.call("PUT", "/ims/v3/inventory", stock)
    const ready = () => host.acme.call<Problem>("GET", "/health/ready")
    await expect.poll(async () => (await ready()).status).toBe(503)
    const asked = performance.now()
    const answer = ready()
    strictEqual((await host.acme.call("GET", "/health/live")).status, 200)
    strictEqual((await answer).body.code, "STORAGE_UNAVAILABLE")
    expect(performance.now() - asked).toBeLessThan(2000)
    other.exec("COMMIT")
    other.close()
    strictEqual((await write).status, 200)
    strictEqual((await ready()).status, 200)
  })
})

interface Readiness {
  readonly status: string
  readonly workers: ReadonlyArray<{ readonly name: string; readonly state: string; readonly since: string }>
}

const stateOf = async (name: string) => {
  const { body, status } = await host.acme.call<Readiness>("GET", "/health/ready")
  strictEqual(status, 200)
  return body.workers.find((one) => one.name === name)?.state
}

const metric = async (name: string, worker: string) => {
  const { text } = await host.send("GET", "/metrics")
  return Number(new RegExp(`^${name}\\{worker="${worker}"\\} (\\S+)$`, "m").exec(text)?.[1])
}

describe("a host whose background work fails", () => {
  it("stays ready, logs and counts the failures, and recovers on its own", async () => {
    for (const name of ["billing", "idempotency"]) strictEqual(await stateOf(name), "working")
    const failures = await metric("crossdock_worker_failures_total", "billing")
    const success = await metric("crossdock_worker_last_success_timestamp_seconds", "billing")
    expect(Math.abs(success - Date.now() / 1000)).toBeLessThan(60)
    change("ALTER TABLE crossdock_agreements RENAME TO crossdock_agreements_away")
    await expect.poll(() => stateOf("billing")).toBe("failing")
    expect(await metric("crossdock_worker_failures_total", "billing")).toBeGreaterThan(failures)
    strictEqual(await stateOf("idempotency"), "working")
    change("ALTER TABLE crossdock_agreements_away RENAME TO crossdock_agreements")
    await expect.poll(() => stateOf("billing")).toBe("working")
    const again = await metric("crossdock_worker_last_success_timestamp_seconds", "billing")
    expect(again).toBeGreaterThan(success)
  })
})
