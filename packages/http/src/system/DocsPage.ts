/**
 * Pages on which to read and try the three interfaces. They load nothing from other hosts.
 */

import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import * as OpenApiDocuments from "../openapi/OpenApiDocuments.ts"
import { HttpPolicy } from "../RequestContext.ts"
import * as ErrorsPage from "./ErrorsPage.ts"
import * as Page from "./Page.ts"
import * as ReferencePages from "./ReferencePages.ts"

const interfaces = ["seller", "marketplace", "platform"] as const

/**
 * The paths of the pages.
 */
export const pages = [
  "/",
  "/favicon.ico",
  "/docs/errors",
  ...interfaces.map((name) => `/docs/${name}` as const),
  ...ReferencePages.paths
] as const

/** Links are relative: a host may be mounted under a prefix. */
const item = (name: string): string =>
  `<li><a href="docs/${name}">The ${name} interface</a> (<a href="openapi/${name}.json">OpenAPI</a>)</li>`

export const response = Page.response(
  "Crossdock",
  `<h1>Crossdock</h1>
<p>Read each interface and try it from its page.</p>
<ul>${interfaces.map(item).join("")}</ul>
<p><a href="docs/errors">Error codes</a>: what each means, and what to do.</p>
<p>The rules by subject:</p>
<ul>${ReferencePages.links.map((link) => `<li>${link}</li>`).join("")}</ul>`
)

/** The pages load nothing from other hosts, and have no buttons that would send the document to one. */
const scalar = {
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "token" },
  showDeveloperTools: "never",
  hideClientButton: true
}

/** The page's own script draws it, and sends the requests that its reader tries to this host. */
const policy = Page.contentPolicy(
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'"
)

const framed = HttpRouter.middleware((page) =>
  Effect.map(page, HttpServerResponse.setHeaders(Page.headers(policy)))
).layer

const tried = Layer.unwrap(
  Effect.map(HttpPolicy, ({ publicUrl }) =>
    Layer.mergeAll(
      HttpApiScalar.layer(OpenApiDocuments.onPage(OpenApiDocuments.seller, publicUrl), {
        path: "/docs/seller",
        scalar
      }),
      HttpApiScalar.layer(OpenApiDocuments.onPage(OpenApiDocuments.marketplace, publicUrl), {
        path: "/docs/marketplace",
        scalar
      }),
      HttpApiScalar.layer(OpenApiDocuments.onPage(OpenApiDocuments.platform, publicUrl), {
        path: "/docs/platform",
        scalar
      })
    )
  )
)

/** With the public URL's path, since `/partner` and `/partner/` are both the root of a host that is mounted below a path. */
const root = Layer.unwrap(
  Effect.map(HttpPolicy, ({ publicUrl }) => {
    const path = publicUrl === "" ? "" : new URL(publicUrl).pathname.replace(/\/$/, "")
    return HttpRouter.add("GET", "/", HttpServerResponse.redirect(`${path}/docs`))
  })
)

/**
 * A page for each interface, on which its requests can be tried, and those of the reference. The root leads to their list.
 */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/docs/errors", ErrorsPage.response),
  root,
  // Browsers ask for it with every page.
  HttpRouter.add("GET", "/favicon.ico", HttpServerResponse.empty({ headers: { "cache-control": "max-age=86400" } })),
  ReferencePages.layer,
  Layer.provide(tried, framed)
)
