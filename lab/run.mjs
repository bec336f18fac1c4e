/** `npm run lab` lists the programs. `npm run lab -- bench --rounds 5` builds and runs a program with its arguments. */
import { spawn } from "node:child_process"
import { generateSources } from "../scripts/generated-sources.mjs"
import { programs } from "./programs.mjs"
import { installTools } from "./tools/install.mjs"

/** Runs a command. Resolves to its exit code, or to 128 plus the number of the signal that ended it. */
const run = (command, args, environment) =>
  new Promise((resolve, reject) => {
    const [program, ...own] = command.split(" ")
    const child = spawn(program, [...own, ...args], { stdio: "inherit", env: { ...process.env, ...environment } })
    const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }
    const forward = (signal) => child.kill(signal)
    for (const signal of Object.keys(signals)) process.on(signal, forward)
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      for (const one of Object.keys(signals)) process.off(one, forward)
      resolve(code ?? 128 + (signals[signal] ?? 9))
    })
  })

const [name, ...args] = process.argv.slice(2)
if (name === undefined) {
  console.log("npm run lab -- PROGRAM [ARGUMENTS]; most programs describe their arguments with --help\n")
  for (const [name, { does, takes }] of Object.entries(programs)) console.log(`${name.padEnd(20)}${does} (${takes})`)
} else if (Object.hasOwn(programs, name)) {
  const { commands, environment, tools = [] } = programs[name]
  for (const one of ["test", ...tools]) installTools(one)
  generateSources()
  const steps = [
    ["tsc -b", []],
    ["node scripts/bundle-command.mjs", []],
    ...commands.map((command, at) => [command, at === commands.length - 1 ? args : []])
  ]
  for (const [command, given] of steps) {
    process.exitCode = await run(command, given, environment)
    if (process.exitCode !== 0) break
  }
} else {
  console.error(`There is no program ${name}. npm run lab lists them.`)
  process.exitCode = 1
}
