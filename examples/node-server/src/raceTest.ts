/**
 * `npm run race-test -- 10000 1 --database postgres --hosts 3 --disturb`: concurrent bulks of cancel, confirm, pack, status
 * and others on the same shipments, then of returns and quality checks, through several hosts on one database. Afterwards
 * every history must be legal, every acknowledged request done exactly once, and stock, units and audit trail consistent.
 *
 * Arguments: the number of races (10,000 by default) and a seed. `--disturb` kills hosts and ends the database's sessions
 * meanwhile; without it, an answer of 503 is a fault.
 */
import "./NodeVersion.ts"
import { parseArgs } from "node:util"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as Random from "./Random.ts"
import * as Laws from "./races/Laws.ts"
import * as Races from "./races/Races.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: "string", default: "sqlite" },
    hosts: { type: "string", default: "2" },
    disturb: { type: "boolean", default: false }
  }
})
const [count = 10_000, seed = 1] = positionals.map(Number)
const database = Cluster.databaseOf(values.database)

const cluster = await Cluster.start(database, Cluster.hostsOf(values.hosts))
const resent: Cluster.Resent = { count: 0 }
const hosts = cluster.hosts.map((_, nth) => ({
  seller: Cluster.persistent(cluster, nth, Api.seller, resent),
  marketplace: Cluster.persistent(cluster, nth, Api.marketplace, resent)
}))
const [one] = hosts
if (one !== undefined) await Races.stock(one, 1_000_000)
const settle = values.disturb ? Cluster.disturb(cluster, 1_000, Random.make(seed + 1)) : undefined
const started = performance.now()
const { acknowledged, races, requests } = await Races.run(hosts, count, Random.make(seed), "RACE")
const seconds = (performance.now() - started) / 1000
const disturbances = (await settle?.()) ?? Cluster.undisturbed
for (const { marketplace, seller } of hosts) {
  seller.close()
  marketplace.close()
}
const faults = [
  ...(await Laws.faults(cluster.url, acknowledged)),
  ...(values.disturb || resent.count === 0 ? [] : [`${resent.count} requests were answered 503`])
]
await cluster.stop()
for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`)
process.stdout.write(
  `${races} races in ${requests} requests at once over ${hosts.length} hosts on ${database}, ${seconds.toFixed(1)} s, seed ${seed}; ` +
    `${disturbances.hostsKilled} hosts killed, sessions ended ${disturbances.sessionsEnded} times, ` +
    `${disturbances.databaseCrashes} crashes of the database, ${resent.count} requests sent again: ${faults.length} faults\n`
)
process.exit(faults.length === 0 && races >= count ? 0 : 1)
