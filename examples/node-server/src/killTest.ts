/**
 * `npm run kill-test -- 100 --database postgres`: kills the host with SIGKILL during bulk stock writes, many times.
 *
 * Each request sets every SKU of a location to one number, higher than that of the request before. After a restart all
 * SKUs of a location must therefore have the same number (nothing half applied), at least the last acknowledged one
 * (nothing lost). Argument: the number of kills, 100 by default.
 */
import "./NodeVersion.ts"
import { parseArgs } from "node:util"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as Sample from "./demo/Sample.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { database: { type: "string", default: "sqlite" } }
})
const kills = Number(positionals[0] ?? 100)
const locations = ["BLR1", "BOM1"]
const cluster = await Cluster.start(Cluster.databaseOf(values.database), 1)
const skus = (await Sample.products()).slice(0, 500).map(({ sku }) => sku)

/** The last number sent and the last acknowledged, by location. */
const sent = new Map(locations.map((location) => [location, 0]))
const acknowledged = new Map(locations.map((location) => [location, 0]))

/**
 * Writes to one location until the host dies.
 */
const write = async (api: Api.Api, location: string): Promise<void> => {
  for (;;) {
    const quantity = (sent.get(location) ?? 0) + 1
    sent.set(location, quantity)
    const records = skus.map((sku) => ({ location_id: location, sku, quantity }))
    const answer = await api.call<{ readonly data: { readonly failed_count: number } }>(
      "PUT",
      "/ims/v3/inventory",
      records
    )
    if (answer.status !== 200 || answer.body.data.failed_count > 0) throw new Error(`answered ${answer.status}`)
    acknowledged.set(location, quantity)
  }
}

const quantities = async (api: Api.Api, location: string): Promise<ReadonlySet<number>> => {
  const found: Array<number> = []
  for (let page = 1; ; page++) {
    const { body } = await api.call<{
      readonly data: ReadonlyArray<{ readonly location_id: string; readonly quantity: number }>
    }>("GET", `/ims/v3/listings?page_size=500&page_no=${page}`)
    found.push(...body.data.filter((row) => row.location_id === location).map((row) => row.quantity))
    if (body.data.length < 500) return new Set(found)
  }
}

let lost = 0
let halfApplied = 0
let requests = 0
for (let kill = 0; kill <= kills; kill++) {
  const api = await Api.seller(cluster.hosts[0]?.url ?? "")
  for (const location of locations) {
    const found = await quantities(api, location)
    const highest = Math.max(0, ...found)
    const least = acknowledged.get(location) ?? 0
    if (found.size > 1) halfApplied++
    if (highest < least) lost += (least - highest) * skus.length
    if (highest > (sent.get(location) ?? 0)) halfApplied++
  }
  if (kill === kills) break
  const writers = locations.map((location) => write(api, location).catch(() => undefined))
  await new Promise((resolve) => setTimeout(resolve, 40 + Math.random() * 160))
  await cluster.replace(0)
  await Promise.all(writers)
  api.close()
  if ((kill + 1) % 10 === 0) process.stdout.write(`${kill + 1} kills\n`)
}
for (const number of acknowledged.values()) requests += number
await cluster.stop()
process.stdout.write(
  `${kills} kills on ${values.database}, ${requests} requests acknowledged: ${lost} acknowledged records lost, ${halfApplied} requests half applied\n`
)
process.exit(lost + halfApplied === 0 && requests > 0 ? 0 : 1)
