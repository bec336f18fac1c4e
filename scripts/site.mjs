/**
 * `npm run docs -- site` makes the documentation site in packages/cli/site, and `node scripts/site.mjs FOLDER` elsewhere.
 * All links are relative. The site has no inline script or style, and no outside address. VitePress can't do this.
 */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path/posix"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"

const root = fileURLToPath(new URL("../", import.meta.url))
const isProgram = process.argv[1] === fileURLToPath(import.meta.url)
const target = (isProgram && process.argv[2]) || join(root, "packages/cli/site")

/** The maximum gzipped size of a playground tool. */
const bound = 60 * 1024

/** The maximum number of words on pages for users, without the reference. */
const words = 45_000

const bundleOf = async (name) => {
  const entry = join(root, `examples/rules-alone/src/page/${name}.ts`)
  const options = { bundle: true, minify: true, format: "iife", target: "es2022", write: false }
  const { outputFiles } = await build({ entryPoints: [entry], ...options })
  return outputFiles[0].contents
}

/** The files of the site by path, its faults, and pages that only a host has. */
const siteOf = async () => {
  const { byPath, home, linkOf, linkPattern, ofHost, pages } = await import("./site-pages.mjs")
  const { asset, assets, documentOf } = await import("./site-document.mjs")
  const { searchIndex } = await import("./site-search.mjs")
  const faults = []

  const tools = []
  for (const name of ["product", "moves", "return", "order"]) {
    const contents = await bundleOf(name)
    const bytes = gzipSync(contents).length
    if (bytes > bound) faults.push(`the playground's ${name} has ${bytes} bytes, more than ${bound}`)
    tools.push(asset(`playground-${name}.js`, contents))
  }
  const parts = {
    tools,
    style: asset("site.css", readFileSync(join(root, "docs/site/site.css"))),
    script: asset("site.js", readFileSync(join(root, "docs/site/site.js"))),
    index: asset("search.js", Buffer.from(`globalThis.searchIndex=${JSON.stringify(searchIndex())}`))
  }

  const files = new Map()
  for (const page of pages) {
    const file = page.place.slice("/docs/".length)
    files.set(`${file}.html`, documentOf(page, parts))
    files.set(
      `${file}.md`,
      page.text.replaceAll(linkPattern, (whole, label, href) => {
        const to = linkOf(page, ".md")(href)
        return to === undefined ? (/^https?:/.test(href) ? whole : label) : `[${label}](${to})`
      })
    )
  }
  // Two pages also have a second address: `/docs` itself, and the `docs` of error bodies.
  files.set("at-docs.html", documentOf({ ...byPath.get(home), place: "/docs" }, parts))
  files.set("errors.html", documentOf({ ...byPath.get("docs/reference/errors.md"), place: "/docs/errors" }, parts))

  const guides = pages.filter(({ path }) => /^(?:docs\/guides\/|docs\/README|examples\/|[A-Z]+\.md)/.test(path))
  const count = guides.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0)
  if (count > words) faults.push(`the guides have ${count} words, more than ${words}`)
  return { faults, files: new Map([...files, ...assets]), ofHost }
}

const deadLinks = ({ files, ofHost }) => {
  const ids = new Map(
    [...files].flatMap(([path, text]) =>
      path.endsWith(".html") ? [[path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]] : []
    )
  )
  return [...ids.keys()].flatMap((path) => {
    const from = path === "at-docs.html" ? "/docs" : `/docs/${path}`
    const targets = new Set([...files.get(path).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => href))
    return [...targets].flatMap((href) => {
      if (/^(?:[a-z]+:|\/)/.test(href)) return [`site/${path}: ${href} is not a relative address`]
      const [file, anchor] = href.split("#")
      const to = file === "" ? path : join(dirname(from), file).replace("/docs/", "")
      if (ofHost.has(to)) return []
      if (!files.has(to)) return [`site/${path}: there is no ${to}`]
      return !anchor || ids.get(to)?.has(anchor) ? [] : [`site/${path}: ${to} has no #${anchor}`]
    })
  })
}

const newest = (patterns) =>
  Math.max(
    ...globSync(patterns, { cwd: root, exclude: (path) => /node_modules/.test(path) }).map(
      (path) => statSync(join(root, path)).mtimeMs
    )
  )

const isCurrent = () =>
  existsSync(join(target, "index.html")) &&
  statSync(join(target, "index.html")).mtimeMs >=
    newest([
      "docs/**/*",
      "*.md",
      "packages/*/README.md",
      "packages/*/src/**/*.ts",
      "packages/*/dist/**/*.js",
      "examples/*/README.md",
      "examples/rules-alone/src/**/*",
      "lab/*/README.md",
      "scripts/*.mjs"
    ])

const buildSite = async () => {
  const site = await siteOf()
  const next = `${target}.${process.pid}`
  for (const [path, contents] of site.files) {
    mkdirSync(dirname(join(next, path)), { recursive: true })
    writeFileSync(join(next, path), contents)
  }
  rmSync(target, { recursive: true, force: true })
  renameSync(next, target)
  return [...site.faults, ...deadLinks(site)]
}

export const faults = isProgram && isCurrent() ? [] : await buildSite()
if (isProgram) for (const fault of faults) console.error(fault)
if (isProgram && faults.length > 0) process.exitCode = 1
