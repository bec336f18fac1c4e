/**
 * The page of all codes, to which the `docs` of every error body leads.
 */
import { productCodes } from "@crossdock/catalog"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { answerCodes, type CodeText, fieldCodes, recordCodes, shipmentCodes } from "../ErrorCodes.ts"

/** Text in backticks is code. */
const html = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/`([^`]*)`/g, "<code>$1</code>")

type Row = readonly [code: string, text: Pick<CodeText, "cause" | "fix">, more: string | number]

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

const row = ([code, { cause, fix }, more]: Row): string => {
  const anchor = anchors.has(code) ? "" : ` id="${code}"`
  anchors.add(code)
  return `<tr${anchor}><th scope="row"><code>${code}</code></th><td>${more}</td><td>${html(cause)}</td><td>${html(fix)}</td></tr>`
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<style>
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
div{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
tr:target{background:color-mix(in srgb,gold 30%,transparent)}
@media(max-width:40rem){thead{display:none}tr{display:block;padding:.6rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}th,td{display:block;padding:.1rem 0;border:0}}
</style>
</head>
<body>
<main>
<h1>Error codes</h1>
<p>A code never changes. An answer outside 2xx has one, and so has each entry of its <code>errors</code>; a bulk's answer has one for each rejected record.</p>
${sections
  .map(
    ([title, more, rows]) => `<h2>${title}</h2>
<div><table>
<thead><tr><th>Code</th><th>${more}</th><th>Cause</th><th>What to do</th></tr></thead>
<tbody>
${rows.map(row).join("\n")}
</tbody>
</table></div>`
  )
  .join("\n")}
</main>
</body>
</html>
`

export const response = Effect.succeed(HttpServerResponse.html(page))
