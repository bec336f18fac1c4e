/** `npm run lab -- soak 100000 1` checks the laws of units over random histories of the rules. `--help` says more. */
import "@crossdock/cli/NodeVersion"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as Random from "@crossdock/system-tests/Random"
import * as Verdict from "@crossdock/system-tests/Verdict"
import { Effect } from "effect"
import { history } from "./histories.ts"

const demands = 120

CommandLine.main({
  name: "soak",
  does:
    "Plays random histories of a shipment with the rules alone. When it passes, no history broke a law of units. npm run lab " +
    "-- races checks the same laws under concurrent writers.",
  options: {
    histories: CommandLine.count("histories", 100_000, "histories played"),
    seed: CommandLine.count("seed", 1, "of the random histories")
  },
  run: ({ histories, seed }) =>
    Effect.gen(function* () {
      const draw = Random.make(seed)
      const began = performance.now()
      const faults: Array<string> = []
      let moves = 0
      for (let nth = 0; nth < histories; nth++) {
        if (nth % 1000 === 0) yield* Effect.sleep(0)
        const { faults: found, world } = history(draw, demands)
        moves += world.moves
        if (found.length > 0) faults.push(`history ${nth}: ${found.join("; ")}`)
      }
      if (moves <= histories) faults.push(`only ${moves} moves were made`)
      return {
        claim: "no random history breaks a law of units",
        figures: {
          histories,
          "demands in each": demands,
          "moves made": moves,
          seed,
          took: Verdict.secondsSince(began)
        },
        faults
      }
    })
})
