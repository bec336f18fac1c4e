/** `npm run lab -- catalog-story 10000` writes the retail sample's catalog and generated products over HTTP. See `--help`. */
import "@crossdock/cli/NodeVersion"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { inputOf, type RetailProduct } from "@crossdock/cli/SandboxData"
import { Effect, FileSystem } from "effect"
import * as Api from "./Api.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Catalog from "./demo/Catalog.ts"
import * as Sample from "./demo/Sample.ts"
import * as HostProcess from "./HostProcess.ts"

const say = (line: string) => process.stderr.write(`${line}\n`)

/** The memory of the host in MiB. It is undefined on systems without /proc. */
const memoryOf = async ({ child }: HostProcess.HostProcess): Promise<number | undefined> => {
  const found = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => ""))
  return found === null ? undefined : Math.round(Number(found[1]) / 1024)
}

const parts = 5

/** Plays the story. Returns the faults and the final memory of the host. */
const story = async (host: HostProcess.HostProcess, generated: number) => {
  const api = await Api.seller(host.url, "globex")
  const faults: Array<string> = []
  const step = async (name: string, method: string, bulks: ReadonlyArray<Catalog.Bulk>, left: number) => {
    const began = performance.now()
    const sent = bulks.reduce((sum, { products }) => sum + products.length, 0)
    const { failed, success } = await Catalog.writeAll(api, method, bulks)
    const rate = Math.round((sent * 1000) / (performance.now() - began))
    const total = await Catalog.total(api)
    const outcome = `${name}: ${success} of ${sent} products, ${rate} a second, ${total} in the catalog`
    say(outcome)
    if (failed > 0 || success !== sent || total !== left) faults.push(`${outcome} instead of ${left}`)
  }
  const retail = await Sample.products()
  const before = await Catalog.total(api)
  const whole = (product: RetailProduct) => Catalog.branded("Globex", inputOf(product))
  const all = before + retail.length
  await step("retail sample created", "POST", Catalog.bulksOf(retail, whole), all)
  const described = (product: RetailProduct) => ({ ...whole(product), description: `New words on ${product.name}` })
  await step("retail sample updated", "PUT", Catalog.bulksOf(retail, described), all)
  const codes = ({ item_code }: RetailProduct) => ({ item_code })
  await step("retail sample deleted", "DELETE", Catalog.bulksOf(retail, codes), before)
  const [pattern] = retail
  const inPart = Math.ceil(generated / parts)
  for (let part = 0; pattern !== undefined && part < parts; part++) {
    const many = Array.from({ length: inPart }, (_, i) => {
      const code = `GEN-${part}-${i}`
      return { ...pattern, item_code: code, sku: code, slug: code.toLowerCase(), name: `Generated ${code}` }
    })
    const left = before + inPart * (part + 1)
    await step(`generated products, part ${part + 1} of ${parts}`, "POST", Catalog.bulksOf(many, whole), left)
  }
  api.close()
  const memory = await memoryOf(host)
  return { faults, memory: memory === undefined ? "not known without /proc" : `${memory} MiB` }
}

CommandLine.main({
  name: "catalog-story",
  does:
    "Creates, updates and deletes the retail sample's catalog over HTTP, then creates generated products, on SQLite. When it " +
    "passes, every product was processed and the catalog's total was right after each step. It also measures the memory of " +
    "the host.",
  options: { products: CommandLine.count("products", 10_000, "products generated") },
  run: ({ products }) =>
    Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "crossdock-catalog-" })
      const host = yield* HostProcess.scoped({ DATABASE_URL: `sqlite:${join(folder, "story.db")}`, SANDBOX: "1" })
      const { faults, memory } = yield* Effect.promise(() => story(host, products))
      return {
        claim: "every product was processed",
        figures: { generated: products, "memory of the host": memory },
        faults
      }
    })
})
