import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as Random from "../src/Random.ts"
import * as Laws from "../src/races/Laws.ts"
import * as Races from "../src/races/Races.ts"
import { useHost } from "./TestHost.ts"

describe("concurrent moves of the same shipments", () => {
  const file = join(temporaryFolder(), "races.db")
  const host = useHost(() => ({ databaseUrl: `sqlite:${file}` }))

  it("leave legal histories that match the acknowledged requests, and break no law", async () => {
    const sides = { seller: host.acme, marketplace: host.bazaar }
    await Races.stock(sides, 100_000)
    const { acknowledged, races } = await Races.run([sides], 1500, Random.make(7), "RACE")
    deepStrictEqual(await Laws.faults(`sqlite:${file}`, acknowledged), [])
    const times = (operation: string) =>
      [...acknowledged.keys()].filter((key) => key.startsWith(`${operation} `)).length
    assertTrue(races >= 1500)
    for (const operation of [
      "confirm",
      "cancel",
      "cancelPart",
      "pack",
      "customer",
      "returnSome",
      "lost",
      "good",
      "bad"
    ])
      assertTrue(times(operation) > 0, operation)
  })
})
