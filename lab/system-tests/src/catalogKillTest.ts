/**
 * `npm run lab -- catalog-kill 50`: kills the host with SIGKILL between the acceptance of catalog writes and their completion;
 * `--help` says more.
 */
import "@crossdock/cli/NodeVersion"
import { join } from "node:path"
import { inputOf, type RetailProduct } from "@crossdock/cli/SandboxData"
import Database from "better-sqlite3"
import { Effect, FileSystem } from "effect"
import * as Api from "./Api.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Catalog from "./demo/Catalog.ts"
import * as Sample from "./demo/Sample.ts"
import * as HostProcess from "./HostProcess.ts"

const perBulk = 50

const codesOf = (round: number) => Array.from({ length: perBulk }, (_, i) => `KILL-${round}-${i}`)

const bulk = (pattern: RetailProduct, round: number, name: string): Catalog.Bulk => ({
  template: pattern.template,
  products: codesOf(round).map((code) => ({
    ...inputOf({ ...pattern, item_code: code, sku: code, slug: code.toLowerCase(), name: `${name} ${code}` })
  }))
})

interface Products {
  readonly items: ReadonlyArray<{ readonly name: string; readonly sizes: ReadonlyArray<unknown> }>
}

const rows = <A>(file: string, query: string): ReadonlyArray<A> => {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare(query).all() as ReadonlyArray<A>
  } finally {
    database.close()
  }
}

/** What the rounds before have left. */
interface Past {
  /** The traces of all accepted writes. */
  readonly accepted: Array<string>
  readonly faults: Array<string>
  slowestMillis: number
}

/** The writes that the last host had accepted must be processed. */
const recover = async (api: Api.Api, past: Past) => {
  const began = performance.now()
  for (const trace of past.accepted.slice(-2)) {
    const { status, success, total } = await Catalog.settled(api, trace)
    if (status !== "SUCCESS" || success !== total)
      past.faults.push(`${trace} ended as ${status}: ${success} of ${total}`)
  }
  past.slowestMillis = Math.max(past.slowestMillis, performance.now() - began)
}

/** Every product of every round must be there once, with its last name. */
const compare = async (api: Api.Api, kills: number, { faults }: Past) => {
  for (let round = 0; round < kills; round++) {
    const query = `/v3/catalog/product?page_size=200&item_code=${codesOf(round).join(",")}`
    const { items } = (await api.call<Products>("GET", query)).body
    const name = round < kills - 1 ? "Second" : "First"
    if (items.length !== perBulk) faults.push(`round ${round} left ${items.length} of ${perBulk} products`)
    const wrong = items.filter((item) => !item.name.startsWith(name) || item.sizes.length !== 1).length
    if (wrong > 0) faults.push(`${wrong} products of round ${round} are not as they were written last`)
  }
}

CommandLine.main({
  name: "catalog-kill",
  does:
    "Creates products, updates those of the round before, and kills the host with SIGKILL at once, many times, on SQLite. " +
    "When it passes, after the restart no write is stuck, every accepted product exists once, and the audit trail has exactly " +
    "one record for each write.",
  options: { kills: CommandLine.count("kills", 50, "times that the host is killed") },
  run: ({ kills }) =>
    Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({
        prefix: "crossdock-catalog-kill-"
      })
      const file = join(folder, "kill.db")
      const [pattern] = yield* Effect.promise(Sample.products)
      if (pattern === undefined) return yield* Effect.die(new Error("The sample is empty"))
      const past: Past = { accepted: [], faults: [], slowestMillis: 0 }
      let running = 0

      const round = (nth: number) =>
        Effect.gen(function* () {
          const host = yield* HostProcess.scoped({ DATABASE_URL: `sqlite:${file}`, SANDBOX: "1" })
          yield* Effect.promise(async () => {
            const api = await Api.seller(host.url)
            await recover(api, past)
            if (nth === kills) await compare(api, kills, past)
            else {
              past.accepted.push((await Catalog.accept(api, "POST", bulk(pattern, nth, "First"))).trace_id)
              if (nth > 0)
                past.accepted.push((await Catalog.accept(api, "PUT", bulk(pattern, nth - 1, "Second"))).trace_id)
              await host.kill()
            }
            api.close()
          })
        }).pipe(Effect.scoped)

      for (let nth = 0; nth <= kills; nth++) {
        yield* round(nth)
        if (nth === kills) break
        running += rows(file, "SELECT 1 FROM crossdock_catalog_writes WHERE stage = 'RUNNING'").length
        if ((nth + 1) % 10 === 0) process.stderr.write(`${nth + 1} kills\n`)
      }
      const records = new Map(
        rows<{ readonly entity_id: string; readonly records: number }>(
          file,
          "SELECT entity_id, COUNT(*) AS records FROM crossdock_audit_records WHERE entity_type = 'product' GROUP BY 1"
        ).map((row) => [row.entity_id, row.records])
      )
      for (const trace of past.accepted) {
        if (records.get(trace) !== 1) past.faults.push(`${trace} was applied ${records.get(trace) ?? 0} times`)
      }
      if (running === 0) past.faults.push("no write was open when the host died, so nothing was tried")
      return {
        claim: "every accepted catalog write was applied exactly once",
        figures: {
          kills,
          writes: past.accepted.length,
          "products in each": perBulk,
          "open when the host died": running,
          "slowest recovery": `${Math.round(past.slowestMillis)} ms`
        },
        faults: past.faults
      }
    })
})
