/**
 * `npm run lab -- bench`: rates over HTTP compared with two handwritten programs, in turns in the same run, and the rules alone.
 *
 * `--floor 0.5` exits non-zero when bulk stock is below 0.5 of `same`; `--rounds 5` takes the median of five rounds;
 * `--only order` measures the scenarios whose name contains "order".
 */
import "@crossdock/cli/NodeVersion"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { crossdock, handwritten } from "./Contender.ts"
import * as Rules from "./rules.ts"
import { rate, scenarios, skus, usualClients } from "./Scenarios.ts"

const { values } = parseArgs({
  options: {
    floor: { type: "string" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    shipments: { type: "string", default: "100000" }
  }
})
const rounds = Number(values.rounds)
const seeded = Number(values.shipments)

const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

const folder = await mkdtemp(join(tmpdir(), "crossdock-bench-"))
const contenders = [
  await crossdock(folder, seeded),
  await handwritten("least", folder, seeded, skus),
  await handwritten("same", folder, seeded, skus)
]
process.stdout.write(`${rounds} rounds in turn, ${usualClients} connections, SQLite with synchronous=FULL\n\n`)
process.stdout.write(
  `${"per second".padEnd(28)}${"crossdock".padStart(12)}${"least".padStart(12)}${"same".padStart(12)}${"of least".padStart(12)}${"of same".padStart(12)}\n`
)
let stockOfSame = 0
for (const scenario of scenarios(seeded).filter(({ name }) => name.includes(values.only))) {
  const rates = contenders.map((): Array<number> => [])
  for (const contender of contenders) await rate(contender, { ...scenario, requests: scenario.warmUp })
  for (let round = 0; round < rounds; round++) {
    for (const [at, contender] of contenders.entries()) rates[at]?.push(await rate(contender, scenario))
  }
  const [ours = 0, least = 1, same = 1] = rates.map(median)
  const shown = (value: number) => String(Math.round(value * scenario.records)).padStart(12)
  process.stdout.write(
    `${scenario.name.padEnd(28)}${shown(ours)}${shown(least)}${shown(same)}${(ours / least).toFixed(2).padStart(12)}${(ours / same).toFixed(2).padStart(12)}\n`
  )
  if (scenario.records === 500) stockOfSame = ours / same
}
for (const { stop } of contenders) await stop()
await rm(folder, { recursive: true })

const { moves, records } = Rules.measure()
process.stdout.write(`\nrules alone: ${moves} moves per second, ${records} stock records judged per second\n`)
const floor = values.floor === undefined ? 0 : Number(values.floor)
if (stockOfSame < floor) {
  process.stderr.write(`bulk stock is ${stockOfSame.toFixed(2)} of same, below the floor of ${floor}\n`)
  process.exit(1)
}
process.exit(0)
