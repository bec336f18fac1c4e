/**
 * `npm run lab -- cluster` runs three hosts behind a balancer, on one PostgreSQL, under load and disturbances. `--help` says more.
 */
import "@crossdock/cli/NodeVersion"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import { Console, Effect } from "effect"
import * as ClusterDemo from "./ClusterDemo.ts"
import * as Table from "./Table.ts"

CommandLine.main({
  name: "cluster",
  does:
    "Starts PostgreSQL and several hosts behind a balancer, plays the retail day through it under load, kills hosts and ends " +
    "sessions of the database at random, and prints how long calls took. When it passes, nothing was oversold, nothing that was " +
    "acknowledged is lost or was done twice, and every receiver of webhooks has everything in order from one sender at a time.",
  options: {
    minutes: CommandLine.positive("minutes", 2, "of load"),
    hosts: CommandLine.hosts(3),
    marketplaces: CommandLine.whole("marketplaces", 3, "marketplaces that sell", 20),
    atOnce: CommandLine.whole("at-once", 8, "orders that each marketplace has under way", 100),
    disturbEvery: CommandLine.positive("disturb-every", 4, "seconds between two disturbances, on average"),
    seed: CommandLine.whole("seed", 1, "of the random disturbances"),
    crash: CommandLine.toggle("crash", "crash PostgreSQL as well"),
    quick: CommandLine.toggle("quick", "10 seconds of load, whatever --minutes says")
  },
  run: ({ disturbEvery, minutes, quick, ...options }) =>
    Effect.gen(function* () {
      const seconds = quick ? 10 : minutes * 60
      const report = yield* ClusterDemo.run({ ...options, seconds, disturbEvery: disturbEvery * 1000 })
      const { counts, died, equalAfter, retries, webhooks } = report
      yield* Console.log(`${Table.lines(report).join("\n")}\n`)
      const causes = Object.entries(retries).map(([cause, times]) => [`sent again: ${cause}`, times] as const)
      return {
        claim: "nothing was oversold, lost or done twice, and every webhook key had one sender",
        figures: {
          load: `${report.seconds.toFixed(1)} s on ${options.hosts} hosts, seed ${options.seed}`,
          orders: `${counts.orders} accepted (${counts.delivered} delivered, ${counts.cancelled} cancelled), ${counts.soldOut} rejected as sold out`,
          "restocked levels": counts.restocked,
          "hosts killed": died.hosts,
          "sessions ended": died.sessions,
          ...(options.crash ? { "crashes of the database": died.crashes } : {}),
          ...Object.fromEntries(causes),
          webhooks: `${webhooks.sent} with ${webhooks.events} events, of which ${webhooks.repeated} came twice`,
          "until all had everything": `${equalAfter} ms`
        },
        faults: report.faults
      }
    })
})
