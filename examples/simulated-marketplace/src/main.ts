/**
 * `npm run simulate -- --marketplaces 5 --orders 2000`: starts a host and lets several marketplaces sell the same scarce
 * stock at once.
 */
import "@crossdock/example-node-server/NodeVersion"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { run } from "./Simulation.ts"

const { values } = parseArgs({
  options: {
    marketplaces: { type: "string", default: "5" },
    orders: { type: "string", default: "200" },
    rate: { type: "string", default: "0" },
    skus: { type: "string", default: "40" },
    stock: { type: "string", default: "20" },
    shipped: { type: "string", default: "20" },
    returned: { type: "string", default: "5" },
    database: { type: "string" }
  }
})

const data = join(dirname(createRequire(import.meta.url).resolve("@crossdock/example-node-server/Api")), "../data")
const products: ReadonlyArray<{ readonly sku: string }> = JSON.parse(
  await readFile(join(data, "retail-products.json"), "utf8")
)
const folder = await mkdtemp(join(tmpdir(), "crossdock-simulation-"))
const report = await run({
  databaseUrl: values.database ?? `sqlite:${join(folder, "crossdock.db")}`,
  marketplaces: Number(values.marketplaces),
  orders: Number(values.orders),
  rate: Number(values.rate),
  skus: products.slice(0, Number(values.skus)).map(({ sku }) => sku),
  stock: Number(values.stock),
  shipped: Number(values.shipped),
  returned: Number(values.returned)
})
await rm(folder, { recursive: true, force: true })
const { differences, ...figures } = report
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
process.stdout.write(differences.length === 0 ? "All books agree\n" : `${differences.slice(0, 20).join("\n")}\n`)
process.exit(differences.length === 0 ? 0 : 1)
