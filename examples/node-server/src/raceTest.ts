/**
 * `npm run race-test`: concurrent bulks of cancel, confirm, pack, status and others on the same shipments, then of returns
 * and quality checks, through two hosts on one SQLite database. Afterwards every history must be legal, and stock, units
 * and audit trail must be consistent. Arguments: the number of races (10,000 by default) and a seed.
 */
import "./NodeVersion.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Api from "./Api.ts"
import * as HostProcess from "./HostProcess.ts"
import * as Random from "./Random.ts"
import * as Laws from "./races/Laws.ts"
import * as Races from "./races/Races.ts"

const count = Number(process.argv[2] ?? 10_000)
const seed = Number(process.argv[3] ?? 1)
const folder = await mkdtemp(join(tmpdir(), "crossdock-race-"))
const file = join(folder, "race.db")
const environment = { DATABASE_URL: `sqlite:${file}`, SANDBOX: "1" }

const first = await HostProcess.start(environment)
const second = await HostProcess.start(environment)
const hosts = await Promise.all(
  [first, second].map(async ({ url }) => ({ seller: await Api.seller(url), marketplace: await Api.marketplace(url) }))
)
const [one] = hosts
if (one !== undefined) await Races.stock(one, 1_000_000)
const started = performance.now()
const { acknowledged, races, requests } = await Races.run(hosts, count, Random.make(seed), "RACE")
const seconds = (performance.now() - started) / 1000
for (const { marketplace, seller } of hosts) {
  seller.close()
  marketplace.close()
}
await Promise.all([first.stop(), second.stop()])
const faults = await Laws.faults(file, acknowledged)
await rm(folder, { recursive: true })
for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`)
process.stdout.write(
  `${races} races in ${requests} requests at once over 2 hosts, ${seconds.toFixed(1)} s, seed ${seed}: ${faults.length} faults\n`
)
process.exit(faults.length === 0 && races >= count ? 0 : 1)
