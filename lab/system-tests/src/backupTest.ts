/** `npm run lab -- backup 500` copies the database while hosts write to it, and starts a host from each copy. */
import "@crossdock/cli/NodeVersion"
import { Effect } from "effect"
import * as Api from "./Api.ts"
import * as Backup from "./Backup.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"
import * as HostProcess from "./HostProcess.ts"
import * as Random from "./Random.ts"
import * as Laws from "./races/Laws.ts"
import * as Races from "./races/Races.ts"

const options = {
  races: CommandLine.count("races", 500, "races before each copy"),
  database: CommandLine.database,
  hosts: CommandLine.hosts(2),
  way: CommandLine.choice("way", Backup.ways, "files", "how it is copied and restored")
}

const copies = 3

const sidesOf = ({ hosts }: Cluster.Cluster) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      Promise.all(
        hosts.map(async ({ url }) => ({ seller: await Api.seller(url), marketplace: await Api.marketplace(url) }))
      )
    ),
    (sides) =>
      Effect.sync(() => {
        for (const { marketplace, seller } of sides) {
          seller.close()
          marketplace.close()
        }
      })
  )

/** Makes a copy while races run. Returns how many moves were acknowledged before and during the copy. */
const copyUnderLoad = async (
  cluster: Cluster.Cluster,
  sides: ReadonlyArray<Races.Host>,
  way: Backup.Way,
  nth: number
) => {
  const acknowledged = Races.record()
  const moves = () => [...acknowledged.moves.values()].reduce((sum, times) => sum + times, 0)
  let isCopying = true
  const load = async () => {
    for (let round = 0; isCopying; round++) {
      await Races.run(sides, 20, Random.make(round), `DURING-${nth}-${round}`, acknowledged)
    }
  }
  const loaded = load()
  // The races are awaited below. A failure of the copy is reported before a failure of the races.
  loaded.catch(() => {})
  const began = performance.now()
  const backup = await cluster.backup(way)
  const [took, acknowledgedMeanwhile] = [performance.now() - began, moves()]
  isCopying = false
  await loaded
  return { backup, moves: acknowledgedMeanwhile, took }
}

/** The checks that an operator makes after a restore. Each fails if it finds a fault. */
const checks = [["doctor"], ["stock", "verify"], ["audit", "verify"]]

const failedChecks = async (url: string): Promise<ReadonlyArray<string>> => {
  const run = (args: ReadonlyArray<string>) =>
    HostProcess.crossdock({ DATABASE_URL: url }, args).then(
      () => [],
      (error) => [`crossdock ${args.join(" ")} failed: ${error}`]
    )
  return (await Promise.all(checks.map(run))).flat()
}

/** Starts a host from a copy, looks for the acknowledged moves, and plays races. Returns the faults. */
const restored = (database: Cluster.Database, backup: Backup.Backup, before: Races.Acknowledged, name: string) =>
  Effect.gen(function* () {
    const cluster = yield* Cluster.make(database, 1, { from: backup })
    const sides = yield* sidesOf(cluster)
    return yield* Effect.promise(async () => {
      const found = [...(await failedChecks(cluster.url)), ...(await Laws.faults(cluster.url, before))]
      const { acknowledged } = await Races.run(sides, 60, Random.make(2), `RESTORED-${name}`)
      return [...found, ...(await Laws.faults(cluster.url, acknowledged))].map((fault) => `${name}: ${fault}`)
    })
  }).pipe(Effect.scoped)

CommandLine.main({
  name: "backup",
  does:
    `Copies the database ${copies} times while hosts write to it, and starts a host from each copy. It is copied and restored ` +
    "in a way of docs/guides/back-up.md: by files (SQLite by VACUUM INTO, PostgreSQL between pg_backup_start and " +
    "pg_backup_stop), by the command crossdock backup, or by PostgreSQL's programs, where they are installed. When it " +
    "passes, every order and move that was acknowledged before a copy began is in it, load ran until each copy had ended, " +
    "the commands doctor, stock verify and audit verify find no fault, every law is true of each copy, and hosts take up " +
    "work on it.",
  options,
  run: ({ database, hosts, races, way }) =>
    Effect.gen(function* () {
      if (database === "sqlite" && way.startsWith("pg_"))
        return yield* Effect.fail(new Error(`${way} can't copy SQLite: choose --way files or --way command`))
      const cluster = yield* Cluster.make(database, hosts)
      const sides = yield* sidesOf(cluster)
      const faults: Array<string> = []
      const acknowledged = Races.record()
      let [millis, orders, meanwhile] = [0, 0, 0]
      const [one] = sides
      if (one !== undefined) yield* Effect.promise(() => Races.stock(one, 1_000_000))
      for (let copy = 0; copy < copies; copy++) {
        const name = `copy ${copy + 1}`
        yield* Effect.promise(() => Races.run(sides, races, Random.make(copy), `BEFORE-${copy}`, acknowledged))
        const before = Races.until(acknowledged)
        const { backup, moves, took } = yield* Effect.promise(() => copyUnderLoad(cluster, sides, way, copy))
        if (moves === 0) faults.push(`${name}: no move was acknowledged while it was made`)
        millis += took
        meanwhile += moves
        orders += before.orders.size
        faults.push(...(yield* restored(database, backup, before, name)))
        yield* Effect.promise(backup.remove)
      }
      return {
        claim: "every copy has all that was acknowledged before it began, breaks no law, and hosts go on with it",
        figures: {
          copies,
          database,
          way,
          hosts: sides.length,
          "took each": `${Math.round(millis / copies)} ms`,
          "orders looked for": orders,
          "moves while copying": meanwhile
        },
        faults
      }
    })
})
