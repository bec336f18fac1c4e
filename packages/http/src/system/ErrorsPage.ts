/**
 * The page of all codes, to which the `docs` of every error body leads.
 */
import { productCodes } from "@crossdock/catalog"
import { answerCodes, type CodeText, fieldCodes, recordCodes, shipmentCodes } from "../ErrorCodes.ts"
import * as Page from "./Page.ts"

/** Text in backticks is code. */
const html = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/`([^`]*)`/g, "<code>$1</code>")

type Row = readonly [code: string, text: CodeText, more: string | number]

/** `bulk.md#limits` is a section of the reference, whose pages the host serves beside this one. */
const more = (see: string | undefined): string =>
  see === undefined ? "" : ` <a href="reference/${see.replace(".md", "")}">More</a>`

const sections: ReadonlyArray<readonly [title: string, more: string, rows: ReadonlyArray<Row>]> = [
  ["Codes of answers", "Status", Object.entries(answerCodes).map(([code, text]): Row => [code, text, text.status])],
  ["Codes of fields", "", Object.entries(fieldCodes).map(([code, text]): Row => [code, text, ""])],
  [
    "Codes of products",
    "What fails",
    Object.entries(productCodes).map(([code, text]): Row => [code, text, text.fails])
  ],
  [
    "Codes of records",
    "Operation",
    [
      ...Object.entries(recordCodes).map(([code, text]): Row => [code, text, text.operations]),
      ...Object.entries(shipmentCodes).flatMap(([operation, codes]) =>
        Object.entries<CodeText>(codes).map(([code, text]): Row => [code, text, operation])
      )
    ]
  ]
]

/** A code in several tables has its anchor in the first. */
const anchors = new Set<string>()

const row = ([code, { cause, fix, see }, kind]: Row): string => {
  const anchor = anchors.has(code) ? "" : ` id="${code}"`
  anchors.add(code)
  return `<tr${anchor}><th scope="row"><code>${code}</code></th><td>${kind}</td><td>${html(cause)}</td><td>${html(fix)}${more(see)}</td></tr>`
}

const page = `<h1>Error codes</h1>
<p>A code never changes. An answer outside 2xx has one, and so has each entry of its <code>errors</code>; a bulk's answer has one for each rejected record.</p>
${sections
  .map(
    ([title, more, rows]) => `<h2>${title}</h2>
<table>
<thead><tr><th>Code</th><th>${more}</th><th>Cause</th><th>What to do</th></tr></thead>
<tbody>
${rows.map(row).join("\n")}
</tbody>
</table>`
  )
  .join("\n")}`

export const response = Page.response("Error codes", page)
