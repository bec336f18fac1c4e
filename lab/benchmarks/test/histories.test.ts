import * as Random from "@crossdock/system-tests/Random"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "../../../packages/kernel/test/prop.ts"
import { runs } from "../../../packages/kernel/test/runs.ts"
import { history } from "../src/histories.ts"

describe("random histories of a shipment, its cancelled parts and its returns", () => {
  prop(
    "never have more units cancelled, lost, delivered or returned than were ordered, nor more checked than came back",
    [FastCheck.integer(), FastCheck.integer({ min: 1, max: 120 })],
    ([seed, demands]) => deepStrictEqual(history(Random.make(seed), demands).faults, []),
    { fastCheck: { numRuns: runs(2000) } }
  )

  it("reach every status, cancelled parts, several returns, and good and bad units", () => {
    const reached = new Set<string>()
    for (let seed = 0; seed < 1000; seed++) {
      const { world } = history(Random.make(seed), 120)
      for (const { events, journey } of world.shipments)
        for (const { status } of events) reached.add(`${journey} ${status}`)
      const returns = world.shipments.filter(({ journey }) => journey === "return").length
      if (returns > 1) reached.add("several returns")
      for (const kind of Object.keys(world.stock)) reached.add(kind.split(" ")[0] ?? "")
    }
    for (const one of ["several returns", "restock", "unsellable", "return credit_note_generated", "forward bag_lost"])
      assertTrue(reached.has(one), one)
    assertTrue(new Set([...reached].flatMap((one) => /^(?:forward|return) (.*)/.exec(one)?.[1] ?? [])).size === 24)
  })
})
