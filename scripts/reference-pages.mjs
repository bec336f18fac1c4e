/**
 * Makes packages/http/src/system/reference.json: docs/reference as HTML for hosts without the documentation site, below
 * /docs/reference, where the descriptions of OpenAPI documents link.
 */
import { readdirSync, readFileSync } from "node:fs"
import { htmlOf } from "./markdown.mjs"

const folder = new URL("../docs/reference/", import.meta.url)

/** Interfaces have their own pages to try requests; the others are for a host's operators. */
const interfaces = ["seller", "marketplace", "platform", "operator"]
const others = ["README", "command-line", "metrics"]

const names = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.replace(/\.md$/, ""))
  .filter((name) => !interfaces.includes(name) && !others.includes(name))
  .sort()

/** A link's target on a host; undefined if the host doesn't have it. */
const linkOf = (href) => {
  const [, name, anchor = ""] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (names.includes(name)) return `${name}${anchor}`
  if (interfaces.includes(name)) return `../${name}`
  return /^(?:https?:|#)/.test(href) ? href : undefined
}

const pageOf = (name) => {
  const text = readFileSync(new URL(`${name}.md`, folder), "utf8")
  return { title: /^# (.*)$/m.exec(text)[1], html: htmlOf(text, { linkOf }) }
}

const text = `${JSON.stringify(Object.fromEntries(names.map((name) => [name, pageOf(name)])), undefined, 2)}\n`
export const documents = { "packages/http/src/system/reference.json": text }
