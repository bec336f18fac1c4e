/**
 * `npm run billing-test`: random histories whose previews must equal their charges, ten years of many subscriptions on a
 * test clock, and hosts killed around the payment provider's call. Arguments: the number of histories, of subscriptions
 * and of kills.
 */
import "./NodeVersion.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Directory } from "@crossdock/access"
import { BillingCalendar, BillingRun, BillingStore, Invoice } from "@crossdock/billing"
import { CompanyId } from "@crossdock/kernel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import { agreement, invoice, services } from "./billing/Ground.ts"
import { type History, history, play } from "./billing/Histories.ts"

const [histories = 100_000, subscriptions = 10_000, kills = 200] = process.argv.slice(2).map(Number)
const say = (text: string) => process.stdout.write(`${text}\n`)
const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1)
let faults = 0

const soak = () => {
  const since = performance.now()
  const seed = Date.now() % 2 ** 31
  let invoices = 0
  const result = FastCheck.check(
    FastCheck.property(history, (one: History) => {
      const { charged, previewed } = play(one)
      invoices += charged.length
      return (
        JSON.stringify(charged) === JSON.stringify(previewed) &&
        charged.every(({ items, total }) => Invoice.sum(items.map(({ amount }) => amount)) === total && total >= 0)
      )
    }),
    { numRuns: histories, seed }
  )
  if (result.failed) {
    faults++
    say(JSON.stringify(result.counterexample))
  }
  say(
    `${histories} random histories (seed ${seed}), ${invoices} invoices: ${result.failed ? "NOT " : ""}every preview equals its charge, ${seconds(since)} s`
  )
}

const decade = Effect.gen(function* () {
  const start = Date.UTC(2026, 0, 1)
  yield* TestClock.setTime(start)
  const [directory, store, { bill }] = [yield* Directory, yield* BillingStore, yield* BillingRun.BillingRun]
  const companies = Array.from({ length: 10 }, (_, n) => CompanyId.make(n + 1))
  yield* directory.putCompanies(companies.map((id) => ({ id, name: `${id}`, legalName: `${id}` })))
  yield* store.save(
    Array.from({ length: subscriptions }, (_, n) =>
      agreement(companies[n % 10] ?? CompanyId.make(1), `s${n}`, {
        entityId: `ext${n}`,
        status: "active",
        anchor: start + (n % 31) * BillingCalendar.dayMillis,
        activatedAt: start
      })
    )
  )
  for (let month = 1; month <= 120; month++) {
    yield* TestClock.setTime(BillingCalendar.startOf(start, "month", month) - 1)
    yield* bill
  }
  const digest = createHash("sha256")
  let count = 0
  for (const company of companies) {
    const { items, total } = yield* store.invoices(company, { number: 1, size: 10_000_000 })
    count += total
    const lines = items.map((one) => `${one.agreementId} ${one.index} ${one.period.start} ${one.total}`).sort()
    for (const line of lines) digest.update(line)
    const numbers = new Set(items.map(({ number }) => number))
    if (numbers.size !== total || new Set(lines).size !== total) faults++
  }
  return { count, digest: digest.digest("hex") }
})

const tenYears = async () => {
  const results: Array<{ readonly count: number; readonly digest: string }> = []
  for (let replay = 0; replay < 2; replay++) {
    const since = performance.now()
    results.push(
      await Effect.runPromise(
        decade.pipe(Effect.provide(services("sqlite::memory:")), Effect.provide(TestClock.layer()))
      )
    )
    say(`${subscriptions} subscriptions over 10 years: ${results.at(-1)?.count} invoices in ${seconds(since)} s`)
  }
  const [first, again] = results
  const isSame = first?.digest === again?.digest && first?.count === subscriptions * 120
  if (!isSame) faults++
  say(`The replay is ${isSame ? "the same" : "NOT the same"}`)
}

const collector = fileURLToPath(new URL("./billing/collector.js", import.meta.url))

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))

const killed = async () => {
  const since = performance.now()
  const folder = await mkdtemp(join(tmpdir(), "crossdock-billing-"))
  const [url, books] = [`sqlite:${join(folder, "billing.db")}`, join(folder, "books.txt")]
  await writeFile(books, "")
  const one = CompanyId.make(1)
  const payments = kills * 12
  const seed = Effect.gen(function* () {
    const [directory, store] = [yield* Directory, yield* BillingStore]
    yield* directory.putCompanies([{ id: one, name: "1", legalName: "1" }])
    yield* store.save([agreement(one, "a", { status: "active", anchor: Date.UTC(2200, 0, 1) })])
    yield* store.issue(Array.from({ length: payments }, (_, n) => invoice(one, n)))
  })
  await Effect.runPromise(seed.pipe(Effect.provide(services(url))))
  let deaths = 0
  const run = (phase: string) =>
    ended(spawn(process.execPath, [collector, url, books, phase], { stdio: ["ignore", "inherit", "inherit"] }))
  for (; deaths < kills; deaths++) {
    const code = await run(["before", "during", "after"][deaths % 3] ?? "before")
    if (code !== null) break
  }
  await run("never")
  const lines = (await readFile(books, "utf8")).split("\n").filter((line) => line !== "")
  const twice = lines.length - new Set(lines.map((line) => line.split("-")[0])).size
  const paid = await Effect.runPromise(
    Effect.flatMap(BillingStore, (store) => store.invoices(one, { number: 1, size: payments })).pipe(
      Effect.map(({ items }) => items.filter(({ status }) => status === "paid").length),
      Effect.provide(services(url))
    )
  )
  await rm(folder, { recursive: true })
  if (twice > 0 || paid !== payments || lines.length !== payments || deaths !== kills) faults++
  say(
    `${deaths} hosts killed before, during and after the provider's call: ${twice} charged twice, ${paid} of ${payments} settled, ${seconds(since)} s`
  )
}

soak()
await tenYears()
await killed()
process.exit(faults === 0 ? 0 : 1)
