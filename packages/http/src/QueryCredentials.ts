/**
 * Moves credentials out of the URLs of token paths before a log, a trace or a metric can see them.
 *
 * The host's server calls `take` first and passes the query on in a header that is redacted everywhere.
 * Source: docs/reference/authentication.md#query-credentials.
 */
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"
import { unescaped } from "./internal/Unescaped.ts"

/**
 * The header with the query of a token path. The host must remove a caller's own header of that name.
 */
export const header = "x-crossdock-query-credentials"

const name = "(?:username|passw(?:or)?d|pwd|secret|token)\\s*[=:]"

/** A pair of a name and a value, the user information of an address, or anything that follows a token path. */
const secretInPath = new RegExp(`${name}|/[^/:@]*:[^/@]*@|/token/?[^\\w/-]`, "i")
const secretInQuery = /[?&;#](?:username|password)\s*[=:]/i

/** Also a mistyped one, whose query is just as secret. */
const tokenPath = /\/token\/?$/i

/** What can neither be a separator nor a part of an escape. */
const plain = /^[\w./~-]*/

/**
 * The URL without its query, and the query, for a request to a token path or with credentials in its query. When the path has
 * credentials, however they are escaped, it ends before its first character that isn't plain, and the query is empty.
 * Undefined for all other URLs.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { QueryCredentials } from "@crossdock/http"
 *
 * const taken = QueryCredentials.take("/aggregator/v1/token?username=acme&password=secret")
 * deepStrictEqual(taken, { url: "/aggregator/v1/token", query: "username=acme&password=secret" })
 * deepStrictEqual(QueryCredentials.take("/token%26password=secret"), { url: "/token", query: "" })
 * ```
 */
export const take = (url: string): { readonly url: string; readonly query: string } | undefined => {
  const [path = ""] = url.split("?", 1)
  const said = unescaped(path)
  if (secretInPath.test(said)) return { url: plain.exec(path)?.[0] || "/", query: "" }
  if (!tokenPath.test(said) && !secretInQuery.test(unescaped(url))) return undefined
  return { url: path, query: url.slice(path.length + 1) }
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
