/**
 * Takes credentials out of the URLs of the token paths before a log, a trace or a metric can see them.
 *
 * The documents' interface has them in the query (document 1, Authentication 2). The host's server, or its fetch entry,
 * calls `take` before anything else sees the request, and hands them on in a header that is redacted everywhere.
 */
import * as Headers from "@effect/platform/Headers"
import * as Layer from "effect/Layer"

/**
 * The header that carries what was taken. A caller's own header of that name is always removed.
 */
export const header = "x-crossdock-query-credentials"

const tokenPath = /^(?:\/aggregator\/v1\/token|\/auth\/[^/?]+\/token)(?=\?|$)/

/**
 * The URL without its query, and the query, for a request to a token path; undefined for all others.
 */
export const take = (url: string): { readonly url: string; readonly query: string } | undefined => {
  const path = tokenPath.exec(url)?.[0]
  return path === undefined ? undefined : { url: path, query: url.slice(path.length + 1) }
}

/**
 * Headers that no trace may show, beside those that the platform already hides.
 */
export const redaction: Layer.Layer<never> = Layer.locallyScoped(Headers.currentRedactedNames, [
  "cookie",
  "set-cookie",
  "authorization",
  "x-api-key",
  "x-access-token",
  header
])
