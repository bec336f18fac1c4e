/**
 * Takes credentials out of the URLs of the token paths before a log, a trace or a metric can see them.
 *
 * The documents' interface has them in the query (document 1, Authentication 2). The host's server, or its fetch entry,
 * calls `take` before anything else sees the request, and hands them on in a header that is redacted everywhere.
 */
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"

/**
 * The header that carries what was taken. A caller's own header of that name is always removed.
 */
export const header = "x-crossdock-query-credentials"

/**
 * Paths that end like a token path, also mistyped ones: their query is as secret. The router reads escapes, and takes `;`
 * and `#` for the path's end as well.
 */
const tokenPath = /\/token\/?$/i
const secretInQuery = /[?&;#](?:username|password)=/i

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * The URL without its query, and the query, for a request to a token path; undefined for all others.
 */
export const take = (url: string): { readonly url: string; readonly query: string } | undefined => {
  const end = url.search(/[?;#]/)
  const path = end < 0 ? url : url.slice(0, end)
  if (!tokenPath.test(decoded(path)) && !secretInQuery.test(url)) return undefined
  return { url: path, query: url.charAt(end) === "?" ? url.slice(end + 1) : "" }
}

/**
 * Headers that no trace may show, beside those that the platform already hides.
 */
export const redaction: Layer.Layer<never> = Layer.succeed(Headers.CurrentRedactedNames, [
  "cookie",
  "set-cookie",
  "authorization",
  "x-api-key",
  "x-access-token",
  header
])
