/** A request as data, which can be broken, sent, printed and made smaller. */

import * as JsonText from "./JsonText.ts"
import type { Operation } from "./Operation.ts"
import type { SignedIn } from "./SignedIn.ts"

export interface Request {
  readonly operation: Operation
  /** The caller who is signed in. If it is undefined, no token is sent. */
  readonly caller: SignedIn | undefined
  readonly method: string
  readonly path: Readonly<Record<string, string>>
  /** The parameters of the query. A name may appear twice. */
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  /** The value of the body. If it is undefined, no body is sent. */
  readonly body: unknown
  /** These bytes are sent instead of the body. */
  readonly bytes: Buffer | undefined
  /** This target is sent instead of the operation's path with its parameters. */
  readonly target: string | undefined
  /** How the request is broken, or "valid". */
  readonly broken: string
  /** The right statuses. If undefined, the document decides. */
  readonly expected: ReadonlyArray<number> | undefined
}

/** Whether the request takes an Idempotency-Key. */
export const isWrite = ({ operation }: Request): boolean =>
  operation.parameters.some(({ name }) => name === "Idempotency-Key")

/** Encodes a text, even an invalid one: a single surrogate becomes bytes that aren't UTF-8. */
const encoded = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    return text.replace(/[\s\S]/g, (unit) => {
      const code = unit.charCodeAt(0)
      const isLone = code >= 0xd800 && code <= 0xdfff
      return isLone
        ? `%ED%${(0xa0 | ((code >> 6) & 0x1f)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`
        : encodeURIComponent(unit)
    })
  }
}

/** The path and the query that are sent. */
export const targetOf = ({ operation, path, query, target }: Request): string => {
  const filled = target ?? operation.path.replace(/\{([^}]+)\}/g, (_, name) => encoded(path[name] ?? ""))
  const pairs = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&")
  return pairs === "" ? filled : `${filled}${filled.includes("?") ? "&" : "?"}${pairs}`
}

/** The bytes of the body that are sent. */
export const bytesOf = ({ body, bytes, operation }: Request): Buffer | undefined => {
  if (bytes !== undefined || body === undefined) return bytes
  const isForm = operation.body?.type === "application/x-www-form-urlencoded" && JsonText.isObject(body)
  return Buffer.from(
    isForm
      ? new URLSearchParams(
          Object.entries(body).map(([key, value]): [string, string] => [key, String(value)])
        ).toString()
      : JsonText.of(body)
  )
}

/** The headers, with the caller's token and the content type. */
export const headersOf = (request: Request): Readonly<Record<string, string>> => {
  const bytes = bytesOf(request)
  const all: Record<string, string> = {
    ...(bytes === undefined ? {} : { "content-type": request.operation.body?.type ?? "application/json" }),
    ...(request.caller === undefined ? {} : request.caller.headers),
    ...request.headers
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""))
}

/** Makes a request for an operation with this body. Everything else is as the operation requires. */
export const make = (
  operation: Operation,
  caller: SignedIn | undefined,
  parts: Partial<Pick<Request, "path" | "query" | "headers" | "body" | "expected" | "broken" | "target">>
): Request => ({
  operation,
  caller,
  method: operation.method,
  path: {},
  query: [],
  headers: {},
  body: undefined,
  bytes: undefined,
  target: undefined,
  broken: "valid",
  expected: undefined,
  ...parts
})

const shortened = (text: string): string =>
  text.replace(/((?:%[0-9A-F]{2}){4}|[\s\S])\1{99,}/g, (run, one: string) => `${one}(${run.length / one.length} times)`)

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The request as a curl command, with a variable for the caller's token. Bytes that aren't text are in Base64. */
export const curlOf = (request: Request, url: string): string => {
  const { caller } = request
  const bytes = bytesOf(request)
  const headers = Object.entries(headersOf(request)).map(([name, value]) => {
    const isToken = caller !== undefined && value.includes(caller.token)
    return isToken
      ? `-H "${name}: ${value.replace(caller.token, `$token_of_${caller.name}`)}"`
      : `-H ${quoted(`${name}: ${value}`)}`
  })
  const text = bytes?.toString("utf8")
  const isText = bytes !== undefined && text !== undefined && Buffer.from(text).equals(bytes)
  const shown = isText && text.length <= 4_000 ? text : undefined
  const body =
    bytes === undefined
      ? []
      : shown !== undefined
        ? [`--data-binary ${quoted(shown)}`]
        : [`--data-binary @- # ${bytes.length} bytes, base64: ${bytes.subarray(0, 300).toString("base64")}`]
  return shortened([`curl -X ${request.method}`, ...headers, quoted(`${url}${targetOf(request)}`), ...body].join(" "))
}
