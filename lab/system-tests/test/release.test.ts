import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, it } from "@effect/vitest"
import { assertMatch } from "@effect/vitest/utils"

describe("the packages as published", () => {
  // On a fault the program exits with 1, and its output is the failure's.
  it("have whole contents and right types, and a project that installs them compiles and runs the command", async () => {
    const { stdout } = await promisify(execFile)("node", ["scripts/release.mjs", "check"])
    assertMatch(stdout, /, 0 faults\n/)
  })
})
