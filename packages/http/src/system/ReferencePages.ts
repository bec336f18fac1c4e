/**
 * The pages of docs/reference, to which the descriptions of the OpenAPI documents lead.
 */
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Page from "./Page.ts"
import pages from "./reference.json" with { type: "json" }

const entries = Object.entries(pages)

const pathOf = (name: string) => `/docs/reference/${name}` as const

/**
 * The pages' paths.
 */
export const paths = entries.map(([name]) => pathOf(name))

/**
 * Links from `/docs` to the pages.
 */
export const links = entries.map(([name, { title }]) => `<a href="docs/reference/${name}">${title}</a>`)

export const layer = Layer.mergeAll(
  Layer.empty,
  ...entries.map(([name, { html, title }]) => HttpRouter.add("GET", pathOf(name), Page.response(title, html)))
)
