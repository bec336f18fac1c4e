/** The pages of the documentation site: those that docs/README.md lists, and each operation, package and example. */
import { globSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path/posix"
import { fileURLToPath } from "node:url"
import { examplesOf, operationAt } from "./operation-examples.mjs"
import { apiOf } from "./package-api.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const read = (path) => readFileSync(join(root, path), "utf8")

export const home = "docs/README.md"
const interfaces = ["seller", "marketplace", "platform", "operator"]
/** The pages that a host serves in addition to the site. */
export const ofHost = new Set(interfaces)

/** The address of a page on a host, without its ending. */
const placeOf = (path) => {
  const [, folder, name] = /^(packages|examples|lab)\/([\w-]+)\/README\.md$/.exec(path) ?? []
  if (folder !== undefined) return `/docs/${folder}/${name}`
  return path.startsWith("docs/")
    ? `/${path.replace(/\.md$/, "").replace(/README$/, "index")}`
    : `/docs/project/${basename(path, ".md").toLowerCase()}`
}

/** A relative link between two addresses below `/docs`. It also works from `/docs` itself, where the index is shown too. */
export const way = (from, to) => join(relative(dirname(from), dirname(to)), basename(to))

export const linkPattern = /(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g
const linksIn = (text) => [...text.matchAll(linkPattern)].map(([, label, href]) => ({ label, href }))

/** The sections of the sidebar: the rows of the first table in docs/README.md. */
export const sections = read(home)
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

/** Pages that the sidebar shows only while the reader is on one of them or on their parent. */
export const families = { "docs/README.md#packages": listed("packages"), "docs/README.md#examples": listed("examples") }

const titleOf = (text) => /^# (.*)$/m.exec(text)?.[1].replaceAll("`", "") ?? ""

/** A page: its text, its address, and the file that its links are relative to. */
const pageOf = (path, more = {}) => {
  const text = read(path)
  return { path, from: path, text, title: titleOf(text), place: placeOf(path), ...more }
}

/** The page of an interface with a list of its operations, and a page for each operation. */
const operationPages = (name) => {
  const path = `docs/reference/${name}.md`
  const [before, records] = read(path).split("\n## Records\n")
  const [intro, ...parts] = before.split(/^<a id="([\w-]+)"><\/a>\n\n### /m)
  const token = `\`$TOKEN\` is the \`access_token\` of a [sign-in](#sign-in-${name === "platform" ? "token" : "body"}). [Try it](/${name}) on the host's page. The examples succeed on a new sandbox [with its day](host.md#day).`
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

/** The page of a README. The page of a package also has its exports and changes. */
const packagePage = (path) => {
  const page = pageOf(path, { parent: "docs/README.md#packages" })
  const changes = read(path.replace("README", "CHANGELOG"))
    .replace(/^# .*$/m, "## Changes")
    .replaceAll(/^(#{2,3}) (?!Changes$)/gm, "#$1 ")
  return { ...page, text: `${page.text}\n${apiOf(basename(dirname(path)))}\n${changes}` }
}

export const playground = {
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

export const pages = ownPages()
export const byPath = new Map(pages.map((page) => [page.path, page]))

/** The target of a link. It is undefined for a file that the site doesn't have. */
export const linkOf = (page, ending) => (href) => {
  if (/^[a-z]+:/.test(href)) return undefined
  if (href.startsWith("/")) return way(page.place, `/docs${href}`)
  const [file, anchor] = href.split("#")
  const path = file === "" ? page.from : join(dirname(page.from), file)
  const found = byPath.get(`${path}#${anchor}`) ?? byPath.get(path) ?? byPath.get(join(path, "README.md"))
  if (found === undefined) return undefined
  if (found.path === page.path) return found.path.includes("#") ? "#" : `#${anchor ?? ""}`
  return `${way(page.place, found.place)}${ending}${anchor === undefined || found.path.includes("#") ? "" : `#${anchor}`}`
}

const sectionOf = new Map(
  sections.flatMap(({ links, name }) =>
    links.filter(({ href }) => !href.startsWith("#")).map(({ path }) => [path, name])
  )
)
sectionOf.set("docs/site/playground.html", "Start")
export const nameOf = (page) =>
  sectionOf.get(page.path) ??
  (page.parent?.endsWith("#examples")
    ? "Build"
    : page.parent === undefined
      ? page.path === home
        ? ""
        : "Internals"
      : "Reference")
