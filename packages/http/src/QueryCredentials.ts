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

/** Callers escape separators too, and some escape the escapes. */
const separator = /[?;#]|%(?:25)*(?:3f|3b|23)/i
const separatorOrAnd = /[?;#&]|%(?:25)*(?:3f|3b|23|26)/i

const decoded = (text: string): string =>
  text
    .replace(/%(?:25)+/g, "%")
    .replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

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
  const isSecret = secretInQuery.test(decoded(url))
  const end = url.search(isSecret ? separatorOrAnd : separator)
  const path = end < 0 ? url : url.slice(0, end)
  if (!isSecret && !tokenPath.test(decoded(path))) return undefined
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
