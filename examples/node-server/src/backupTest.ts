/**
 * `npm run backup-test -- 500 --database postgres`: copies the database several times while two hosts write to it, as
 * docs/guides/back-up.md says, and starts hosts from each copy. Every law must be true of each copy, an order that was
 * acknowledged before the copy began must be in it, and the hosts must take up work on it. Argument: the number of races.
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
  options: { database: { type: "string", default: "sqlite" } }
})
const count = Number(positionals[0] ?? 500)
const database = Cluster.databaseOf(values.database)
const copies = 3

const sidesOf = async ({ hosts }: Cluster.Cluster) =>
  Promise.all(
    hosts.map(async ({ url }) => ({ seller: await Api.seller(url), marketplace: await Api.marketplace(url) }))
  )

const close = (sides: Awaited<ReturnType<typeof sidesOf>>) => {
  for (const { marketplace, seller } of sides) {
    seller.close()
    marketplace.close()
  }
}

const faults: Array<string> = []

/** Plays races on a cluster that began from a copy, then checks every law. */
const restored = async (backup: Cluster.Backup, before: string) => {
  const cluster = await Cluster.start(database, 1, backup)
  const sides = await sidesOf(cluster)
  if (!(await Laws.hasOrder(cluster.url, before)))
    faults.push(`${before} was acknowledged before the copy and is not in it`)
  faults.push(...(await Laws.faults(cluster.url)))
  await Races.run(sides, 60, Random.make(2), `RESTORED-${before}`)
  faults.push(...(await Laws.faults(cluster.url)))
  close(sides)
  await cluster.stop()
}

const cluster = await Cluster.start(database, 2)
const sides = await sidesOf(cluster)
const [one] = sides
if (one !== undefined) await Races.stock(one, 1_000_000)
let millis = 0
for (let copy = 0; copy < copies; copy++) {
  const name = `BEFORE-${copy}`
  await Races.run(sides, 20, Random.make(copy), name)
  const load = Races.run(sides, count, Random.make(copy), `DURING-${copy}`)
  const began = performance.now()
  const backup = await cluster.backup()
  millis += performance.now() - began
  await load
  await restored(backup, `${name}-0`)
  await backup.remove()
}
close(sides)
await cluster.stop()
for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`)
process.stdout.write(
  `${copies} copies on ${database} while ${copies * count} races ran, ${Math.round(millis / copies)} ms each; ` +
    `hosts started from each and went on: ${faults.length} faults\n`
)
process.exit(faults.length === 0 ? 0 : 1)
