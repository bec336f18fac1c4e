/** `npm run lab -- billing 100000 10000 200` tests random histories, ten years, and hosts killed during payments. */
import "@crossdock/cli/NodeVersion"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Directory } from "@crossdock/access"
import { BillingPeriod, BillingRun, BillingStore, Invoice } from "@crossdock/billing"
import { CompanyId, Instant } from "@crossdock/kernel"
import { Effect, FileSystem } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import { agreement, invoice, services } from "./billing/Ground.ts"
import { type History, history, play } from "./billing/Histories.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Verdict from "./Verdict.ts"

const options = {
  histories: CommandLine.count("histories", 100_000, "random histories of a subscription"),
  subscriptions: CommandLine.count("subscriptions", 10_000, "subscriptions over ten years"),
  kills: CommandLine.count("kills", 200, "hosts killed around the provider's call")
}

type Part = Pick<Verdict.Verdict, "faults" | "figures">

const soak = (histories: number): Part => {
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
  return {
    figures: {
      "random histories": `${histories}, seed ${seed}, ${invoices} invoices, ${Verdict.secondsSince(since)}`
    },
    faults: result.failed ? [`a preview is not its charge: ${JSON.stringify(result.counterexample)}`] : []
  }
}

const decade = (subscriptions: number) =>
  Effect.gen(function* () {
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
          anchor: start + (n % 31) * Instant.dayMillis,
          activatedAt: start
        })
      )
    )
    for (let month = 1; month <= 120; month++) {
      yield* TestClock.setTime(BillingPeriod.startOf(start, "month", month) - 1)
      yield* bill
    }
    const digest = createHash("sha256")
    let [count, twice] = [0, 0]
    for (const company of companies) {
      const { items, total } = yield* store.invoices(company, { number: 1, size: 10_000_000 })
      count += total
      const lines = items.map((one) => `${one.agreementId} ${one.index} ${one.period.start} ${one.total}`).sort()
      for (const line of lines) digest.update(line)
      const numbers = new Set(items.map(({ number }) => number))
      twice += 2 * total - numbers.size - new Set(lines).size
    }
    return { count, digest: digest.digest("hex"), twice }
  })

const tenYears = async (subscriptions: number): Promise<Part> => {
  const since = performance.now()
  const play = () =>
    Effect.runPromise(
      decade(subscriptions).pipe(Effect.provide(services("sqlite::memory:")), Effect.provide(TestClock.layer()))
    )
  const [first, again] = [await play(), await play()]
  const wanted = subscriptions * 120
  return {
    figures: {
      "ten years, twice": `${subscriptions} subscriptions, ${first.count} invoices, ${Verdict.secondsSince(since)}`
    },
    faults: [
      ...(first.count === wanted ? [] : [`${first.count} invoices instead of ${wanted}`]),
      ...(first.twice === 0 ? [] : [`${first.twice} invoices have a number or a period that another one has`]),
      ...(first.digest === again.digest ? [] : ["the replay of ten years is not the same"])
    ]
  }
}

const collector = fileURLToPath(new URL("./billing/collector.js", import.meta.url))

const killed = (kills: number) =>
  Effect.gen(function* () {
    const since = performance.now()
    const fileSystem = yield* FileSystem.FileSystem
    const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "crossdock-billing-" })
    const [url, books] = [`sqlite:${join(folder, "billing.db")}`, join(folder, "books.txt")]
    yield* fileSystem.writeFileString(books, "")
    const one = CompanyId.make(1)
    const payments = kills * 12
    yield* Effect.gen(function* () {
      const [directory, store] = [yield* Directory, yield* BillingStore]
      yield* directory.putCompanies([{ id: one, name: "1", legalName: "1" }])
      yield* store.save([agreement(one, "a", { status: "active", anchor: Date.UTC(2200, 0, 1) })])
      yield* store.issue(Array.from({ length: payments }, (_, n) => invoice(one, n)))
    }).pipe(Effect.provide(services(url)))
    const run = (phase: string) =>
      Effect.callback<number | null>((resume) => {
        const stdio = ["ignore", "inherit", "inherit"] as const
        const child = spawn(process.execPath, [collector, url, books, phase], { stdio: [...stdio] })
        child.once("exit", (code) => resume(Effect.succeed(code)))
        return Effect.sync(() => child.kill("SIGKILL"))
      })
    let deaths = 0
    for (; deaths < kills; deaths++) {
      const code = yield* run(["before", "during", "after"][deaths % 3] ?? "before")
      if (code !== null) break
    }
    yield* run("never")
    const lines = (yield* fileSystem.readFileString(books)).split("\n").filter((line) => line !== "")
    const twice = lines.length - new Set(lines.map((key) => key.slice(0, key.lastIndexOf("-")))).size
    const paid = yield* Effect.flatMap(BillingStore, (store) =>
      store.invoices(one, { number: 1, size: payments })
    ).pipe(
      Effect.map(({ items }) => items.filter(({ status }) => status === "paid").length),
      Effect.provide(services(url))
    )
    const part: Part = {
      figures: { "hosts killed": `${deaths}, ${paid} of ${payments} payments settled, ${Verdict.secondsSince(since)}` },
      faults: [
        ...(deaths === kills ? [] : [`only ${deaths} of ${kills} hosts died`]),
        ...(twice === 0 ? [] : [`${twice} payments were charged twice`]),
        ...(lines.length === payments ? [] : [`the provider charged ${lines.length} of ${payments} payments`]),
        ...(paid === payments ? [] : [`${payments - paid} payments were not settled`])
      ]
    }
    return part
  }).pipe(Effect.scoped)

CommandLine.main({
  name: "billing",
  does:
    "Plays random histories of a subscription, ten years of many subscriptions on a test clock, and kills hosts before, during " +
    "and after the payment provider's call. When it passes, every preview equals its charge, ten years have each invoice " +
    "exactly once and are the same when they are replayed, and no payment was charged twice or lost.",
  options,
  run: ({ histories, kills, subscriptions }) =>
    Effect.gen(function* () {
      const parts = [soak(histories), yield* Effect.promise(() => tenYears(subscriptions)), yield* killed(kills)]
      return {
        claim: "every preview equals its charge, and every period is invoiced and paid exactly once",
        figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
        faults: parts.flatMap(({ faults }) => faults)
      }
    })
})
