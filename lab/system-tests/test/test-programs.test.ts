import { spawn } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as Verdict from "../src/Verdict.ts"
import * as TestCommand from "./TestCommand.ts"

const own = [
  "raceTest",
  "feedTest",
  "killTest",
  "rollingTest",
  "floodTest",
  "backupTest",
  "enduranceTest",
  "auditTest",
  "billingTest"
]
const others = [
  "../../../examples/simulated-marketplace/dist/main",
  "../../histories/dist/main",
  "../../fuzz/dist/main",
  "../../benchmarks/dist/main",
  "../../benchmarks/dist/postgres",
  "../../benchmarks/dist/profile",
  "../../benchmarks/dist/growing",
  "../../benchmarks/dist/reads"
]

const unusable: ReadonlyArray<readonly [program: string, args: ReadonlyArray<string>, says: string]> = [
  ["raceTest", ["0"], 'Invalid value for argument <races>: "0". Expected: a whole number from 1 on'],
  ["backupTest", ["abc"], 'Invalid value for argument <races>: "abc". Expected a string representing a finite number'],
  [
    "backupTest",
    ["--database", "mysql"],
    'Invalid value for flag --database: "mysql". Expected: "sqlite" | "postgres"'
  ],
  ["enduranceTest", ["--minutes", "0"], 'Invalid value for flag --minutes: "0". Expected: a number above 0'],
  ["killTest", ["--hosts", "100"], 'Invalid value for flag --hosts: "100". Expected: a whole number from 1 to 99'],
  ["auditTest", ["1", "2", "3"], 'Unexpected positional argument: "3"']
]

/** Waits up to a minute until something is so. */
const until = async (isSo: () => boolean) => {
  for (const end = Date.now() + 60_000; !isSo() && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assertTrue(isSo())
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("A test program", () => {
  it("says with --help what it proves, and which options and exit codes it has", async () => {
    const programs = [...own, ...others]
    const ended = await TestCommand.runAll(programs.map((program) => [program, ["--help"]]))
    for (const [nth, program] of programs.entries()) {
      deepStrictEqual([program, ended[nth]?.code, ended[nth]?.stderr], [program, 0, ""])
      for (const part of ["DESCRIPTION", "USAGE", "Exit codes: 0"])
        assertTrue(ended[nth]?.stdout.includes(part), program)
    }
  })

  it("does not start with an option that can't be used: one sentence says what is possible", async () => {
    const ended = await TestCommand.runAll(unusable.map(([program, args]) => [program, args]))
    deepStrictEqual(
      ended.map(({ code, stderr, stdout }) => [code, stderr.split("\n").slice(0, 2), stdout]),
      unusable.map(([, , says]) => [2, [says, "--help shows all options"], ""])
    )
  })

  it("stops its hosts and removes its files when it is interrupted", async () => {
    const folder = join(temporaryFolder(), "tmp")
    mkdirSync(folder)
    const program = fileURLToPath(new URL("../dist/raceTest.js", import.meta.url))
    const child = spawn(process.execPath, [program, "100000", "--hosts", "1"], {
      env: { ...process.env, TMPDIR: folder }
    })
    let said = ""
    child.stderr.on("data", (text) => {
      said += text
    })
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    await until(() => readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith("cluster.db")))
    child.kill("SIGINT")
    deepStrictEqual([await ended, said], [130, ""])
    deepStrictEqual(readdirSync(folder), [])
  })

  it("takes its hosts with it when it is killed", async () => {
    const module = new URL("../dist/HostProcess.js", import.meta.url).href
    const script = `const { start } = await import(${JSON.stringify(module)})
      console.log((await start({ DATABASE_URL: "memory:" })).child.pid)`
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const pid = await new Promise<number>((resolve) => child.stdout.once("data", (text) => resolve(Number(text))))
    assertTrue(isRunning(pid))
    child.kill("SIGKILL")
    await until(() => !isRunning(pid))
  })

  it("prints its verdict first, then figures and faults", () => {
    const passed = { claim: "nothing was lost", figures: { kills: 3, database: "sqlite" }, faults: [] }
    deepStrictEqual(Verdict.lines(passed), ["PASSED: nothing was lost", "  kills     3", "  database  sqlite"])
    const faults = Array.from({ length: 22 }, (_, nth) => `the ${nth}th`)
    const failed = Verdict.lines({ ...passed, faults })
    strictEqual(failed[0], "FAILED: 22 faults, so it is not true that nothing was lost")
    deepStrictEqual(failed.slice(-2), ["fault: the 19th", "and 2 more"])
  })
})
