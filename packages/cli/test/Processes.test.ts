import { execFile, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Option } from "effect"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import * as TestCommand from "../../../lab/system-tests/test/TestCommand.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"

const main = fileURLToPath(new URL("../bin/crossdock.js", import.meta.url))
const folder = temporaryFolder()

/** A command that runs until it is stopped, and what it has printed so far. */
const begin = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, ...TestCommand.compileCache, ...environment },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let stdout = ""
  const waiting = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text
    for (const look of waiting) look()
  })
  const says = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(stdout)
        if (found !== null) resolve(found[1] ?? found[0])
      }
      waiting.add(look)
      child.once("exit", () => reject(new Error(`It ended without ${pattern}: ${stdout}`)))
      look()
    })
  const stop = (signal: "SIGINT" | "SIGTERM") =>
    new Promise<number | null>((resolve) => {
      child.once("exit", resolve)
      child.kill(signal)
    })
  return { says, stop }
}

describe("The program crossdock", () => {
  it("starts a host that creates its database, and ends with 0 when it is stopped", async () => {
    const host = begin(["start"], {
      DATABASE_URL: `sqlite:${join(folder, "started.db")}`,
      PORT: "0",
      LOG_LEVEL: "none"
    })
    const url = await host.says(/^listening on (\S+)$/m)
    strictEqual((await fetch(`${url}/health/ready`)).status, 200)
    strictEqual(await host.stop("SIGTERM"), 0)
  })

  it("says how many records were sent when an import's report can't be written, for they were done", async () => {
    const host = await startHost(settings())
    const [file, report] = [join(folder, "stock.csv"), join(folder, "full.csv")]
    writeFileSync(file, "location_id,sku,quantity\nBLR1,85123A,9\nBLR1,NO-SUCH,1\n")
    // A process that may write no byte to a file, as on a full disk.
    const limited = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, main]
    const args = [...limited, "import", "stock", file, "--report", report, "--url", host.url]
    const [code, stderr] = await new Promise<readonly [unknown, string]>((resolve) =>
      execFile("/bin/sh", args, { env: { PATH: process.env.PATH } }, (error, _, stderr) =>
        resolve([error?.code, stderr])
      )
    )
    deepStrictEqual(
      [code, stderr],
      [
        1,
        `${JSON.stringify(report)} can't be written: it would be longer than this user's limit. 2 records had been sent, of which 1 failed: repeat the import\n`
      ]
    )
    const acme = await Api.seller(host.url)
    const { body } = await acme.call<ReadonlyArray<{ readonly sellable: number }>>(
      "GET",
      "/ims/v3/listings?skus=85123A"
    )
    strictEqual(JSON.stringify(body).includes('"sellable":9'), true, JSON.stringify(body))
    acme.close()
    await host.stop()
  })

  it("listens: shows the stock changes that a sandbox sends, and those it can't trust", async () => {
    const listener = begin(["listen", "--port", "0"], {})
    const url = await listener.says(/^listening on (\S+)$/m)
    const host = await startHost(settings({ sandboxWebhookUrl: Option.some(url) }))
    const acme = await Api.seller(host.url)
    await acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "85123A", quantity: 41 }])
    await listener.says(/85123A at BLR1: 41/)
    strictEqual((await fetch(url, { method: "POST", body: "[]" })).status, 401)
    await listener.says(/rejected with 401: The signature is wrong or too old/)
    acme.close()
    await host.stop()
    strictEqual(await listener.stop("SIGINT"), 0)
  })

  it("keeps listening after a webhook that breaks off or is too long", async () => {
    const listener = begin(["listen", "--port", "0"], {})
    const url = await listener.says(/^listening on (\S+)$/m)
    await new Promise<void>((resolve) => {
      const broken = request(url, { method: "POST", headers: { "content-length": "100" } })
      broken.on("error", () => resolve())
      broken.write("[", () => broken.destroy())
    })
    await listener.says(/too long or broken off/)
    const long = await fetch(url, { method: "POST", body: "x".repeat(9 * 2 ** 20) }).then(
      ({ status }) => status,
      () => 413
    )
    strictEqual(long, 413)
    strictEqual((await fetch(url, { method: "POST", body: "[]" })).status, 401)
    strictEqual(await listener.stop("SIGINT"), 0)
  })

  it("distinguishes a wrong call, a failure, a fault and success by its exit code", async () => {
    const DATABASE_URL = `sqlite:${join(folder, "codes.db")}`
    const run = (...args: ReadonlyArray<string>) => TestCommand.crossdock(args, { DATABASE_URL })
    const codes = [
      await run("company", "lst"),
      await run("company", "list"),
      await run("migrate", "--check"),
      await run("migrate"),
      await run("migrate", "--check"),
      await run("--version")
    ].map(({ code }) => code)
    deepStrictEqual(codes, [2, 1, 1, 0, 0, 0])
  })

  it("reads a password from standard input, and prints a generated one once", async () => {
    const DATABASE_URL = `sqlite:${join(folder, "passwords.db")}`
    const run = (args: ReadonlyArray<string>, input?: string) => TestCommand.crossdock(args, { DATABASE_URL }, input)
    await run(["migrate"])
    await run(["company", "add", "7", "--name", "A", "--legal-name", "B"])
    const typed = await run(["seller", "add", "7", "typed"], "a long password\n")
    deepStrictEqual([typed.code, typed.stdout.includes("a long password")], [0, false])
    const made = await run(["seller", "add", "7", "made", "--generate", "--json"])
    assertTrue(JSON.parse(made.stdout).password.length === 32)
    const argument = await run(["seller", "add", "7", "other", "--password", "a long password"])
    strictEqual(argument.code, 2)
  })
})
