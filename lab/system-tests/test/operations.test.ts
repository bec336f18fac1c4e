/**
 * An operator's files: rules, dashboard and the page of incidents. Tests that need Prometheus's programs are skipped with a
 * warning where these aren't installed (Debian: `apt-get install prometheus`).
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Metrics } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { expect } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import { line, order, place, shipmentOf } from "../../../packages/http/test/TestOrders.ts"
import * as Api from "../src/Api.ts"
import { send, settings, startHost } from "./TestHost.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = join(root, "operations/prometheus")
const rules = readFileSync(join(folder, "rules.yml"), "utf8")
const incidents = readFileSync(join(root, "docs/guides/incidents.md"), "utf8")

interface Thresholds {
  readonly steps: ReadonlyArray<{ readonly color: string; readonly value: number | null }>
}

interface Panel {
  readonly type: string
  readonly title: string
  readonly fieldConfig?: {
    readonly defaults: {
      readonly color?: unknown
      readonly noValue?: string
      readonly thresholds?: Thresholds
    }
    readonly overrides: ReadonlyArray<{
      readonly matcher: { readonly options: string }
      readonly properties: ReadonlyArray<{ readonly id: string; readonly value: Thresholds }>
    }>
  }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}

const dashboard: { readonly panels: ReadonlyArray<Panel> } = JSON.parse(
  readFileSync(join(root, "operations/grafana/crossdock.json"), "utf8")
)

const targets = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ ...panel, ...target })))

/** Grafana fills in the interval. */
const onDashboard = targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"))
const inRules = [...rules.matchAll(/expr: >-\n\s+(.*)/g)].map(([, expr = ""]) => expr)
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name)

const isInstalled = (program: string): boolean => {
  const found = spawnSync(program, ["--version"]).status === 0
  if (!found) console.warn(`${program} is not installed: what needs it is skipped`)
  return found
}

const withoutSuffix = (name: string) => name.replace(/_(bucket|count|sum)$/, "")

/** Labels that Prometheus adds, and histograms' labels. */
const everywhere = ["job", "instance", "le"]

