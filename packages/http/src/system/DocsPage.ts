/**
 * Pages on which to read and try the three interfaces. They load nothing from other hosts.
 */

import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import * as OpenApiDocuments from "../openapi/OpenApiDocuments.ts"
import * as ErrorsPage from "./ErrorsPage.ts"

const interfaces = ["seller", "marketplace", "platform"] as const

/**
 * The paths of the pages.
 */
export const pages = ["/", "/docs/errors", ...interfaces.map((name) => `/docs/${name}` as const)] as const

const item = (name: string): string =>
  `<li><a href="/docs/${name}">The ${name} interface</a> (<a href="/openapi/${name}.json">OpenAPI</a>)</li>`

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossdock</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
</head>
<body>
<main>
<h1>Crossdock</h1>
<p>Read each interface and try it from its page.</p>
<ul>${interfaces.map(item).join("")}</ul>
<p><a href="/docs/errors">Error codes</a>: what each means, and what to do.</p>
</main>
</body>
</html>
`

export const response = Effect.succeed(HttpServerResponse.html(page))

/** The pages load nothing from other hosts, and have no buttons that would send the document to one. */
const scalar = {
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "token" },
  showDeveloperTools: "never",
  hideClientButton: true
}

/**
 * A page for each interface, on which its requests can be tried. The root leads to their list.
 */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/docs/errors", ErrorsPage.response),
  HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs")),
  HttpApiScalar.layer(OpenApiDocuments.seller, { path: "/docs/seller", scalar }),
  HttpApiScalar.layer(OpenApiDocuments.marketplace, { path: "/docs/marketplace", scalar }),
  HttpApiScalar.layer(OpenApiDocuments.platform, { path: "/docs/platform", scalar })
)
