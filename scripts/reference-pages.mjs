/**
 * Makes packages/http/src/system/reference.json: the pages of docs/reference as HTML, which a host serves below
 * /docs/reference, since the descriptions of its OpenAPI documents link there.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Marked } from "marked"

const folder = new URL("../docs/reference/", import.meta.url)

/** The interfaces have pages of their own, on which requests can be tried; the others are for operators of a host. */
const interfaces = ["seller", "marketplace", "platform"]
const others = ["README", "command-line", "metrics"]

const names = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.replace(/\.md$/, ""))
  .filter((name) => !interfaces.includes(name) && !others.includes(name))
  .sort()

/** The anchor of a heading, as repositories show it. */
const slug = (text) =>
  text
    .toLowerCase()
    .replaceAll(/<[^>]*>|[^\w\- ]/g, "")
    .replaceAll(" ", "-")

/** Where a link of a page leads on a host; undefined when the host does not have its target. */
const targetOf = (href) => {
  const [, name, anchor = ""] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (names.includes(name)) return `${name}${anchor}`
  if (interfaces.includes(name)) return `../${name}`
  return /^(?:https?:|#)/.test(href) ? href : undefined
}

const marked = new Marked({
  renderer: {
    heading({ depth, tokens }) {
      const text = this.parser.parseInline(tokens)
      return `<h${depth} id="${slug(text)}">${text}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const target = targetOf(href)
      return target === undefined ? text : `<a href="${target}">${text}</a>`
    }
  }
})

const pageOf = (name) => {
  const text = readFileSync(new URL(`${name}.md`, folder), "utf8")
  return { title: /^# (.*)$/m.exec(text)[1], html: marked.parse(text.replaceAll(/<!--.*?-->\s*/gs, "")) }
}

const text = `${JSON.stringify(Object.fromEntries(names.map((name) => [name, pageOf(name)])), undefined, 2)}\n`
export const documents = { "packages/http/src/system/reference.json": text }
