/** Runs the tests on each supported version of Node. Arguments are passed to vitest. */
import { spawnSync } from "node:child_process"
import { nodeOf, versions } from "./nodes.mjs"

const failed = versions.filter((version) => {
  console.log(`Node ${version}`)
  const [command, ...before] = nodeOf(version)
  const vitest = [...before, "node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)]
  return spawnSync(command, vitest, { stdio: "inherit" }).status !== 0
})

if (failed.length > 0) {
  console.error(`The tests failed on Node ${failed.join(" and ")}`)
  process.exit(1)
}
