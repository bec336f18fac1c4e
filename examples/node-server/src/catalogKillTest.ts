/**
 * `npm run catalog-kill-test`: kills the host with SIGKILL between the acceptance of catalog writes and their completion,
 * many times.
 *
 * Each round creates products, updates those of the round before, and kills the host at once. After the restart no write
 * may be stuck, every accepted product must exist once, and the audit trail must have exactly one record for each
 * processed write. Argument: the number of kills, 50 by default.
 */
import "./NodeVersion.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Api from "./Api.ts"
import * as Catalog from "./demo/Catalog.ts"
import * as Sample from "./demo/Sample.ts"
import * as HostProcess from "./HostProcess.ts"
import { inputOf } from "./SandboxData.ts"

const kills = Number(process.argv[2] ?? 50)
const perBulk = 50
const folder = await mkdtemp(join(tmpdir(), "crossdock-catalog-kill-"))
const file = join(folder, "kill.db")
const [pattern] = await Sample.products()
if (pattern === undefined) throw new Error("The sample is empty")

const codesOf = (round: number) => Array.from({ length: perBulk }, (_, i) => `KILL-${round}-${i}`)

const bulk = (round: number, name: string): Catalog.Bulk => ({
  template: pattern.template,
  products: codesOf(round).map((code) => ({
    ...inputOf({ ...pattern, item_code: code, sku: code, slug: code.toLowerCase(), name: `${name} ${code}` })
  }))
})

interface Products {
  readonly items: ReadonlyArray<{ readonly name: string; readonly sizes: ReadonlyArray<unknown> }>
}

const accepted: Array<string> = []
const updated = new Set<number>()
let running = 0
let wrong = 0
let slowest = 0

for (let round = 0; round <= kills; round++) {
  const host = await HostProcess.start({ DATABASE_URL: `sqlite:${file}`, SANDBOX: "1" })
  const api = await Api.seller(host.url)
  const began = performance.now()
  for (const trace of accepted.slice(-2)) {
    const outcome = await Catalog.settled(api, trace)
    if (outcome.status !== "SUCCESS" || outcome.success !== outcome.total) wrong++
  }
  slowest = Math.max(slowest, performance.now() - began)
  if (round === kills) {
    for (let past = 0; past < kills; past++) {
      const query = `/v3/catalog/product?page_size=200&item_code=${codesOf(past).join(",")}`
      const { body } = await api.call<Products>("GET", query)
      const name = updated.has(past) ? "Second" : "First"
      if (body.items.length !== perBulk) wrong++
      if (body.items.some((item) => !item.name.startsWith(name) || item.sizes.length !== 1)) wrong++
    }
    await host.stop()
    break
  }
  accepted.push((await Catalog.accept(api, "POST", bulk(round, "First"))).trace_id)
  if (round > 0) {
    accepted.push((await Catalog.accept(api, "PUT", bulk(round - 1, "Second"))).trace_id)
    updated.add(round - 1)
  }
  const killed = host.kill()
  await killed
  api.close()
  const database = new Database(file, { readonly: true })
  const open = database.prepare("SELECT COUNT(*) AS open FROM crossdock_catalog_writes WHERE stage = 'RUNNING'").get()
  database.close()
  running += (open as { readonly open: number }).open
  if ((round + 1) % 10 === 0) process.stdout.write(`${round + 1} kills\n`)
}
const database = new Database(file, { readonly: true })
const records = database
  .prepare(
    "SELECT entity_id, COUNT(*) AS records FROM crossdock_audit_records WHERE entity_type = 'product' GROUP BY 1"
  )
  .all() as ReadonlyArray<{ readonly entity_id: string; readonly records: number }>
database.close()
const twice = accepted.filter((trace) => records.find((one) => one.entity_id === trace)?.records !== 1).length
await rm(folder, { recursive: true })
process.stdout.write(
  `${kills} kills, ${accepted.length} writes of ${perBulk} products, ${running} open when the host died: ` +
    `${wrong} wrong outcomes, ${twice} writes not applied exactly once, slowest recovery ${Math.round(slowest)} ms\n`
)
process.exit(wrong + twice === 0 && running > 0 ? 0 : 1)
