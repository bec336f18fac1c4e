/**
 * Makes the documentation site in packages/cli/site, which a host serves at /docs: `npm run docs -- site`, or
 * in another folder: `node scripts/site.mjs FOLDER`. Its pages are the
 * Markdown files that docs/README.md lists, where they are. All links are relative, so the site works below any path and from a
 * folder. It has no inline script or style, and no outside address.
 */
import { createHash } from "node:crypto"
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, relative } from "node:path/posix"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { svgOf } from "./diagrams.mjs"
import { escaped, htmlOf } from "./markdown.mjs"
import { examplesOf, operationAt } from "./operation-examples.mjs"
import { apiOf } from "./package-api.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const isProgram = process.argv[1] === fileURLToPath(import.meta.url)
const target = (isProgram && process.argv[2]) || join(root, "packages/cli/site")
const read = (path) => readFileSync(join(root, path), "utf8")

const home = "docs/README.md"
const interfaces = ["seller", "marketplace", "platform"]
/** Pages that the host serves beside the site. */
const ofHost = new Set(interfaces)

/** The address of a file's page on a host, without its ending. */
const placeOf = (path) => {
  const [, folder, name] = /^(packages|examples|lab)\/([\w-]+)\/README\.md$/.exec(path) ?? []
  if (folder !== undefined) return `/docs/${folder}/${name}`
  return path.startsWith("docs/")
    ? `/${path.replace(/\.md$/, "").replace(/README$/, "index")}`
    : `/docs/project/${basename(path, ".md").toLowerCase()}`
}

/** The way from one place to another; both are below `/docs`, or `/docs` itself, which shows the index too. */
const way = (from, to) => join(relative(dirname(from), dirname(to)), basename(to))

