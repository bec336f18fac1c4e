/**
 * The frame of the host's own pages: their style, and headers under which a page runs nothing but what it brings.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const style = `
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{display:block;overflow-x:auto;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
pre{overflow-x:auto}
:target{background:color-mix(in srgb,gold 30%,transparent)}
@media(max-width:40rem){thead{display:none}tr{display:block;padding:.6rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}th,td{display:block;padding:.1rem 0;border:0}}
`

/**
 * Policies of pages without scripts. Sources beyond those of `more` are forbidden.
 */
export const contentPolicy = (...more: ReadonlyArray<string>): string =>
  ["default-src 'none'", ...more, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join("; ")

/**
 * The headers of a page, with its policy.
 */
export const headers = (policy: string) => ({
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/**
 * Answers with a page. `html` is the content of its `main`.
 */
export const response = (title: string, html: string) =>
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
