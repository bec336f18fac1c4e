/** `npm run lab -- races 10000` sends concurrent bulks of moves for the same shipments to several hosts. See `--help`. */
import "@crossdock/cli/NodeVersion"
import { Effect } from "effect"
import * as Abort from "./Abort.ts"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Random from "./Random.ts"
import * as Laws from "./races/Laws.ts"
import * as Races from "./races/Races.ts"
import * as Verdict from "./Verdict.ts"

const options = {
  races: CommandLine.count("races", 10_000, "shipments raced for"),
  seed: CommandLine.count("seed", 1, "of the random moves"),
  database: CommandLine.distributable,
  hosts: CommandLine.hosts(2),
  disturb: CommandLine.toggle(
    "disturb",
    "kills hosts meanwhile, and on PostgreSQL ends sessions and crashes the server; without it, 503 is a fault"
  )
}

interface Options {
  readonly races: number
  readonly seed: number
  readonly database: Cluster.Database
  readonly disturb: boolean
}

const race = async (
  cluster: Cluster.Cluster,
  { database, disturb, races, seed }: Options
): Promise<Verdict.Verdict> => {
  const resent: Cluster.Resent = { count: 0 }
  const aborts = Abort.make(Random.make(seed + 2), 0.1)
  const hosts = cluster.hosts.map((_, nth) => ({
    seller: Cluster.persistent(cluster, nth, Api.seller, resent, aborts),
    marketplace: Cluster.persistent(cluster, nth, Api.marketplace, resent, aborts)
  }))
  const [one] = hosts
  if (one !== undefined) await Races.stock(one, 1_000_000)
  const settle = disturb ? Cluster.disturb(cluster, 1_000, Random.make(seed + 1)) : undefined
  const began = performance.now()
  const played = await Races.run(hosts, races, Random.make(seed), "RACE")
  const took = Verdict.secondsSince(began)
  const disturbances = await settle?.()
  for (const { marketplace, seller } of hosts) {
    seller.close()
    marketplace.close()
  }
  return {
    claim: "every acknowledged move happened exactly once, and no law is broken",
    figures: {
      races: played.races,
      "requests at once": played.requests,
      database,
      hosts: hosts.length,
      took,
      seed,
      ...disturbances,
      "requests aborted and sent again": aborts.count,
      "requests sent again": resent.count
    },
    faults: [
      ...(await Laws.faults(cluster.url, played.acknowledged)),
      ...(disturb || resent.count === 0 ? [] : [`${resent.count} requests were answered 503`])
    ]
  }
}

CommandLine.main({
  name: "races",
  does:
    "Sends concurrent bulks of cancel, confirm, pack, status and other moves on the same shipments, then of returns and " +
    "quality checks, through several hosts on one database. One of ten requests is aborted at a random moment, and sent again " +
    "with its Idempotency-Key. When it passes, every history is legal, every acknowledged " +
    "request was done exactly once, and stock, units, counts, audit trail and change feed agree.",
  options,
  run: (chosen) =>
    Effect.gen(function* () {
      const cluster = yield* Cluster.make(chosen.database, chosen.hosts)
      return yield* Effect.promise(() => race(cluster, chosen))
    })
})
