import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { longestTests } from "./slow-tests.ts"
import projects from "./vitest.workspace.ts"

/** A fresh clone knows no times: the longest files begin first, so that no processor waits for one that began last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longestTests.some((name) => moduleId.endsWith(name))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

// One more than processors: many tests wait for a process, a disk or a timer.
export default defineConfig({
  test: { projects, maxWorkers: availableParallelism() + 1, sequence: { sequencer: LongestFirst } }
})
