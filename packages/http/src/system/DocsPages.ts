/** A page per interface to try requests, and the documentation: the site, or else the reference and error codes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import { routeNotFound } from "../Failure.ts"
import { responseOf } from "../internal/Endpoints.ts"
import { marketplace, onPage, operator, own, platform, seller } from "../openapi/OpenApiDocuments.ts"
import { HttpPolicy } from "../RequestContext.ts"
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

/** Answers with the file of the documentation site at the request's URL, which begins at the site's root. */
type SiteFiles = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError.HttpServerError,
  HttpServerRequest.HttpServerRequest
>

/** The documentation site that the host serves below `/docs`, if it has one. */
export const Site = Context.Reference<SiteFiles | undefined>("@crossdock/http/Site", { defaultValue: () => undefined })

/** The file of a path: pages end in `.html`, and `/docs` is a page that is one folder above the others. */
const fileOf = (path: string): string =>
  path === "/docs" ? "/at-docs.html" : `${path.slice("/docs".length)}${/\.\w+$/.test(path) ? "" : ".html"}`

const sitePage = Effect.fnUntraced(function* (files: SiteFiles) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const [path = ""] = request.url.split("?")
  return yield* Effect.provideService(
    files,
    HttpServerRequest.HttpServerRequest,
    request.modify({ url: fileOf(path) })
  ).pipe(
    Effect.map(
      HttpServerResponse.setHeaders({
        ...headers(contentPolicy("script-src 'self'", "style-src 'self'", "img-src 'self'")),
        // Names of assets contain a hash of their content.
        "cache-control": path.startsWith("/docs/assets/") ? "public, max-age=31536000, immutable" : "no-cache"
      })
    ),
    Effect.catch((error) =>
      error.reason._tag === "RouteNotFound" ? responseOf(routeNotFound(path)) : Effect.die(error)
    )
  )
})

const references = Object.entries(referencePages)

const referencePath = (name: string) => `/docs/reference/${name}` as const

const referenceLinks = references.map(([name, { title }]) => `<li><a href="docs/reference/${name}">${title}</a></li>`)

/** The page `/docs/errors`, to which error bodies lead. The reference's relative links are changed to start from `/docs`. */
const errors = referencePages.errors.html
  .replaceAll(/href="(?=[\w-]+(?:#|"))/g, 'href="reference/')
  .replaceAll('href="../', 'href="')

const reference = Layer.mergeAll(
  HttpRouter.add("GET", "/docs/errors", pageOf(referencePages.errors.title, errors)),
  ...references.map(([name, { html, title }]) => HttpRouter.add("GET", referencePath(name), pageOf(title, html)))
)

const interfaces = ["seller", "marketplace", "platform", "operator"] as const

export const pages = [
  "/",
  "/favicon.ico",
  "/docs/errors",
  ...interfaces.map((name) => `/docs/${name}` as const),
  ...references.map(([name]) => referencePath(name))
] as const

/** Links are relative: a host may be mounted under a prefix. */
const item = (name: string): string =>
  `<li><a href="docs/${name}">The ${name} interface</a> (<a href="openapi/${name}.json">OpenAPI</a>)</li>`

const list = pageOf(
  "Crossdock",
  `<h1>Crossdock</h1>
<p>Read each interface and try it from its page.</p>
<ul>${interfaces.map(item).join("")}</ul>
<p><a href="docs/errors">Error codes</a>: meaning and remedy of each.</p>
<p>The rules by subject:</p>
<ul>${referenceLinks.join("")}</ul>`
)

/** Answers at `/docs`. */
export const docs = Effect.map(Site, (site) => (site === undefined ? list : sitePage(site)))

/** Settings that load nothing from other hosts, and have no buttons that send the document to one. */
const scalar = {
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "token" },
  showDeveloperTools: "never",
  hideClientButton: true
}

/** The page's own script draws the page, and sends the reader's requests to this host. */
const policy = contentPolicy(
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'"
)

/** The way back to the documentation, above the page's own content. */
const back = `<body>
    <style>.docs-link{display:block;padding:.6rem 1rem;font:1rem system-ui,sans-serif}</style>
    <a class="docs-link" href="../docs">← Documentation</a>`

const framed = HttpRouter.middleware((page) =>
  Effect.map(page, (shown) => {
    const { body } = shown
    const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
    return HttpServerResponse.html(text.replace("<body>", back)).pipe(HttpServerResponse.setHeaders(headers(policy)))
  })
).layer

/** Mounts `/docs/NAME`, on a router of its own that its first request makes: the page's script has 3 MB. */
const onRequest = (name: string, page: Layer.Layer<never, never, HttpRouter.HttpRouter>) =>
  Layer.build(Layer.provideMerge(page, Layer.fresh(HttpRouter.layer))).pipe(
    Effect.map((own) => Context.get(own, HttpRouter.HttpRouter).asHttpEffect()),
    Effect.scoped,
    Effect.cached,
    Effect.map((made) => HttpRouter.add("GET", `/docs/${name}`, Effect.orDie(Effect.flatten(made)))),
    Layer.unwrap
  )

const tried = Layer.unwrap(
  Effect.map(Effect.all([HttpPolicy, own]), ([{ publicUrl }, added]) => {
    const page = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
      const path = `/docs/${api.identifier}` as const
      return onRequest(api.identifier, HttpApiScalar.layer(onPage(api, publicUrl, added), { path, scalar }))
    }
    return Layer.mergeAll(page(seller), page(marketplace), page(platform), page(operator))
  })
)

/** Redirects the root to the documents, below the public URL's path: `/partner` and `/partner/` are both the root. */
const root = Layer.unwrap(
  Effect.map(HttpPolicy, ({ publicUrl }) => {
    const path = publicUrl === "" ? "" : new URL(publicUrl).pathname.replace(/\/$/, "")
    return HttpRouter.add("GET", "/", HttpServerResponse.redirect(`${path}/docs`))
  })
)

/** The pages to try requests, and the documentation. */
export const layer = Layer.mergeAll(
  root,
  // Browsers request it with every page.
  HttpRouter.add("GET", "/favicon.ico", HttpServerResponse.empty({ headers: { "cache-control": "max-age=86400" } })),
  Layer.unwrap(
    Effect.map(Site, (site) =>
      site === undefined
        ? reference
        : Layer.mergeAll(
            // The router would take `/docs/*` for `/docs` too, which has a handler.
            HttpRouter.add("GET", "/docs/:page", sitePage(site)),
            HttpRouter.add("GET", "/docs/:folder/:page", sitePage(site)),
            HttpRouter.add("GET", "/docs/:folder/:interface/:page", sitePage(site))
          )
    )
  ),
  Layer.provide(tried, framed)
)
