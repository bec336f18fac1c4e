/** Checks that links in Markdown files and anchors in code lead somewhere, and that every page of decisions is listed. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { anchors as headingAnchors } from "./markdown.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
export const faults = []

const skipped = new Set(["node_modules", "dist", "site", ".git"])
const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })

const files = filesIn(".").filter((path) => /\.(md|ts|mjs|json)$/.test(path) && !path.endsWith("package-lock.json"))
const textOf = new Map(files.map((path) => [path, readFileSync(join(root, path), "utf8")]))

const withoutCode = (text) =>
  text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()#]/g, " "))

const slugs = (text) =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ +(.*)$/gm)]
    .map(([, heading]) => heading)
    .map(headingAnchors())

const anchors = new Map()
for (const [path, text] of textOf) {
  if (!path.endsWith(".md")) continue
  const explicit = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id)
  for (const id of explicit.filter((id, at) => explicit.indexOf(id) !== at)) faults.push(`${path}: two anchors ${id}`)
  anchors.set(path, new Set([...explicit, ...slugs(text)]))
}

const follow = (from, path, anchor) => {
  const known = anchors.get(path)
  if (known === undefined) {
    if (!existsSync(join(root, path))) faults.push(`${from}: there is no ${path}`)
  } else if (anchor !== undefined && !known.has(anchor)) faults.push(`${from}: ${path} has no anchor #${anchor}`)
}

for (const [from, text] of textOf) {
  if (from.endsWith(".md")) {
    for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path, anchor] = target.split("#")
      follow(from, path === "" ? from : relative(root, join(root, dirname(from), path)), anchor)
    }
  } else {
    for (const [, path, anchor] of text.matchAll(/\b(docs\/reference\/[\w-]+\.md)(?:#([\w-]+))?/g))
      follow(from, path, anchor)
  }
}

const rows = JSON.parse(textOf.get("scripts/coverage-rows.json"))
for (const source of Object.keys(rows)) {
  const [page, anchor] = source.split("#")
  follow("scripts/coverage-rows.json", `docs/reference/${page}.md`, anchor)
}

const decisions = "docs/internals/decisions"
for (const name of readdirSync(join(root, decisions))) {
  if (name !== "README.md" && !textOf.get(`${decisions}/README.md`).includes(`(${name})`))
    faults.push(`${decisions}/README.md doesn't list ${name}`)
}
