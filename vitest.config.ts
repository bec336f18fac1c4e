import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

// One more than processors: many tests wait for a process, a disk or a timer.
export default defineConfig({ test: { projects, maxWorkers: availableParallelism() + 1 } })
