import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import * as ProfiledContender from "../src/ProfiledContender.ts"
import { scenarios } from "../src/Scenarios.ts"

describe("From the socket to the disk", () => {
  let host: ProfiledContender.ProfiledContender
  beforeAll(async () => {
    host = await ProfiledContender.start()
  })
  afterAll(() => host.contender.stop())

  it.each([
    ["bulk stock of 500", 29],
    ["order create, 3 lines", 38],
    ["one lifecycle move", 37]
  ] as const)("%s enters at most %i files of ours", async (name, most) => {
    const scenario = scenarios(0).find((one) => one.name === name)
    assertTrue(scenario !== undefined)
    const files = await ProfiledContender.filesEntered(host, scenario)
    assertTrue(files.length <= most, `${files.length} files: ${files.join(", ")}`)
    assertTrue(files.includes("storage-sql/SqliteUnits"))
  })
})
