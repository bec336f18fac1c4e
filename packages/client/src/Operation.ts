/** Operations, their inputs and their addresses. `contracts` has tables and types of all operations. */
import type * as Effect from "effect/Effect"
import type { ApiError, Fault, NetworkError } from "./ApiError.ts"

/** A list's query parameters for page and size, its largest size, and its items' field ("" if the answer is a list). */
export interface Paging {
  readonly number: string
  readonly size: string
  readonly most: number
  readonly items: string
}

/** A bulk's field of records, and the most records per request. If the body itself is the list, the field is "". */
export interface Bulk {
  readonly list: string
  readonly most: number
}

/** An operation of an interface. With `key` it accepts an Idempotency-Key, and with `bytes` it answers with a document. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly key?: true
  readonly bytes?: true
  readonly page?: Paging
  readonly bulk?: Bulk
}

/** The operations of an interface, by group and name. */
export type Table<Operations> = { readonly [G in keyof Operations]: { readonly [E in keyof Operations[G]]: Operation } }

/** The input of a call. Its members are named as in HttpApiClient. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: unknown
}

/** Options of a call. Writes with the same `idempotencyKey` happen only once. By default, each call has a new key. */
export interface CallOptions {
  readonly idempotencyKey?: string
}

const halfOfPair = /\p{Cs}/u

/** The faults of the values in a path and query. A path's value that is empty, "." or ".." would lead elsewhere. */
export const faultsOf = ({ path }: Operation, { params = {}, query = {} }: Input): ReadonlyArray<Fault> => {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name).flatMap(
    (name): ReadonlyArray<Fault> => {
      const value = params[name] ?? ""
      if (value !== "" && value !== "." && value !== ".." && !halfOfPair.test(value)) return []
      const message = 'must be a text that is not empty, "." or "..", without half of a surrogate pair'
      return [{ path: `/${name}`, code: "INVALID_TEXT", message }]
    }
  )
  const inQueries = Object.entries(query).flatMap(([name, value]): ReadonlyArray<Fault> => {
    if (value === undefined || !halfOfPair.test(inQuery(value))) return []
    return [{ path: `/${name}`, code: "INVALID_TEXT", message: "must not have half of a surrogate pair" }]
  })
  return [...inPath, ...inQueries]
}

/** The text of a value in a query. The items of a list are separated by commas. */
const inQuery = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

/** The URL of a request. */
export const addressOf = (url: string, { path }: Operation, { params = {}, query = {} }: Input): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  const sent = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(inQuery(value))}`]
  )
  return `${url.replace(/\/$/, "")}${filled}${sent.length === 0 ? "" : `?${sent.join("&")}`}`
}

/** The error of a call. */
export type Failure = ApiError | NetworkError

/** An operation with its input. `headers` are the headers that the client adds: the token and the Idempotency-Key. */
export interface Request {
  readonly operation: Operation
  readonly input: Input
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request once. For a status of 2xx, it returns the JSON of the answer, or the bytes of a document. */
export type Transport = (request: Request) => Effect.Effect<unknown, Failure>

/** The name of the request in messages. */
export const nameOf = ({ operation }: Request): string => `${operation.method} ${operation.path}`
