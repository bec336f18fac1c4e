/** The host's own pages: `/docs`, one for each interface, the reference, and the error codes. */

import { productErrorCodes } from "@crossdock/catalog"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import { answerCodes, type CodeText, fieldCodes, recordCodes } from "../ErrorCodes.ts"
import { marketplace, onPage, own, platform, seller } from "../openapi/OpenApiDocuments.ts"
import { HttpPolicy } from "../RequestContext.ts"
import { shipmentCodes } from "../seller/ShipmentsApi.ts"
import referencePages from "./reference.json" with { type: "json" }

const style = `
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{display:block;overflow-x:auto;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
pre{overflow-x:auto}
:target{background:color-mix(in srgb,gold 30%,transparent)}
@media(max-width:40rem){thead{display:none}tr{display:block;padding:.6rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}th,td{display:block;padding:.1rem 0;border:0}}
`

/** The content security policy of pages without scripts. Only the sources in `more` are allowed. */
const contentPolicy = (...more: ReadonlyArray<string>): string =>
  ["default-src 'none'", ...more, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join("; ")

/** The headers of a page, with its policy. */
const headers = (policy: string) => ({
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/** Answers with a page. `html` is the content of its `main`. */
const pageOf = (title: string, html: string) =>
  Effect.succeed(
    HttpServerResponse.html(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${html}
</main>
</body>
</html>
`).pipe(HttpServerResponse.setHeaders(headers(contentPolicy("style-src 'unsafe-inline'"))))
  )

/** Text in backticks is code. */
const codeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/`([^`]*)`/g, "<code>$1</code>")

type Row = readonly [code: string, text: CodeText, more: string | number]

/** The link to a section of the reference, such as `bulk.md#limits`, on the host's own pages. */
const more = (see: string | undefined): string =>
  see === undefined ? "" : ` <a href="reference/${see.replace(".md", "")}">More</a>`

const sections: ReadonlyArray<readonly [title: string, more: string, rows: ReadonlyArray<Row>]> = [
  ["Codes of answers", "Status", Object.entries(answerCodes).map(([code, text]): Row => [code, text, text.status])],
  ["Codes of fields", "", Object.entries(fieldCodes).map(([code, text]): Row => [code, text, ""])],
  [
    "Codes of products",
    "Operation",
    Object.entries(productErrorCodes).map(([code, text]): Row => [code, text, text.fails])
  ],
  [
    "Codes of records",
    "Operation",
    [
      ...Object.entries(recordCodes).map(([code, text]): Row => [code, text, text.operations]),
      ...Object.entries(shipmentCodes).flatMap(([operation, codes]) =>
        Object.entries(codes).map(([code, text]): Row => [code, text, operation])
      )
    ]
  ]
]

/** A code in several tables has its anchor in the first. */
const anchors = new Set<string>()

const row = ([code, { cause, fix, see }, kind]: Row): string => {
  const anchor = anchors.has(code) ? "" : ` id="${code}"`
  anchors.add(code)
  return `<tr${anchor}><th scope="row"><code>${code}</code></th><td>${kind}</td><td>${codeHtml(cause)}</td><td>${codeHtml(fix)}${more(see)}</td></tr>`
}

const errors = pageOf(
  "Error codes",
  `<h1>Error codes</h1>
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
)

const references = Object.entries(referencePages)

const referencePath = (name: string) => `/docs/reference/${name}` as const

const referencePaths = references.map(([name]) => referencePath(name))

const referenceLinks = references.map(([name, { title }]) => `<li><a href="docs/reference/${name}">${title}</a></li>`)

const reference = Layer.mergeAll(
  Layer.empty,
  ...references.map(([name, { html, title }]) => HttpRouter.add("GET", referencePath(name), pageOf(title, html)))
)

const interfaces = ["seller", "marketplace", "platform"] as const

/** The paths of the pages. */
export const pages = [
  "/",
  "/favicon.ico",
  "/docs/errors",
  ...interfaces.map((name) => `/docs/${name}` as const),
  ...referencePaths
] as const

/** Links are relative: a host may be mounted under a prefix. */
const item = (name: string): string =>
  `<li><a href="docs/${name}">The ${name} interface</a> (<a href="openapi/${name}.json">OpenAPI</a>)</li>`

export const docs = pageOf(
  "Crossdock",
  `<h1>Crossdock</h1>
<p>Read each interface and try it from its page.</p>
<ul>${interfaces.map(item).join("")}</ul>
<p><a href="docs/errors">Error codes</a>: meaning and remedy of each.</p>
<p>The rules by subject:</p>
<ul>${referenceLinks.join("")}</ul>`
)

/** Settings that load nothing from other hosts, and have no buttons that send the document to one. */
const scalar = {
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "token" },
  showDeveloperTools: "never",
  hideClientButton: true
}

/** The page's own script draws it, and sends the reader's requests to this host. */
const policy = contentPolicy(
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'"
)

const framed = HttpRouter.middleware((page) => Effect.map(page, HttpServerResponse.setHeaders(headers(policy)))).layer

const tried = Layer.unwrap(
  Effect.map(Effect.all([HttpPolicy, own]), ([{ publicUrl }, added]) =>
    Layer.mergeAll(
      HttpApiScalar.layer(onPage(seller, publicUrl, added), { path: "/docs/seller", scalar }),
      HttpApiScalar.layer(onPage(marketplace, publicUrl, added), { path: "/docs/marketplace", scalar }),
      HttpApiScalar.layer(onPage(platform, publicUrl, added), { path: "/docs/platform", scalar })
    )
  )
)

/**
 * Redirects the root to the documents. The target has the public URL's path: on a host mounted below a path, `/partner`
 * and `/partner/` are both the root.
 */
const root = Layer.unwrap(
  Effect.map(HttpPolicy, ({ publicUrl }) => {
    const path = publicUrl === "" ? "" : new URL(publicUrl).pathname.replace(/\/$/, "")
    return HttpRouter.add("GET", "/", HttpServerResponse.redirect(`${path}/docs`))
  })
)

/** The reference, and a page per interface to try its requests. */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/docs/errors", errors),
  root,
  // Browsers request it with every page.
  HttpRouter.add("GET", "/favicon.ico", HttpServerResponse.empty({ headers: { "cache-control": "max-age=86400" } })),
  reference,
  Layer.provide(tried, framed)
)