const linkPattern = /(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g
const linksIn = (text) => [...text.matchAll(linkPattern)].map(([, label, href]) => ({ label, href }))

/** The sections of the sidebar: the rows of the first table of docs/README.md. */
const sections = read(home)
  .split("\n\n## ")[0]
  .split("\n")
  .filter((line) => /^\| \w/.test(line))
  .map((line) => {
    const [, name, pages] = line.split("|")
    const links = linksIn(pages).map(({ href, label }) => ({
      label,
      href,
      path: href.startsWith("#") ? home : join("docs", href)
    }))
    return { name: name.trim(), links }
  })

const listed = (folder) => {
  const paths = linksIn(read(home)).map(({ href }) => join("docs", href))
  return [...new Set(paths)].filter((path) => new RegExp(`^${folder}/[\\w-]+/README\\.md$`).test(path))
}

/** Pages that are shown in the sidebar while their parent, or one of them, is read. */
const families = { "docs/README.md#packages": listed("packages"), "docs/README.md#examples": listed("examples") }

const titleOf = (text) => /^# (.*)$/m.exec(text)?.[1].replaceAll("`", "") ?? ""

/** A page: its text, where it is, and the file that its links start from. */
const pageOf = (path, more = {}) => {
  const text = read(path)
  return { path, from: path, text, title: titleOf(text), place: placeOf(path), ...more }
}

/** An interface's page, with a list in place of its operations, and a page for each operation. */
const operationPages = (name) => {
  const path = `docs/reference/${name}.md`
  const [before, records] = read(path).split("\n## Records\n")
  const [intro, ...parts] = before.split(/^<a id="([\w-]+)"><\/a>\n\n### /m)
  const token = `\`$TOKEN\` is the \`access_token\` of a [sign-in](#sign-in-${name === "platform" ? "token" : "body"}).`
  let shown = intro.replaceAll(/^\|.*\n/gm, "")
  const operations = []
  for (let at = 0; at < parts.length; at += 2) {
    const anchor = parts[at]
    const [own, ...after] = parts[at + 1].split(/^(?=## )/m)
    const [, route, summary, rest] = /^(.*)\n\n([^.]*)\. ?([\s\S]*)$/.exec(own)
    const examples = examplesOf(operationAt(name, anchor))
    shown += `- [${summary}](#${anchor}): \`${route}\`\n${after.map((group) => `\n${group}`).join("")}`
    operations.push({
      path: `${path}#${anchor}`,
      from: path,
      parent: path,
      title: summary,
      place: `/docs/reference/${name}/${anchor}`,
      text: `# ${summary}\n\n\`${route}\`\n\n${rest.trim()}\n\n## Examples\n\n${token}\n\n${examples}\n`
    })
  }
  const text = `${shown}\nTry its requests on [the page of the host](/${name}).\n\n## Records\n${records}`
  return [pageOf(path, { text, children: operations.map((one) => one.path) }), ...operations]
}

const packagePage = (path) => {
  const page = pageOf(path, { parent: "docs/README.md#packages" })
  return path.startsWith("packages/") ? { ...page, text: `${page.text}\n${apiOf(basename(dirname(path)))}` } : page
}

const playground = {
  path: "docs/site/playground.html",
  from: home,
  title: "Playground",
  place: "/docs/playground",
  text: "# Playground\n",
  html: read("docs/site/playground.html")
}

const ownPages = () => {
  const paths = sections.flatMap(({ links }) => links.map(({ path }) => path))
  const internal = [
    ...readdirSync(join(root, "docs/internals/decisions")).map((name) => `docs/internals/decisions/${name}`),
    ...globSync("lab/*/README.md", { cwd: root }).sort()
  ]
  const plain = [home, ...paths, ...internal].filter(
    (path) => !interfaces.some((name) => path.endsWith(`reference/${name}.md`))
  )
  return [
    ...[...new Set(plain)].filter((path) => !path.startsWith("packages/")).map((path) => pageOf(path)),
    ...interfaces.flatMap(operationPages),
    ...families["docs/README.md#packages"].map(packagePage),
    ...families["docs/README.md#examples"].map((path) => pageOf(path, { parent: "docs/README.md#examples" })),
    playground
  ]
}

const keywords =
  /\b(?:import|from|const|let|export|return|await|async|new|if|else|for|of|function|def|class|try|except|raise|with|as|not|and|or|in|is|None|True|False|null|true|false|echo|use|die|foreach|type|interface)\b/
const tokens = new RegExp(
  `(?<comment>(?:^|(?<=\\s))(?:#|//)[^\\n]*|/\\*[\\s\\S]*?\\*/)|(?<text>"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\])*'|\`[^\`]*\`)|(?<word>${keywords.source})|(?<number>\\b\\d[\\d_.]*\\b)`,
  "g"
)

/** Comments, texts, keywords and numbers get a class; shells have no keywords. */
const highlighted = (lang, source) => {
  if (!/^(ts|js|json|py|php|sh|sql)/.test(lang)) return escaped(source)
  let end = 0
  let html = ""
  for (const found of source.matchAll(tokens)) {
    const [kind, text] = Object.entries(found.groups).find(([, value]) => value !== undefined)
    html += escaped(source.slice(end, found.index))
    html +=
      lang.startsWith("sh") && (kind === "word" || kind === "number")
        ? escaped(text)
        : `<span class="${kind}">${escaped(text)}</span>`
    end = found.index + found[0].length
  }
  return html + escaped(source.slice(end))
}

const { svg: lifecycle } = await import("../examples/rules-alone/src/Drawing.ts")

const codeOf = (title) => (lang, source) => {
  if (lang === "mermaid") {
    const drawn = source.startsWith("stateDiagram")
      ? lifecycle.replaceAll(/ (?:role="button"|tabindex="0"|aria-pressed="false")/g, "")
      : svgOf(source, title)
    return `<figure>${drawn}</figure>`
  }
  const file = /^\w+ (\S+\.\w+)$/.exec(lang)?.[1]
  const name = file === undefined ? "" : `<figcaption>${file}</figcaption>`
  const kind = lang.includes("answer") ? "answer" : /^sh|console/.test(lang) ? "shell" : "code"
  return `<figure class="${kind}">${name}<pre tabindex="0"><code>${highlighted(lang, source)}</code></pre></figure>\n`
}

const sizes = []

/** Files of the site by their path. */
const siteOf = async () => {
  const pages = ownPages()
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const files = new Map()
  const images = new Map()
  const asset = (name, bytes) => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8)
    const path = `assets/${name.replace(/\.(\w+)$/, `.${hash}.$1`)}`
    files.set(path, bytes)
    return path
  }

  /** Where a link of a page leads: undefined for a file that the site hasn't. */
  const linkOf = (page, ending) => (href) => {
    if (/^[a-z]+:/.test(href)) return undefined
    if (href.startsWith("/")) return way(page.place, `/docs${href}`)
    const [file, anchor] = href.split("#")
    const path = file === "" ? page.from : join(dirname(page.from), file)
    const found = byPath.get(`${path}#${anchor}`) ?? byPath.get(path) ?? byPath.get(join(path, "README.md"))
    if (found === undefined) return undefined
    if (found.path === page.path) return found.path.includes("#") ? "#" : `#${anchor ?? ""}`
    return `${way(page.place, found.place)}${ending}${anchor === undefined || found.path.includes("#") ? "" : `#${anchor}`}`
  }

  const imageOf = (page) => (href) => {
    const path = join(dirname(page.from), href)
    if (!images.has(path)) images.set(path, asset(basename(path), readFileSync(join(root, path))))
    return way(page.place, `/docs/${images.get(path)}`)
  }

  const style = asset("site.css", readFileSync(join(root, "docs/site/site.css")))
  const bundle = async (entry) => {
    const { outputFiles } = await build({
      entryPoints: [join(root, entry)],
      bundle: true,
      minify: true,
      format: "iife",
      target: "es2022",
      write: false
    })
    return outputFiles[0].contents
  }
  const tools = []
  for (const name of ["product", "moves", "return", "order"]) {
    const contents = await bundle(`examples/rules-alone/src/page/${name}.ts`)
    sizes.push({ name, bytes: gzipSync(contents).length })
    tools.push(asset(`playground-${name}.js`, contents))
  }

  const sectionOf = new Map(
    sections.flatMap(({ links, name }) =>
      links.filter(({ href }) => !href.startsWith("#")).map(({ path }) => [path, name])
    )
  )
  sectionOf.set("docs/site/playground.html", "Start")
  const nameOf = (page) =>
    sectionOf.get(page.path) ??
    (page.parent?.endsWith("#examples")
      ? "Build"
      : page.parent === undefined
        ? page.path === home
          ? ""
          : "Internals"
        : "Reference")

  const contentOf = (page) =>
    page.html ??
    htmlOf(page.text, { codeOf: codeOf(page.title), imageOf: imageOf(page), linkOf: linkOf(page, ".html") })

  // The index of the search: what is below each heading, and each row of a code.
  const entries = []
  const searched = pages.filter((page) => nameOf(page) !== "Internals")
  searched.forEach((page, nth) => {
    const html = contentOf(page).replaceAll(/<figure class="answer">[\s\S]*?<\/figure>/g, "")
    const marks = [...html.matchAll(/<(h[1-3]|tr|a) id="([^"]+)"[^>]*>/g)]
    const plain = (part) =>
      part
        .replaceAll(/<svg[\s\S]*?<\/svg>/g, " ")
        .replaceAll(/<[^>]+>/g, " ")
        .replaceAll(
          /&(lt|gt|quot|amp|#39);/g,
          (_, name) => ({ lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" })[name]
        )
        .replaceAll(/\s+/g, " ")
        .trim()
    marks.forEach(({ 1: tag, 2: id, index }, at) => {
      const part = html.slice(index, marks[at + 1]?.index)
      const title = tag === "a" ? /<\/a>([^<]*)<\/td>/ : /<h[1-3][^>]*>([\s\S]*?)<\/h[1-3]>/
      const [, heading = ""] = tag === "tr" ? ["", id] : (title.exec(part) ?? [])
      const text = plain(part.replace(title, ""))
      if (heading !== "" || text !== "") entries.push([nth, tag === "h1" ? "" : id, plain(heading), text.slice(0, 900)])
    })
  })
  const index = asset(
    "search.js",
    Buffer.from(
      `globalThis.searchIndex=${JSON.stringify({ pages: searched.map((page) => [page.label ?? page.title, `${page.place.slice("/docs/".length)}.html`, nameOf(page)]), entries })}`
    )
  )
  const script = asset("site.js", Buffer.from(read("docs/site/site.js")))

  const listOf = (items) => `<ul>${items.map((one) => `<li>${one}</li>`).join("")}</ul>`
  const linkTo = (page, to, label = to.label ?? to.title, anchor = "") =>
    `<a href="${way(page.place, to.place)}.html${anchor}"${to.path === page.path && anchor === "" ? ' aria-current="page"' : ""}>${escaped(label.replace("@crossdock/", ""))}</a>`

  const navOf = (page) =>
    listOf(
      sections.map(({ links, name }) => {
        const items = links.map(({ href, label, path }) => {
          const anchor = href.startsWith("#") ? href : ""
          const children = families[`${home}${anchor}`] ?? byPath.get(path).children ?? []
          const isOpen = children.includes(page.path) || (page.path === path && anchor === "")
          const below =
            isOpen && children.length > 0 ? listOf(children.map((child) => linkTo(page, byPath.get(child)))) : ""
          return `${linkTo(page, byPath.get(path), label, anchor)}${below}`
        })
        return `<span>${name}</span>${listOf(name === "Start" ? [...items, linkTo(page, playground)] : items)}`
      })
    )

  const inTurn = sections.flatMap(({ links, name }) => [
    ...links.filter(({ href }) => !href.startsWith("#")).map(({ path }) => path),
    ...(name === "Start" ? [playground.path] : [])
  ])

  const documentOf = (page) => {
    const at = (path) => way(page.place, `/docs/${path}`)
    const content = contentOf(page)
    const isHome = page.path === home
    const headings = [...content.matchAll(/<h2 id="([^"]+)">([\s\S]*?)<\/h2>/g)]
    const nth = inTurn.indexOf(page.path)
    const beside = [inTurn[nth - 1], nth === -1 ? undefined : inTurn[nth + 1]].map((path) =>
      path === undefined ? "<span></span>" : linkTo(page, byPath.get(path))
    )
    const parent = byPath.get(page.parent)
    const trail = [nameOf(page), ...(parent === undefined ? [] : [linkTo(page, parent)])]
    const markdown = `${way(page.place, byPath.get(page.path).place)}.md`
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isHome ? "Crossdock" : `${escaped(page.title)} · Crossdock`}</title>
<link rel="stylesheet" href="${at(style)}">
<link rel="alternate" type="text/markdown" href="${markdown}">
<script src="${at(script)}"></script>
</head>
<body${isHome ? ' class="home"' : ""} data-root="${at(".")}" data-index="${at(index)}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${at("index.html")}">Crossdock</a>
<div class="search" role="search"><input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" disabled><ol class="results" hidden></ol></div>
<a class="wide" href="${at("playground.html")}">Playground</a>
<a class="wide of-host" href="${at("seller")}">Try requests</a>
<button type="button" class="theme" hidden>Theme</button>
<a class="menu" href="#pages">Menu</a>
</header>
<nav id="pages" aria-label="Pages"><a class="close" href="#content">Close</a>${navOf(page)}</nav>
<main id="content">
${isHome ? "" : `<p class="trail">${trail.join(" › ")}</p>`}
${content}
<footer>${nth === -1 ? "" : `<p class="turn">${beside.join("")}</p>`}<p><a href="${markdown}">This page as Markdown</a></p></footer>
</main>
${headings.length < 2 ? "" : `<aside aria-label="On this page"><p>On this page</p>${listOf(headings.map(([, id, text]) => `<a href="#${id}">${text.replaceAll(/<\/?a[^>]*>/g, "")}</a>`))}</aside>`}
${page.html === undefined ? "" : tools.map((path) => `<script defer src="${at(path)}"></script>`).join("\n")}
</body>
</html>
`
  }

  for (const page of pages) {
    const file = page.place.slice("/docs/".length)
    files.set(`${file}.html`, documentOf(page))
    files.set(
      `${file}.md`,
      page.text.replaceAll(linkPattern, (whole, label, href) => {
        const target = linkOf(page, ".md")(href)
        return target === undefined ? (/^https?:/.test(href) ? whole : label) : `[${label}](${target})`
      })
    )
  }
  // Other addresses of two pages: `/docs` itself, and `docs` of error bodies.
  files.set("at-docs.html", documentOf({ ...byPath.get(home), place: "/docs" }))
  files.set("errors.html", documentOf({ ...byPath.get("docs/reference/errors.md"), place: "/docs/errors" }))
  return files
}

/** Links that lead nowhere, by the pages that have them. */
const deadLinks = (files) => {
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

/** Writes the site, and returns its faults. */
const buildSite = async () => {
  const files = await siteOf()
  const next = `${target}.${process.pid}`
  for (const [path, contents] of files) {
    mkdirSync(dirname(join(next, path)), { recursive: true })
    writeFileSync(join(next, path), contents)
  }
  rmSync(target, { recursive: true, force: true })
  renameSync(next, target)
  return [
    ...deadLinks(files),
    ...sizes
      .filter(({ bytes }) => bytes > 60 * 1024)
      .map(({ bytes, name }) => `the playground's ${name} has ${bytes} bytes, more than 60 kB`)
  ]
}

export const faults = isProgram && isCurrent() ? [] : await buildSite()
if (isProgram) for (const fault of faults) console.error(fault)
if (isProgram && faults.length > 0) process.exitCode = 1
