/** The search index of the site. It has the text below each heading, and each row of an error code or of a glossary word. */
import { contentOf } from "./site-document.mjs"
import { nameOf, pages } from "./site-pages.mjs"

const entities = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" }

const plain = (html) =>
  html
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, " ")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name) => entities[name])
    .replaceAll(/\s+/g, " ")
    .trim()

/** The parts of a page: anchor, heading and text. Recorded answers aren't searched. */
const partsOf = (page) => {
  const html = contentOf(page).replaceAll(/<figure class="answer">[\s\S]*?<\/figure>/g, "")
  const marks = [...html.matchAll(/<(h[1-3]|tr|a) id="([^"]+)"[^>]*>/g)]
  return marks.flatMap(({ 1: tag, 2: id, index }, at) => {
    const part = html.slice(index, marks[at + 1]?.index)
    const title = tag === "a" ? /<\/a>([^<]*)<\/td>/ : /<h[1-3][^>]*>([\s\S]*?)<\/h[1-3]>/
    const heading = tag === "tr" ? id : plain(title.exec(part)?.[1] ?? "")
    const text = plain(part.replace(title, "")).slice(0, 900)
    return heading === "" && text === "" ? [] : [[tag === "h1" ? "" : id, heading, text]]
  })
}

const searched = pages.filter((page) => nameOf(page) !== "Internals")

export const searchIndex = () => ({
  pages: searched.map((page) => [page.title, `${page.place.slice("/docs/".length)}.html`, nameOf(page)]),
  entries: searched.flatMap((page, nth) => partsOf(page).map((part) => [nth, ...part]))
})
