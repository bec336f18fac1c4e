/**
 * `npm run catalog-story`: creates, updates and deletes the retail sample's catalog over HTTP for another company, in bulks
 * of 100, then creates generated products, and measures the host's memory. Argument: the number of generated products,
 * 10,000 by default.
 */
import "./NodeVersion.ts"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Api from "./Api.ts"
import * as Catalog from "./demo/Catalog.ts"
import * as HostProcess from "./HostProcess.ts"
import { inputOf, type RetailProduct } from "./SandboxData.ts"

const generated = Number(process.argv[2] ?? 10_000)
const folder = await mkdtemp(join(tmpdir(), "crossdock-catalog-"))
const host = await HostProcess.start({ DATABASE_URL: `sqlite:${join(folder, "story.db")}`, SANDBOX: "1" })
const api = await Api.seller(host.url, "globex")

const say = (line: string) => process.stdout.write(`${line}\n`)

/** The host's memory in MiB, or 0 where the system doesn't report it. */
const memory = async (): Promise<number> => {
  const text = await readFile(`/proc/${host.child.pid}/status`, "utf8").catch(() => "")
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024)
}

let faults = 0

const step = async (name: string, method: string, bulks: ReadonlyArray<Catalog.Bulk>, left: number) => {
  const began = performance.now()
  const sent = bulks.reduce((sum, { products }) => sum + products.length, 0)
  const { failed, success } = await Catalog.writeAll(api, method, bulks)
  const seconds = (performance.now() - began) / 1000
  const total = await Catalog.total(api)
  if (failed > 0 || success !== sent || total !== left) faults++
  const rate = Math.round(sent / seconds)
  say(`${name}: ${success} of ${sent} products, ${rate} a second, ${total} in the catalog, ${await memory()} MiB`)
}

const retail: ReadonlyArray<RetailProduct> = JSON.parse(
  await readFile(new URL("../data/retail-products.json", import.meta.url), "utf8")
)
const before = await Catalog.total(api)
const whole = (product: RetailProduct) => Catalog.branded("Globex", inputOf(product))
const all = before + retail.length
await step("retail sample created", "POST", Catalog.bulksOf(retail, whole), all)
await step(
  "retail sample updated",
  "PUT",
  Catalog.bulksOf(retail, (product) => ({ ...whole(product), description: `New words on ${product.name}` })),
  all
)
await step(
  "retail sample deleted",
  "DELETE",
  Catalog.bulksOf(retail, ({ item_code }) => ({ item_code })),
  before
)

const [pattern] = retail
if (pattern !== undefined) {
  const rounds = 5
  for (let round = 0; round < rounds; round++) {
    const many = Array.from({ length: Math.ceil(generated / rounds) }, (_, i) => {
      const code = `GEN-${round}-${i}`
      return { ...pattern, item_code: code, sku: code, slug: code.toLowerCase(), name: `Generated ${code}` }
    })
    const left = before + many.length * (round + 1)
    await step(`generated products, part ${round + 1} of ${rounds}`, "POST", Catalog.bulksOf(many, whole), left)
  }
}
api.close()
await host.stop()
await rm(folder, { recursive: true })
say(faults === 0 ? "every product was processed" : `${faults} steps went wrong`)
process.exit(faults === 0 ? 0 : 1)
