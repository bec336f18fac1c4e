/**
 * The page in Chromium, opened as a file, with somebody who types a product and clicks through the drawing.
 */
import { match, ok, strictEqual } from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, it } from "vitest"

const example = join(import.meta.dirname, "..")
const script: string = JSON.parse(readFileSync(join(example, "package.json"), "utf8")).scripts.page

const browsers = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  process.env.CHROMIUM ?? ""
]
const chromium = browsers.findLast((path) => existsSync(path))

/** What somebody does, and then what he sees. */
const visit = `
const input = document.getElementById("product")
input.value = JSON.stringify({ ...JSON.parse(input.value), brand: "<b>Nobody</b>" })
input.dispatchEvent(new Event("input"))
const [picked, assigned] = ["bag_picked", "dp_assigned"].map((one) => document.querySelector(\`[data-status=\${one}]\`))
picked.dispatchEvent(new MouseEvent("click", { bubbles: true }))
document.body.dataset.clicked = document.getElementById("status").textContent
assigned.focus()
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
document.body.dataset.fits = document.documentElement.scrollWidth <= innerWidth
document.body.dataset.width = innerWidth
const texts = [...document.querySelectorAll(".status")].filter((one) => {
  const [box, text] = ["rect", "text"].map((name) => one.querySelector(name).getBoundingClientRect())
  return text.left < box.left || text.right > box.right || text.top < box.top || text.bottom > box.bottom
})
document.body.dataset.outside = texts.length
parent.postMessage(document.documentElement.outerHTML, "*")
`

/** A frame of any width, since Chromium's own window has at least 500 pixels; it ends as what was seen in the frame. */
const framed = (width: number) => `<!doctype html><html><body>
<script>addEventListener("message", ({ data }) => { document.documentElement.innerHTML = data })</script>
<iframe src="index.html" style="width:${width}px;height:1100px;border:0"></iframe>
</body></html>`

if (chromium === undefined) {
  console.warn(
    "\n*** SKIPPED: no Chromium is installed, so the page of rules-alone was not opened. Set CHROMIUM to its path. ***\n"
  )
}

describe.skipIf(chromium === undefined)("The page in Chromium", () => {
  const folder = mkdtempSync(join(tmpdir(), "rules-alone-"))

  const seenAt = (width: number) => {
    const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}/profile`]
    writeFileSync(join(folder, "frame.html"), framed(width))
    const shown = ["--virtual-time-budget=3000", "--dump-dom", pathToFileURL(join(folder, "frame.html")).href]
    return execFileSync(chromium ?? "", [...options, "--window-size=1400,1200", ...shown], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 50_000
    })
  }

  beforeAll(() => {
    const page = readFileSync(join(example, "index.html"), "utf8")
    writeFileSync(join(folder, "index.html"), page.replace("</head>", '<script defer src="visit.js"></script></head>'))
    writeFileSync(join(folder, "visit.js"), visit)
    const [, ...options] = script.replace("--outfile=", `--outfile=${folder}/`).split(" ")
    execFileSync(join(example, "../../node_modules/.bin/esbuild"), options, { cwd: example, stdio: "ignore" })
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  for (const width of [390, 1280]) {
    it(`shows violations and what a status allows, ${width} pixels wide`, () => {
      const seen = seenAt(width)
      match(seen, /<p id="verdict" role="status">1 violation<\/p>/)
      match(seen, /<td>UNKNOWN_BRAND<\/td><td>\/brand<\/td><td>[^<]*&lt;b&gt;Nobody&lt;\/b&gt;/)
      match(seen, /data-clicked="bag_picked"/)
      match(seen, /<h3 id="status">dp_assigned<\/h3>/)
      match(seen, /<b>pack<\/b> by seller, then bag_packed/)
      match(seen, /<b>status bag_picked<\/b> by seller or marketplace, then bag_picked/)
      match(seen, /data-status="dp_assigned"[^>]*aria-pressed="true"/)
      match(seen, new RegExp(`data-width="${width}"`))
      match(seen, /data-fits="true"/)
      match(seen, /data-outside="0"/)
    })
  }
})

describe("The page", () => {
  it("has no inline event handlers, and loads nothing but its one script", () => {
    const page = readFileSync(join(example, "index.html"), "utf8")
    ok(!/\son\w+=/.test(page) && !/javascript:|https?:/.test(page))
    strictEqual([...page.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, path]) => path).join(), "dist/page.js")
    ok(script.endsWith("--outfile=dist/page.js"))
  })
})
