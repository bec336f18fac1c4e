import { availableParallelism } from "node:os"
import { relative } from "node:path"
import { defineConfig } from "vitest/config"
import type { Reporter } from "vitest/reporters"
import { programs } from "./slow-tests.ts"
import projects from "./vitest.workspace.ts"

let isFiltered = false

/** Says which tests were skipped for want of a program. A test that is skipped for another reason fails the run. */
const skips: Reporter = {
  onInit: ({ config }) => {
    isFiltered = config.testNamePattern !== undefined
  },
  onTestRunEnd: (modules) => {
    for (const { children, moduleId } of isFiltered ? [] : modules) {
      const count = [...children.allTests("skipped")].length
      const file = relative(import.meta.dirname, moduleId)
      if (count === 0) continue
      if (programs[file] === undefined) process.exitCode = 1
      console.error(`SKIPPED ${count} of ${file}: ${programs[file] ?? "slow-tests.ts doesn't allow this"}`)
    }
  }
}

// One more than processors: many tests wait for a process, a disk or a timer.
export default defineConfig({
  test: { projects, maxWorkers: availableParallelism() + 1, allowOnly: false, reporters: ["default", skips] }
})
