/**
 * `npm run lab -- simulate --marketplaces 5 --orders 2000 --database postgres --hosts 3 --disturb` lets several marketplaces
 * sell the same scarce stock at the same time. `--help` says more.
 */
import "@crossdock/cli/NodeVersion"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as Sample from "@crossdock/system-tests/demo/Sample"
import { Effect } from "effect"
import * as Simulation from "./Simulation.ts"

CommandLine.main({
  name: "simulate",
  does:
    "Starts hosts and lets several marketplaces, each in its own words and with its own webhook, sell the same scarce stock at " +
    "once. When it passes, no unit was sold twice or lost, every order has the total it was accepted with, every notification " +
    "came, and all marketplaces know the right stock within a minute.",
  options: {
    marketplaces: CommandLine.whole("marketplaces", 5, "marketplaces that sell"),
    orders: CommandLine.whole("orders", 200, "orders that each of them places"),
    rate: CommandLine.wholeOrNone("rate", 0, "orders a second of each, 0 for as many as possible"),
    skus: CommandLine.whole("skus", 40, "SKUs on sale", 590),
    stock: CommandLine.whole("stock", 20, "units of each SKU at each location"),
    shipped: CommandLine.wholeOrNone("shipped", 20, "orders of each marketplace that are delivered"),
    returned: CommandLine.wholeOrNone("returned", 5, "delivered orders of each marketplace that are returned"),
    database: CommandLine.distributable,
    hosts: CommandLine.hosts(1),
    disturb: CommandLine.toggle(
      "disturb",
      "kills hosts meanwhile, and on PostgreSQL ends sessions and crashes the server; without it, 503 is a fault"
    )
  },
  run: (options) =>
    Effect.gen(function* () {
      const products = yield* Effect.promise(Sample.products)
      const skus = products.slice(0, options.skus).map(({ sku }) => sku)
      const report = yield* Simulation.run({ ...options, skus })
      const rejected = Object.entries(report.rejected).map(([code, times]) => `, ${times} rejected as ${code}`)
      return {
        claim: "no unit was sold twice or lost, and all books agree",
        figures: {
          database: options.database,
          hosts: options.hosts,
          orders: `${report.accepted} accepted${rejected.join("")}`,
          "orders a second": report.ordersPerSecond,
          shipments: `${report.delivered} delivered, ${report.returned} returned`,
          "units that came back": `${report.good} good, ${report.bad} bad`,
          notifications: report.notifications,
          "until all had the right stock": `${report.equalAfter} ms`,
          "requests sent again": report.sentAgain,
          ...report.disturbances
        },
        faults: report.differences
      }
    })
})
