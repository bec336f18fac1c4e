/**
 * Moves credentials out of the URLs of token paths before a log, a trace or a metric can see them.
 *
 * The host's server calls `take` first and passes the query on in a header that is redacted everywhere.
 * Source: docs/reference/authentication.md#query-credentials.
 */
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"

/**
 * The header with the query of a token path. The host must remove a caller's own header of that name.
 */
export const header = "x-crossdock-query-credentials"

/**
 * Matches every path that ends like a token path, also a mistyped one, whose query is just as secret. The router decodes
 * escapes and treats `;` and `#` as the end of the path too.
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
 * The URL without its query, and the query, for a request to a token path or with credentials in its URL. Undefined for
 * all other URLs.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { QueryCredentials } from "@crossdock/http"
 *
 * const taken = QueryCredentials.take("/aggregator/v1/token?username=acme&password=secret")
 * deepStrictEqual(taken, { url: "/aggregator/v1/token", query: "username=acme&password=secret" })
 * ```
 */
export const take = (url: string): { readonly url: string; readonly query: string } | undefined => {
  const end = url.search(/[?;#]/)
  const path = end < 0 ? url : url.slice(0, end)
  if (!tokenPath.test(decoded(path)) && !secretInQuery.test(url)) return undefined
  return { url: path, query: url.charAt(end) === "?" ? url.slice(end + 1) : "" }
}

/**
 * Headers that traces must hide.
 */
export const redaction: Layer.Layer<never> = Layer.succeed(Headers.CurrentRedactedNames, [
  "cookie",
  "set-cookie",
  "authorization",
  "x-api-key",
  "x-access-token",
  header
])
