/**
 * `npm run lock-shipments -- lock COMPANY SHIPMENT…`, or `unlock`: stops shipments of a company from being moved, or lets
 * them move again. Reads DATABASE_URL; a host may run on the same database.
 */
import { Effect } from "effect"
import { setLocked } from "./ShipmentLocks.ts"

const [word, company, ...shipments] = process.argv.slice(2)

if ((word !== "lock" && word !== "unlock") || !/^\d+$/.test(company ?? "") || shipments.length === 0) {
  process.stderr.write("lock COMPANY SHIPMENT…, or unlock COMPANY SHIPMENT…\n")
  process.exit(2)
}
const databaseUrl = process.env.DATABASE_URL ?? "sqlite:./crossdock.db"
const summary = await Effect.runPromise(setLocked(databaseUrl, Number(company), shipments, word === "lock"))
for (const { message } of summary.failures) process.stderr.write(`${message}\n`)
process.stdout.write(`${summary.succeeded} of ${summary.total} shipments ${word}ed\n`)
process.exit(summary.failures.length === 0 ? 0 : 1)