describe("Rules and dashboard", () => {
  it("name only metrics and labels of the table", () => {
    assertTrue(inRules.length === alerts.length && onDashboard.length > 20)
    const known = new Map(Metrics.all.map(({ labels, name }) => [name, labels]))
    for (const expr of [...inRules, ...onDashboard]) {
      const names = [...expr.matchAll(/crossdock_\w+/g)].map(([name]) => withoutSuffix(name))
      deepStrictEqual(
        names.filter((name) => !known.has(name)),
        [],
        expr
      )
      const labels = [
        ...[...expr.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label = ""]) => label),
        ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/))
      ]
      const allowed: ReadonlyArray<string> = [...everywhere, ...names.flatMap((name) => known.get(name) ?? [])]
      deepStrictEqual(
        labels.filter((label) => !allowed.includes(label)),
        [],
        expr
      )
    }
  })

  it("the dashboard shows every metric of the table", () => {
    const text = onDashboard.join("\n")
    deepStrictEqual(
      Metrics.all.map(({ name }) => name).filter((name) => !text.includes(name)),
      []
    )
  })

  it("a figure of the dashboard is red from what an alert fires at, and never by its size alone", () => {
    const stats = dashboard.panels.filter(({ type }) => type === "stat")
    const red = (thresholds?: Thresholds) => thresholds?.steps.find(({ color }) => color === "red")?.value
    const redFrom = Object.fromEntries(
      stats.flatMap(({ fieldConfig, title }) => {
        const { color, thresholds } = fieldConfig?.defaults ?? {}
        const overrides = fieldConfig?.overrides ?? []
        return [
          [title, color === undefined ? red(thresholds) : null],
          ...overrides.map(({ matcher, properties }) => [`${title}: ${matcher.options}`, red(properties[0]?.value)])
        ]
      })
    )
    deepStrictEqual(redFrom, {
      Requests: null,
      "Answers 5xx": 0.02,
      "Slowest 1 of 100": 2.5,
      "Oldest pending work": 600,
      "Oldest pending work: sent": 900,
      "Oldest pending work: consumed": 3600,
      "Dead letters": 1,
      Database: null
    })
    const bounds = [
      /status=~"5.*> 0\.02$/,
      /0\.99, .*duration_seconds.*> 2\.5 and/,
      /queue=~"billing\|payments".*> 600$/,
      /queue="notifications".*> 900$/,
      /queue="endpoints".*> 900$/,
      /queue="events".*> 3600$/,
      /dead_letters\) > 0$/
    ]
    for (const bound of bounds)
      assertTrue(
        inRules.some((expr) => bound.test(expr)),
        String(bound)
      )
    deepStrictEqual(
      targets
        .filter(({ title }) => title === "Oldest pending work")
        .map(({ expr, legendFormat }) => [legendFormat, /queue=~"(.*)"/.exec(expr)?.[1]]),
      [
        ["work", "billing|payments"],
        ["sent", "notifications|endpoints"],
        ["consumed", "events"]
      ]
    )
  })

  it("a panel says None only where nothing may have happened, and not where figures are missing", () => {
    const always = Metrics.all.filter(({ type }) => type === "gauge").map(({ name }) => name)
    const none = targets.filter(({ fieldConfig }) => fieldConfig?.defaults.noValue === "None")
    assertTrue(none.length > 5)
    deepStrictEqual(
      none.flatMap(({ expr, title }) => (always.some((name) => expr.includes(name)) ? [title] : [])),
      []
    )
  })

  it("every alert leads to a section that names it, and every section of an alert has what to see and to do", () => {
    const sections = new Map(
      incidents
        .split(/^## /m)
        .slice(1)
        .map((section) => [section.split("\n")[0]?.toLowerCase().replaceAll(" ", "-"), section])
    )
    const runbooks = [...rules.matchAll(/runbook: docs\/guides\/incidents\.md#(\S+)/g)].map(([, anchor]) => anchor)
    strictEqual(runbooks.length, alerts.length)
    for (const [at, name] of alerts.entries()) {
      const section = sections.get(runbooks[at] ?? "") ?? ""
      for (const part of [`\`${name}\``, "See more:", "Do:"]) assertTrue(section.includes(part), `${name}: ${part}`)
    }
    const named = [...incidents.matchAll(/`(Crossdock\w+)`/g)].map(([, name]) => name)
    deepStrictEqual(named.toSorted(), alerts.toSorted())
  })
})

const promtool = isInstalled("promtool")

describe("Prometheus's promtool", () => {
  it.skipIf(!promtool)("accepts the rules, and every alert fires on its incident and on no healthy host", () => {
    for (const args of [
      ["check", "config", "prometheus.yml"],
      ["check", "rules", "rules.yml"],
      ["test", "rules", "rules.test.yml"]
    ]) {
      const { status, stderr, stdout } = spawnSync("promtool", args, { cwd: folder, encoding: "utf8" })
      strictEqual(status, 0, `${stdout}${stderr}`)
    }
    const tested = readFileSync(join(folder, "rules.test.yml"), "utf8")
    for (const name of alerts) assertTrue(tested.includes(`- name: ${name}`), `${name} has no test`)
  })
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
  })

interface Answer {
  readonly status: string
  readonly error?: string
  readonly data: { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
}

const prometheus = promtool && isInstalled("prometheus")

describe("A real Prometheus", () => {
  it.skipIf(!prometheus)(
    "scrapes a host, loads the rules without a fault, and has values for the panels of the dashboard",
    async () => {
      const host = await startHost(settings({ databaseUrl: `sqlite:${join(temporaryFolder(), "scraped.db")}` }))
      const [acme, bazaar] = [await Api.seller(host.url), await Api.marketplace(host.url)]
      const work = temporaryFolder()
      const port = await freePort()
      const config = readFileSync(join(folder, "prometheus.yml"), "utf8")
        .replace("127.0.0.1:8080", new URL(host.url).host)
        .replace("scrape_interval: 15s", "scrape_interval: 1s")
        .replace("rules.yml", join(folder, "rules.yml"))
      writeFileSync(join(work, "prometheus.yml"), config)
      const server = spawn(
        "prometheus",
        [
          `--config.file=${work}/prometheus.yml`,
          `--storage.tsdb.path=${work}/data`,
          `--web.listen-address=127.0.0.1:${port}`
        ],
        { stdio: "ignore" }
      )
      const ask = async (expr: string): Promise<Answer> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`)
        return (await answer.json()) as Answer
      }
      const values = async (expr: string) => (await ask(expr).catch(() => undefined))?.data?.result.length ?? 0
      try {
        await expect.poll(() => values('up{job="crossdock"} == 1'), { interval: 200 }).toBe(1)
        // Two scrapes with work in between give every rate a value.
        for (let round = 0; round < 4; round++) {
          await acme.call("PUT", "/ims/v3/inventory", [
            { location_id: "BLR1", sku: "85123A", quantity: 50 + round },
            { location_id: "BLR1", sku: "nobody's", quantity: 1 }
          ])
          await place(bazaar, order([shipmentOf([line("85123A")])]))
          await send(host.url, "GET", "/nothing")
          await new Promise((resolve) => setTimeout(resolve, 1_100))
        }
        for (const { expr, title } of targets) {
          const { error, status } = await ask(expr.replaceAll("$__rate_interval", "1m"))
          strictEqual(status, "success", `${title}: ${error}`)
        }
        // A sandbox host without a receiver sends no notifications, a single writer never restarts, and SQLite has no clock.
        const idle = /notification|write_restarts|clock/
        const shown = targets
          .filter(({ expr }) => !idle.test(expr))
          .map(({ expr }) => expr.replaceAll("$__rate_interval", "1m"))
        await expect
          .poll(async () => (await Promise.all(shown.map(values))).filter((count) => count === 0).length, {
            interval: 500
          })
          .toBe(0)
        const loaded = (await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json()) as {
          data: { groups: ReadonlyArray<{ rules: ReadonlyArray<{ name: string; health: string; state: string }> }> }
        }
        const found = loaded.data.groups.flatMap(({ rules }) => rules)
        deepStrictEqual(found.map(({ name }) => name).toSorted(), alerts.toSorted())
        deepStrictEqual(
          found.filter(({ health, state }) => health === "err" || state === "firing"),
          []
        )
      } finally {
        await ended(server)
        acme.close()
        bazaar.close()
        await host.stop()
      }
    }
  )
})
