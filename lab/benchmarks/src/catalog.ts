/**
 * `npm run lab -- bench-catalog` measures products created per second over HTTP, 100 in each request, one request at a time.
 * In turns, it measures a handwritten program with Fastify, Ajv, better-sqlite3 and synchronous=FULL.
 * It also compares the products checked per second in this process with Ajv and the exported schema.
 */
import "@crossdock/cli/NodeVersion"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { JsonSchema, ProductShapeCheck, ReferenceFile, ReferenceIndex } from "@crossdock/catalog"
import * as Api from "@crossdock/system-tests/Api"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Result } from "effect"
import { bulk, create } from "./products.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)

const reference = new URL(import.meta.resolve("@crossdock/cli/reference.json"))
const index = ReferenceIndex.make(
  Result.getOrThrow(ReferenceFile.decode(JSON.parse(await readFile(reference, "utf8"))))[0]
)
const schema = JsonSchema.product(index, "create", "apparel", "T-Shirts")

const perSecond = (work: () => number): number => {
  for (const until = performance.now() + 300; performance.now() < until; ) work()
  let done = 0
  const from = performance.now()
  while (performance.now() - from < 1500) done += work()
  return Math.round((done * 1000) / (performance.now() - from))
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
const validate = ajv.compile(schema)
const { products: hundred } = bulk(0)
const own = perSecond(() => {
  for (const one of hundred) ProductShapeCheck.violationsOf(index, "create", "apparel", one)
  return hundred.length
})
const others = perSecond(() => {
  for (const one of hundred) validate(one)
  return hundred.length
})
say(`checked in process: ${own} products a second, Ajv ${others}: ${(own / others).toFixed(2)}`)

const folder = await mkdtemp(join(tmpdir(), "crossdock-bench-catalog-"))
const [blocks, writes] = [7, Number(process.argv[2] ?? 20)]
/** The number of unmeasured writes before the first block, during which the new program is compiled. */
const warmUp = 200

/** Returns the number of created products per second. */
const measure = async (api: Api.Api, block: string, writes: number): Promise<number> => {
  const began = performance.now()
  for (let round = 0; round < writes; round++) {
    await create(api, `${block}-${round}`)
  }
  return (writes * 100 * 1000) / (performance.now() - began)
}

const byHand = (): Promise<readonly [string, ChildProcess]> =>
  new Promise((resolve) => {
    const program = fileURLToPath(new URL("./handwrittenCatalog.js", import.meta.url))
    const child = spawn(process.execPath, [program, join(folder, "hand.db")], { stdio: ["pipe", "pipe", "inherit"] })
    child.stdin.end(JSON.stringify(schema))
    child.stdout.on("data", (text) => resolve([String(text).trim(), child]))
  })

const host = await HostProcess.start({ DATABASE_URL: `sqlite:${join(folder, "crossdock.db")}`, SANDBOX: "1" })
const [url, child] = await byHand()
const contenders = [await Api.seller(host.url), Api.make(url)]
const rates = contenders.map((): Array<number> => [])
for (const api of contenders) await measure(api, "warm-up", warmUp)
for (let block = 0; block < blocks; block++) {
  for (const [at, api] of contenders.entries()) rates[at]?.push(await measure(api, `${block}`, writes))
}
for (const api of contenders) api.close()
await host.stop()
child.kill("SIGTERM")
await rm(folder, { recursive: true })

const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0
const [ours = 0, theirs = 1] = rates.map(median)
say(
  `created over HTTP: ${Math.round(ours)} products a second, by hand ${Math.round(theirs)}: ${(ours / theirs).toFixed(2)}`
)
process.exit(0)
