/** `npm run demo` plays the retail sample over HTTP, on a host with a new database. */
import "@crossdock/cli/NodeVersion"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Api from "./Api.ts"
import * as Conservation from "./demo/Conservation.ts"
import * as Receiver from "./demo/Receiver.ts"
import * as Sample from "./demo/Sample.ts"
import * as Story from "./demo/Story.ts"
import * as HostProcess from "./HostProcess.ts"

const secret = "whsec_ZGVtby13ZWJob29rLXNlY3JldC1kZW1v"
const spare = 3

const started = performance.now()
const seconds = () => (performance.now() - started) / 1000
const say = (line: string) => process.stdout.write(`${seconds().toFixed(1).padStart(6)} s  ${line}\n`)

const folder = await mkdtemp(join(tmpdir(), "crossdock-demo-"))
const database = `sqlite:${join(folder, "demo.db")}`
const receiver = await Receiver.start(secret)
const host = await HostProcess.start({
  DATABASE_URL: database,
  SANDBOX: "1",
  SANDBOX_WEBHOOK_URL: receiver.url,
  SANDBOX_WEBHOOK_SECRET: secret
})
say(`host on ${host.url}, SQLite in a temporary folder`)

const tally = Story.newTally()
const products = await Sample.products()
const invoices = await Sample.invoices()
const demand = Sample.demand(invoices)
const seller = await Api.seller(host.url)
const bazaar = await Api.marketplace(host.url)

const bulkFrom = performance.now()
await Story.stockUp(seller, tally, products, demand, spare)
const bulkSeconds = (performance.now() - bulkFrom) / 1000
say(`${products.length} SKUs at 2 locations: ${tally.records} price and stock records`)
const placed = await Story.placeOrders(bazaar, tally, invoices)
say(`${tally.orders} orders placed by the marketplace`)
const [first] = products
if (first !== undefined) await Story.oversell(bazaar, tally, first.sku, "BLR1", spare)
await Story.fulfil(seller, tally, placed, say)

// Delivered units have left the stock, and cancelled units are back in stock.
const left = new Map(products.flatMap(({ sku }) => ["BLR1", "BOM1"].map((location) => [`${sku} ${location}`, spare])))
for (const [at, { cancellation, lines }] of invoices.entries()) {
  for (const { quantity, sku } of cancellation ? lines : []) {
    const key = `${sku} ${Sample.locationOf(at)}`
    left.set(key, (left.get(key) ?? 0) + quantity)
  }
}
await Story.untilNotified(receiver, left, tally)
say(`the marketplace received ${receiver.counts.events} stock events and agrees with the seller`)

seller.close()
bazaar.close()
const exitCode = await host.stop()
if (exitCode !== 0) tally.faults.push(`The host ended with ${exitCode}\n${host.log()}`)
receiver.close()
const broken = await Conservation.faults(database, left)
tally.faults.push(...broken)
await rm(folder, { recursive: true })

const row = (name: string, value: string | number) => process.stdout.write(`  ${name.padEnd(28)}${value}\n`)
process.stdout.write("\n")
row("SKUs", products.length)
row("price and stock records", `${tally.records} (${Math.round(tally.records / bulkSeconds)} per second)`)
row("orders", `${tally.orders} (${tally.delivered} delivered, ${tally.cancelled} cancelled)`)
row("moves", tally.moves)
row("stock events received", `${receiver.counts.events} in ${receiver.counts.requests} requests`)
for (const [reason, count] of tally.rejected) row("rejected", `${count} ${reason}`)
row("units lost or made", broken.length === 0 ? "none" : `${broken.length} DIFFERENCES`)
row("seconds", seconds().toFixed(1))
for (const fault of tally.faults) process.stderr.write(`FAULT: ${fault}\n`)
process.exit(tally.faults.length === 0 ? 0 : 1)
