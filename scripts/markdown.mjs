/** Turns Markdown into HTML, for the documentation site and the pages of a host. */
import { Marked } from "marked"

const plainOf = (heading) =>
  heading
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()

/** The anchors of headings, as code hosting sites make them. A repeated anchor gets a number. */
export const anchors = () => {
  const seen = new Map()
  return (heading) => {
    const slug = plainOf(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-")
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
}

export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const code = /^<code>([A-Z][A-Z0-9_]+)<\/code>$/

/**
 * The HTML of a page. `linkOf` returns a link's target, or undefined to leave only its text. `codeOf` draws code blocks.
 * A row that begins with an error code has the code as its anchor. Cells repeat their column's title, for narrow screens.
 */
export const htmlOf = (text, { codeOf, imageOf, linkOf }) => {
  const anchorOf = anchors()
  const codes = new Set()
  const inline = (parser, { tokens }) => parser.parseInline(tokens)
  const row = (parser, cells, header) => {
    const shown = cells.map((cell) => inline(parser, cell))
    const [, id] = shown.slice(0, 2).flatMap((cell) => code.exec(cell) ?? [])
    const anchor = id === undefined || codes.has(id) ? "" : ` id="${id}"`
    codes.add(id)
    return `<tr${anchor}>${shown.map((cell, at) => `<td data-head="${escaped(plainOf(header[at].text))}">${cell}</td>`).join("")}</tr>`
  }
  const renderer = {
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const target = linkOf(href)
      const shown = this.parser.parseInline(tokens)
      return target === undefined ? shown : `<a href="${escaped(target)}">${shown}</a>`
    },
    table({ header, rows }) {
      const head = header
        .map((cell) => (cell.text === "" ? "<td></td>" : `<th scope="col">${inline(this.parser, cell)}</th>`))
        .join("")
      const body = rows.map((cells) => row(this.parser, cells, header)).join("\n")
      return `<div class="table"><table class="columns-${header.length}"><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>\n`
    },
    ...(imageOf === undefined
      ? {}
      : { image: ({ href, text: about }) => `<img src="${imageOf(href)}" alt="${escaped(about)}">` }),
    ...(codeOf === undefined ? {} : { code: ({ lang = "", text: source }) => codeOf(lang, source) })
  }
  return new Marked({ renderer }).parse(text.replaceAll(/<!--.*?-->\s*/gs, ""))
}
