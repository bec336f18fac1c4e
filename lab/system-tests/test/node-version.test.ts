import * as NodeVersion from "@crossdock/cli/NodeVersion"
import { describe, it } from "@effect/vitest"
import { assertUndefined, strictEqual } from "@effect/vitest/utils"

describe("the Node version", () => {
  it("before 22.19 is rejected in one sentence that names it and what to use", () => {
    strictEqual(
      NodeVersion.fault("20.20.2"),
      "Node 20.20.2 is too old: use 22.19 or later, such as the repository's own in node_modules/.bin"
    )
    for (const version of ["22.18.9", "22.2.0", "21.99.0", "9.0.0"]) {
      strictEqual(NodeVersion.fault(version)?.startsWith(`Node ${version} is too old`), true)
    }
  })

  it("from 22.19 on is accepted", () => {
    for (const version of ["22.19.0", "22.20.0", "23.0.0", "24.21.0", "100.0.0"]) {
      assertUndefined(NodeVersion.fault(version))
    }
  })
})
