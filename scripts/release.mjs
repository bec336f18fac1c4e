/** `npm run release -- changeset | check | pack` runs a step of docs/internals/releases.md. It needs a build. */
import { spawnSync } from "node:child_process"
import { installTools } from "../lab/tools/install.mjs"
import { generateSources } from "./generated-sources.mjs"

const steps = {
  changeset: ["npm", "exec", "--yes", "--package=@changesets/cli@3.0.3", "--", "changeset"],
  check: ["node", "scripts/packages-check.mjs"],
  pack: ["node", "scripts/pack-all.mjs"]
}

const [name, ...args] = process.argv.slice(2)
if (Object.hasOwn(steps, name)) {
  for (const one of ["test", "packages"]) installTools(one)
  generateSources()
  const [program, ...own] = steps[name]
  const run = (command, given) => spawnSync(command, given, { stdio: "inherit" }).status ?? 1
  process.exitCode =
    run("tsc", ["-b"]) ||
    run("node", ["scripts/bundle-command.mjs"]) ||
    run("node", ["scripts/site.mjs"]) ||
    run(program, [...own, ...args])
} else {
  console.error(`npm run release -- ${Object.keys(steps).join(" | ")}: see docs/internals/releases.md`)
  process.exitCode = 1
}
