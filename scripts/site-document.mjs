/** A page of the documentation site as an HTML document with header, sidebar and content. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path/posix"
import { fileURLToPath } from "node:url"
import { svgOf } from "./diagrams.mjs"
import { escaped, htmlOf } from "./markdown.mjs"
import { byPath, families, home, linkOf, nameOf, playground, sections, way } from "./site-pages.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))

/** The files beside the pages, by path. */
export const assets = new Map()

/** Adds a file and returns its path. The name contains a hash of the content. */
export const asset = (name, bytes) => {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8)
  const path = `assets/${name.replace(/\.(\w+)$/, `.${hash}.$1`)}`
  assets.set(path, bytes)
  return path
}

const keywords =
  /\b(?:import|from|const|let|export|return|await|async|new|if|else|for|of|function|def|class|try|except|raise|with|as|not|and|or|in|is|None|True|False|null|true|false|echo|use|die|foreach|type|interface)\b/
const tokens = new RegExp(
  `(?<comment>(?:^|(?<=\\s))(?:#|//)[^\\n]*|/\\*[\\s\\S]*?\\*/)|(?<text>"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\])*'|\`[^\`]*\`)|(?<word>${keywords.source})|(?<number>\\b\\d[\\d_.]*\\b)`,
  "g"
)

/** Marks comments, texts, keywords and numbers with a class. Shells have no keywords. */
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

const imageOf = (page) => (href) => {
  const path = join(dirname(page.from), href)
  return way(page.place, `/docs/${asset(basename(path), readFileSync(join(root, path)))}`)
}

export const contentOf = (page) =>
  page.html ?? htmlOf(page.text, { codeOf: codeOf(page.title), imageOf: imageOf(page), linkOf: linkOf(page, ".html") })

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

/** The HTML document of a page. It has the paths of the site's style, scripts and search index. */
export const documentOf = (page, { index, script, style, tools }) => {
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
