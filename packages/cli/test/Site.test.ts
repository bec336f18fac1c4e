import { fail } from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as HostProcess from "../../../lab/system-tests/src/HostProcess.ts"
import { launched } from "../../../lab/system-tests/test/Chromium.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = temporaryFolder()
const own = join(root, "packages/cli/site")
const browser = await launched()

/** Builds the site, and returns its files and the seconds of processor time, which a busy machine doesn't change. */
const built = (target: string) => {
  const command = `"${process.execPath}" scripts/site.mjs "${target}" && times`
  const times = execFileSync("bash", ["-c", command], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })
  const parts = [...(times.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)]
  const seconds = parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0)
  const files = globSync("**/*.*", { cwd: target }).sort()
  return { seconds, files: new Map(files.map((path) => [path, readFileSync(join(target, path), "utf8")])) }
}

describe("the documentation site", () => {
  it("is built in less than a minute, the same as before, without a dead link", () => {
    const { files, seconds } = built(join(folder, "site"))
    assertTrue(seconds > 0 && seconds < 60 && files.size > 300, `${seconds} s, ${files.size} files`)
    deepStrictEqual([...files.keys()], globSync("**/*.*", { cwd: own }).sort())
    for (const [path, text] of files) assertTrue(text === readFileSync(join(own, path), "utf8"), path)
  })

  it("has no inline script or style, and no outside address", () => {
    for (const path of globSync("**/*.html", { cwd: own })) {
      const text = readFileSync(join(own, path), "utf8")
      deepStrictEqual(
        text.match(/<script(?![^>]* src=)|<style|\s(?:style|on\w+)="|(?:src|href)="(?:\w+:|\/)/g),
        null,
        path
      )
    }
  })

  it("has each page as Markdown, whose links lead to Markdown", () => {
    const pages = globSync("**/*.html", { cwd: own }).filter((path) => !/^(at-docs|errors)\.html$/.test(path))
    for (const path of pages) {
      const markdown = path.replace(/html$/, "md")
      assertTrue(existsSync(join(own, markdown)), markdown)
      for (const [, link = ""] of readFileSync(join(own, markdown), "utf8").matchAll(
        /\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g
      ))
        assertTrue(existsSync(join(own, markdown, "..", link)), `${markdown}: ${link}`)
    }
  })

  it("finds the page of each task by one search, and nothing of the internals", () => {
    const [index = "", script = ""] = ["search", "site"].map((name) =>
      readFileSync(join(own, globSync(`assets/${name}.*.js`, { cwd: own })[0] ?? ""), "utf8")
    )
    const page = { addEventListener: () => {}, localStorage: { getItem: () => null } }
    type Find = (
      query: string
    ) => ReadonlyArray<{ readonly page: readonly [title: string, path: string, section: string] }>
    const find: Find = runInNewContext(`${index}\n${script}\nsearchIn(searchIndex)`, page)
    const first = (query: string) =>
      find(query)
        .slice(0, 3)
        .map(({ page: [, path] }) => path)
    const tasks = {
      "first order": "guides/first-delivery.html",
      "verify webhook": "guides/receivers.html",
      "stock explain": "reference/command-line.html",
      "update product": "reference/seller/products-update.html",
      "rejected product": "guides/mend-a-product.html",
      "trial coupon": "guides/plans.html",
      "test one rule": "guides/rules-alone.html",
      "cost 1,000 sellers": "guides/sizing.html",
      ESP_ABOVE_MRP: "reference/errors.html",
      RTO: "guides/glossary.html"
    }
    for (const [query, path] of Object.entries(tasks))
      assertTrue(first(query).includes(path), `${query}: ${first(query)}`)
    deepStrictEqual(
      ["company's row", "decisions", "measurements", "architecture"]
        .flatMap(find)
        .filter(({ page: [, , section] }) => section === "Internals"),
      []
    )
  })
})

