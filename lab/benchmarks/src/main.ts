/** `npm run lab -- bench` measures the rules alone, and requests over HTTP in turns with two handwritten programs. */
import "@crossdock/cli/NodeVersion"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import { crossdock, handwritten } from "./Contender.ts"
import * as Rules from "./rules.ts"
import { type Round, round, scenarios, skus, usualClients } from "./Scenarios.ts"

const options = await CommandLine.optionsOf({
  name: "bench",
  does:
    "Measures rates over HTTP beside two handwritten programs, least and same, in turns in the same run, and the rules alone. A rate is " +
    "the median of its rounds.",
  options: {
    rounds: CommandLine.whole("rounds", 3, "rounds of each scenario"),
    clients: CommandLine.wholeOrNone("clients", 0, "connections in each scenario; 0 is each scenario's own number"),
    only: CommandLine.text("only", "measures the scenarios whose name contains this text"),
    shipments: CommandLine.wholeOrNone("shipments", 100_000, "shipments in each database before it is measured"),
    floor: CommandLine.toggle("floor", "fails when a scenario is below its floor")
  }
})
const { rounds, shipments: seeded } = options

const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

const folder = await mkdtemp(join(tmpdir(), "crossdock-bench-"))
const contenders = [
  await crossdock(folder, seeded),
  await handwritten("least", folder, seeded, skus),
  await handwritten("same", folder, seeded, skus)
]
const columns = ["crossdock", "least", "same", "of least", "of same", "p50 ms", "p99 ms", "p99 of same"]
const padded = (texts: ReadonlyArray<string>) => texts.map((text) => text.padStart(12)).join("")
process.stdout.write(`${rounds} rounds in turn, SQLite with synchronous=FULL\n\n`)
process.stdout.write(`${"per second".padEnd(40)}${padded(columns)}\n`)
const belowFloor: Array<string> = []
for (const one of scenarios(seeded).filter(({ name }) => name.includes(options.only))) {
  const scenario = { ...one, clients: options.clients || (one.clients ?? usualClients) }
  const found = contenders.map((): Array<Round> => [])
  for (const contender of contenders) await round(contender, { ...scenario, requests: scenario.warmUp })
  for (let nth = 0; nth < rounds; nth++) {
    for (const [at, contender] of contenders.entries()) found[at]?.push(await round(contender, scenario))
  }
  const mediansOf = (of: (one: Round) => number) => found.map((all) => median(all.map(of)))
  const [ours = 0, least = 1, same = 1] = mediansOf(({ perSecond }) => perSecond)
  const [p50 = 0] = mediansOf(({ p50 }) => p50)
  const [p99 = 0, , p99OfSame = 1] = mediansOf(({ p99 }) => p99)
  const rates = [ours, least, same].map((value) => String(Math.round(value * scenario.records)))
  const others = [ours / least, ours / same, p50, p99, p99 / p99OfSame].map((value) => value.toFixed(2))
  process.stdout.write(
    `${`${scenario.name}, ${scenario.clients} clients`.padEnd(40)}${padded([...rates, ...others])}\n`
  )
  if (ours / same < scenario.floor)
    belowFloor.push(`${scenario.name}: ${(ours / same).toFixed(2)} of same, its floor is ${scenario.floor}\n`)
}
for (const { stop } of contenders) await stop()
await rm(folder, { recursive: true })

const { moves, records } = Rules.measure()
process.stdout.write(`\nrules alone: ${moves} moves per second, ${records} stock records judged per second\n`)
if (options.floor) process.stderr.write(belowFloor.join(""))
process.exit(options.floor && belowFloor.length > 0 ? 1 : 0)
