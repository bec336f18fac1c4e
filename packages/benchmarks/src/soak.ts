/**
 * `npm run soak`: the laws of units over random histories of the rules, then the races over two hosts, which check
 * the same laws under concurrent writers. Takes the number of histories (100,000 by default) and a seed.
 */
import "@crossdock/example-node-server/NodeVersion"
import * as Random from "@crossdock/example-node-server/Random"
import { history } from "./histories.ts"

const count = Number(process.argv[2] ?? 100_000)
const seed = Number(process.argv[3] ?? 1)
const demands = 120

const draw = Random.make(seed)
const started = performance.now()
let moves = 0
let broken = 0
for (let nth = 0; nth < count; nth++) {
  const { faults, world } = history(draw, demands)
  moves += world.moves
  if (faults.length === 0) continue
  broken++
  if (broken <= 10) process.stderr.write(`history ${nth}: ${faults.join("; ")}\n`)
}
const seconds = (performance.now() - started) / 1000
process.stdout.write(
  `${count} histories of ${demands} demands, ${moves} moves made, ${seconds.toFixed(1)} s, seed ${seed}: ${broken} broken\n`
)
process.exit(broken === 0 && moves > count ? 0 : 1)