describe("the documentation site on a host", () => {
  let host: Awaited<ReturnType<typeof HostProcess.start>>
  beforeAll(async () => {
    host = await HostProcess.start({ DATABASE_URL: "sqlite::memory:", SANDBOX: "1" })
  })
  afterAll(() => host.stop())

  it("answers at /docs and at the addresses of earlier releases, with a strict policy", async () => {
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    for (const path of [
      "/docs",
      "/docs/errors",
      "/docs/reference/bulk",
      "/docs/reference/errors",
      "/docs/guides/quickstart.html"
    ]) {
      const answer = await fetch(`${host.url}${path}`, { redirect: "manual" })
      deepStrictEqual([answer.status, answer.headers.get("content-security-policy")], [200, policy], path)
      strictEqual(answer.headers.get("cache-control"), "no-cache")
      const again = await fetch(`${host.url}${path}`, {
        headers: { "if-none-match": answer.headers.get("etag") ?? "" }
      })
      strictEqual(again.status, 304, path)
      for (const [, link = ""] of (await answer.text()).matchAll(
        /(?:src|href)="(assets[^"]*|docs\/assets[^"]*|\.\.\/assets[^"]*)"/g
      )) {
        const asset = await fetch(new URL(link, `${host.url}${path}`))
        deepStrictEqual(
          [asset.status, asset.headers.get("cache-control")],
          [200, "public, max-age=31536000, immutable"],
          link
        )
        await asset.arrayBuffer()
      }
    }
  })

  it("leads to the pages to try requests, and back", async () => {
    assertMatch(await (await fetch(`${host.url}/docs`)).text(), /href="docs\/seller"/)
    assertMatch(
      await (await fetch(`${host.url}/docs/seller`)).text(),
      /<body>\s*<style>[^<]*<\/style>\s*<a class="docs-link" href="\.\.\/docs">/
    )
  })

  it("has no other file", async () => {
    for (const path of [
      "/docs/nothing",
      "/docs/reference",
      "/docs/..%2fpackage.json",
      "/docs/%2e%2e%2fpackage.json",
      "/docs/assets/nothing.js"
    ]) {
      const answer = await fetch(`${host.url}${path}`)
      deepStrictEqual([answer.status, ((await answer.json()) as { code: string }).code], [404, "ROUTE_NOT_FOUND"], path)
    }
  })

  it.skipIf(browser === undefined)("is read and used in Chromium, on a telephone too", async () => {
    const page = await (browser ?? fail()).newPage()
    try {
      const complaints: Array<string> = []
      // Its methods need their object.
      page.on("console", (said) => {
        if (said.type?.() === "error") complaints.push(said.text?.() ?? "")
      })
      page.on("pageerror", ({ message }) => complaints.push(message ?? ""))
      const open = (path: string) => page.goto(`${host.url}${path}`)
      const resize = (width: number) => page.setViewport({ width, height: 900 })
      const widths = [390, 1280]
      const pages = [
        "/docs",
        "/docs/playground.html",
        ...globSync("{guides,reference,reference/seller}/*.html", { cwd: own }).map((path) => `/docs/${path}`)
      ]
      for (const path of pages) {
        await open(path)
        for (const width of widths) {
          await resize(width)
          const overflows = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
          deepStrictEqual(overflows, false, `${path} at ${width}`)
        }
      }
      for (const width of widths) {
        await resize(width)
        await open("/docs/playground.html")
        deepStrictEqual(
          await page.evaluate(`(() => {
            const text = (id) => document.getElementById(id).textContent
            const click = (name) => [...document.querySelectorAll("#moves button")].find((one) => one.textContent === name).click()
            const type = (id, value) => {
              document.getElementById(id).value = value
              document.getElementById(id).dispatchEvent(new Event("input", { bubbles: true }))
            }
            const first = [text("verdict"), text("status")]
            type("product", document.getElementById("product").value.replace('"Acme"', '"<b>Nobody</b>"'))
            click("confirm")
            document.querySelector('[data-status="bag_packed"]').dispatchEvent(new MouseEvent("click", { bubbles: true }))
            const rejected = text("rejection")
            for (const name of ["invoiceUpdate sale", "pack", "dispatch"]) click(name)
            type("return-units", "2")
            type("order-to", "Karnataka")
            return [
              ...first, text("verdict"), document.querySelector("#violations td").textContent,
              rejected, text("status"), document.querySelectorAll(".move.chosen").length,
              document.querySelector("#return-rows tr:nth-child(5)").textContent,
              [...document.querySelectorAll("#order-rows tr")].map((row) => row.textContent).join()
            ]
          })()`),
          [
            ...["Valid: it would be created.", "placed", "1 violation", "UNKNOWN_BRAND"],
            ...["No move leads from here to bag_packed.", "bag_picked", 5],
            "Total296.67593.32889.99",
            "Goods998.00,Discounts-98.00,Delivery40.00,Total940.00,of it without tax839.29,of it CGST50.35,of it SGST50.36"
          ]
        )
        await open("/docs")
        strictEqual(
          await page.evaluate(`(async () => {
            const input = document.querySelector(".search input")
            input.focus()
            input.value = "glossary"
            input.dispatchEvent(new Event("input"))
            while (document.querySelector(".results").hidden) await new Promise((resolve) => setTimeout(resolve, 50))
            return document.querySelector(".results a").pathname
          })()`),
          "/docs/guides/glossary.html"
        )
      }
      deepStrictEqual(complaints, [])
    } finally {
      await browser?.close()
    }
  })
})
