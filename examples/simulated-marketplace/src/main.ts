/**
 * `npm run simulate -- --marketplaces 5 --orders 2000 --database postgres --hosts 3 --disturb`: starts hosts and lets several
 * marketplaces sell the same scarce stock at once.
 */
import "@crossdock/example-node-server/NodeVersion"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import * as Cluster from "@crossdock/example-node-server/Cluster"
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
    database: { type: "string", default: "sqlite" },
    hosts: { type: "string", default: "1" },
    disturb: { type: "boolean", default: false }
  }
})

const data = join(dirname(createRequire(import.meta.url).resolve("@crossdock/example-node-server/Api")), "../data")
const products: ReadonlyArray<{ readonly sku: string }> = JSON.parse(
  await readFile(join(data, "retail-products.json"), "utf8")
)
const report = await run({
  database: Cluster.databaseOf(values.database),
  hosts: Cluster.hostsOf(values.hosts),
  disturb: values.disturb,
  marketplaces: Number(values.marketplaces),
  orders: Number(values.orders),
  rate: Number(values.rate),
  skus: products.slice(0, Number(values.skus)).map(({ sku }) => sku),
  stock: Number(values.stock),
  shipped: Number(values.shipped),
  returned: Number(values.returned)
})
const { differences, ...figures } = report
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
process.stdout.write(differences.length === 0 ? "All books agree\n" : `${differences.slice(0, 20).join("\n")}\n`)
process.exit(differences.length === 0 ? 0 : 1)
