/**
 * Pages on which to read and try the three interfaces. They load nothing from other hosts.
 */

import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import { MarketplaceApi } from "../marketplace/MarketplaceApi.ts"
import { PlatformApi } from "../platform/PlatformApi.ts"
import { SellerApi } from "../seller/SellerApi.ts"
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

const scalar = { withDefaultFonts: false }

/**
 * A page for each interface, on which its requests can be tried. The root leads to their list.
 */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/docs/errors", ErrorsPage.response),
  HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs")),
  HttpApiScalar.layer(SellerApi, { path: "/docs/seller", scalar }),
  HttpApiScalar.layer(MarketplaceApi, { path: "/docs/marketplace", scalar }),
  HttpApiScalar.layer(PlatformApi, { path: "/docs/platform", scalar })
)
