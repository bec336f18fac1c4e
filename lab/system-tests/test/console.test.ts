/** The console in Chromium: every screen in both widths and schemes without faults of axe or browser, and a visitor's clicks. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Option } from "effect"
import { afterAll, beforeAll, describe, it } from "vitest"
import { launched, type Page } from "./Chromium.ts"
import { crossdock } from "./TestCommand.ts"
import { type RunningHost, settings, startHost } from "./TestHost.ts"

const browser = await launched()

/** A folder for every screen's picture. */
const { SHOTS } = process.env

/** The screens' headings; `…` is a shipment's or record's id. */
const screens = [
  "home",
  "orders",
  "orders/…",
  "stock",
  "stock/BLR1/85123A",
  "products",
  "webhooks",
  "webhooks/marketplace/bazaar",
  "webhooks/marketplace/bazaar/msg_19c13ec9e000000000000001",
  "billing",
  "audit",
  "audit/…",
  "health"
]

/** One page of each kind: the start, a guide, an operation, a generated table, the playground. */
const documentation = ["", "/guides/quickstart", "/reference/seller/stock-update", "/errors", "/playground"]

describe.skipIf(browser === undefined)("The console in Chromium", () => {
  const arrived: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = []
  const receiver = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      arrived.push({ headers: request.headers, body })
      response.writeHead(204).end()
    })
  })
  const faults: Array<string> = []
  let host: RunningHost
  let page: Page
  let first: { readonly shipment: string; readonly record: string }

  /** Opens a screen and waits until it has loaded. */
  const open = async (address: string) => {
    const before = await page.evaluate(() => document.querySelector("main")?.getAttribute("data-seen") ?? "")
    strictEqual(before, "")
    await page.evaluate((hash) => {
      document.querySelector("main")?.setAttribute("data-seen", "yes")
      location.hash = `#/${hash}`
    }, address)
    await settled()
  }
  const settled = () =>
    page.waitForFunction(() => {
      const main = document.querySelector("main:not([data-seen])")
      return main !== null && !main.textContent?.includes("Loading …")
    }, {})
  const press = (label: string) =>
    page.evaluate((name) => {
      const button = [...document.querySelectorAll("button")].find((one) => one.textContent === name)
      if (button === undefined) throw new Error(`There is no button ${name}`)
      button.click()
    }, label)
  const shows = (text: string) =>
    page.waitForFunction((wanted: string) => document.querySelector("main")?.textContent?.includes(wanted), {}, text)
  const text = () => page.evaluate(() => document.querySelector("main")?.textContent ?? "")
  const type = (name: string, value: string) =>
    page.evaluate(
      (of, typed) => {
        const field = document.querySelector<HTMLInputElement>(`[name=${of}]`)
        if (field !== null) field.value = typed
      },
      name,
      value
    )

  beforeAll(async () => {
    if (browser === undefined) return
    receiver.listen(0, "127.0.0.1")
    await new Promise((resolve) => receiver.once("listening", resolve))
    const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/inventory`
    host = await startHost(settings({ sandbox: Option.some("day"), sandboxWebhookUrl: Option.some(webhook) }))
    page = await browser.newPage()
    page.on("console", (said) => {
      if (said.type?.() === "error" || said.type?.() === "warn") faults.push(said.text?.() ?? "")
    })
    page.on("pageerror", ({ message = "" }) => faults.push(message))
    await page.evaluateOnNewDocument(
      'addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => console.error(violatedDirective, blockedURI))'
    )
    await page.goto(`${host.url}/console`)
    await settled()
    await open("orders")
    const shipment = await page.evaluate(
      () => document.querySelector<HTMLAnchorElement>("tbody a")?.hash.split("/")[2] ?? ""
    )
    await open("audit")
    const record = await page.evaluate(
      () => document.querySelector<HTMLAnchorElement>("tbody a")?.hash.split("/")[2] ?? ""
    )
    first = { shipment, record }
  })

  afterAll(async () => {
    receiver.close()
    await browser?.close()
    await host?.stop()
  })

  const axe = browser && createRequire(import.meta.url).resolve("axe-core")

  it("has no fault on any screen, wide or narrow, light or dark, and never scrolls sideways", async () => {
    for (const width of [390, 1280]) {
      for (const scheme of ["light", "dark"]) {
        await page.setViewport({ width, height: 900 })
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }])
        for (const screen of screens) {
          await open(screen.replace("…", screen.startsWith("orders") ? first.shipment : first.record))
          const said = await judged()
          const where = `${screen}, ${width} px, ${scheme}`
          deepStrictEqual({ where, ...said }, { where, violations: [], tooWide: 0, heading: 1, focused: "H1" })
          const name = `${screen.replace("/…", "-one").replaceAll("/", "-")}-${width}-${scheme}.png`
          if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, name), fullPage: true })
        }
      }
    }
    deepStrictEqual(faults, [])
  })

  it("leads to documentation without a fault", async () => {
    for (const [width, scheme] of [[390, "dark"] as const, [1280, "light"] as const]) {
      await page.setViewport({ width, height: 900 })
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }])
      for (const path of documentation) {
        await page.goto(`${host.url}/docs${path}`)
        const { tooWide, violations } = await judged()
        deepStrictEqual({ path, violations, tooWide }, { path, violations: [], tooWide: 0 })
        const name = `docs${path.replaceAll("/", "-")}-${width}-${scheme}.png`
        if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, name), fullPage: true })
      }
    }
    await page.goto(`${host.url}/console`)
    await settled()
  })

  /** Axe's findings on the screen, and its gaps. The page's policy forbids others' scripts, so axe runs in an isolated world. */
  const judged = async () => {
    const violations = await analysed()
    const [tooWide, heading, focused] = await page.evaluate(() => [
      document.documentElement.scrollWidth - innerWidth,
      document.querySelectorAll("h1").length,
      document.activeElement?.tagName
    ])
    return { violations, tooWide, heading, focused }
  }

  const analysed = async () => {
    if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axeSource())
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: {
          run: () => Promise<{ violations: ReadonlyArray<{ id: string; nodes: ReadonlyArray<{ html: string }> }> }>
        }
      }
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    })
  }

  const axeSource = async () => {
    const { readFile } = await import("node:fs/promises")
    return (await readFile(axe ?? "", "utf8")) as unknown as () => void
  }

  it("signs an operator in, for one company at a time, and out", async () => {
    const folder = mkdtempSync(join(tmpdir(), "console-"))
    const environment = { DATABASE_URL: `sqlite:${join(folder, "shop.db")}`, SANDBOX: "0" }
    const run = async (command: string) => {
      const { code, stderr, stdout } = await crossdock(command.split(" "), environment, "correct horse battery")
      deepStrictEqual([command, code, stderr], [command, 0, ""])
      return stdout
    }
    for (const one of ["migrate", "company add 7 --name Acme --legal-name Acme", "operator add asha"]) await run(one)
    const { DATABASE_URL: databaseUrl } = environment
    const own = await startHost(settings({ databaseUrl, sandbox: Option.some(false), console: Option.some(true) }))
    await page.goto(`${own.url}/console`)
    await shows("Sign in")
    deepStrictEqual(await analysed(), [])
    await type("username", "asha")
    await type("password", "correct horse battery")
    await press("Sign in")
    await shows("Open a company")
    await type("company", "7")
    await press("Open")
    await shows("You act for company 7.")
    await shows("operator open")
    match(await text(), /operator:asha \(system\)/)
    deepStrictEqual(await analysed(), [])
    await press("Sign out")
    await shows("With an operator's account")
    await own.stop()
    rmSync(folder, { recursive: true })
    deepStrictEqual(faults, [])
    await page.goto(`${host.url}/console`)
    await settled()
  })

  it("confirms and invoices a shipment by its buttons, each with its curl", async () => {
    await open(`orders/${first.shipment}`)
    match(await text(), /curl -X POST http:\S+\/oms\/v3\/shipment\/confirm/)
    await press("Confirm")
    await shows("Stepbag confirmed")
    await press("Invoice")
    await shows("Stepdp assigned")
    match(await text(), /Pack/)
    strictEqual(await page.evaluate(() => document.getElementById("live")?.textContent), "Invoice: done.")
  })

  it("explains each number of a stock level as a sum", async () => {
    await open("stock")
    await page.evaluate(() => document.querySelector<HTMLElement>("td a")?.click())
    await shows("sellable =")
    match(await text(), /47 sellable = 51 on hand − 4 reserved.*51 is the sum of these 7\..*4 is the sum of these 2\./s)
  })

  it("shows the deliveries of webhooks, and verifies the signature of one", async () => {
    for (const until = Date.now() + 10_000; arrived.length === 0 && Date.now() < until; )
      await new Promise((resolve) => setTimeout(resolve, 50))
    const [one] = arrived
    await open("webhooks")
    match(await text(), /Accepted notifications[1-9]/)
    for (const [name, header] of [
      ["id", "webhook-id"],
      ["timestamp", "webhook-timestamp"],
      ["signature", "webhook-signature"]
    ] as const)
      await type(name, String(one?.headers[header]))
    await type("secret", "whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ=")
    await type("body", one?.body ?? "")
    await press("Check the signature")
    await shows("Right: the secret signed this body.")
    await type("body", `${one?.body} `)
    await press("Check the signature")
    await shows("Wrong:")
  })

  it("shows a dead letter's body, and sends it again", async () => {
    await open("home")
    await open("webhooks")
    match(await text(), /bazaarstock, to a marketplaceaccepted\d+ of \d+0–1souk/)
    await open("webhooks/marketplace/bazaar/msg_19c13ec9e000000000000001")
    match(await text(), /"quantity": 100/)
    await press("Send again")
    await shows("It is sent again, before newer webhooks.")
    await open("webhooks")
    await shows("None: nothing was given up.")
    await open("audit")
    await shows("marketplace resend")
    match(await text(), /operator:root \(system\)/)
  })

  it("verifies the audit chain, and lists what doctor finds", async () => {
    await open("home")
    await open("audit")
    await shows("Stateintact")
    await open("health")
    await shows("audit trails")
    match(await text(), /oksandboxon, and only this machine can reach the host–/)
  })

  it("locates the faults of a product, and corrects what it can", async () => {
    await open("products")
    await press("Check")
    await shows("No fault")
    await page.evaluate(() => {
      const body = document.querySelector<HTMLTextAreaElement>("textarea")
      if (body !== null) body.value = body.value.replace(/"brand": "\w+"/, '"brand": "<b>Acne</b>"')
    })
    await press("Check")
    await shows("UNKNOWN_BRAND")
    match(await text(), /"brand": "<b>Acne<\/b>" ← /)
    strictEqual(await page.evaluate(() => document.querySelectorAll("main b").length), 0)
  })

  it("activates a plan with a coupon, as a trial without an invoice", async () => {
    await open("billing")
    await type("coupon_code", "WELCOME10")
    await press("Preview the coupon")
    await shows("WELCOME10 takes 99.9 off the price of basic.")
    await press("Activate the plan")
    await shows("Trial until")
  })
})
