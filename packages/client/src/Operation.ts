/** Operations, their inputs and addresses. `contracts` has their tables and types. */
import type * as Effect from "effect/Effect"
import type { ApiError, Fault, NetworkError } from "./ApiError.ts"

/** A list's page parameters and size, and the field with its records, "" if the answer is the list. */
export interface Paging {
  readonly number: string
  readonly size: string
  readonly most: number
  readonly items: string
}

/** The field with a bulk's records, "" if the body is the list, and the most per request. */
export interface Bulk {
  readonly list: string
  readonly most: number
}

/** An operation. `path` has parameters in braces. `key`: takes an Idempotency-Key. `bytes`: answers a document, not JSON. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly key?: true
  readonly bytes?: true
  readonly page?: Paging
  readonly bulk?: Bulk
}

export type Table<Operations> = { readonly [G in keyof Operations]: { readonly [E in keyof Operations[G]]: Operation } }

/** A call's input, by HttpApiClient's names. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: unknown
}

/** Options of a call. With one `idempotencyKey`, a write happens once, even after a restart. By default calls have their own. */
export interface CallOptions {
  readonly idempotencyKey?: string
}

const halfOfPair = /\p{Cs}/u

/** An address's faults: empty, "." and ".." parts would lead elsewhere, and half a surrogate pair isn't text. */
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

/** A query's lists have commas. */
const inQuery = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

export const addressOf = (url: string, { path }: Operation, { params = {}, query = {} }: Input): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  const sent = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(inQuery(value))}`]
  )
  return `${url.replace(/\/$/, "")}${filled}${sent.length === 0 ? "" : `?${sent.join("&")}`}`
}

/** The error of a call. */
export type Failure = ApiError | NetworkError

/** An operation with its input. `headers` are the client's: its token and Idempotency-Key. */
export interface Request {
  readonly operation: Operation
  readonly input: Input
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request once; returns a 2xx's JSON, or a document's bytes. */
export type Transport = (request: Request) => Effect.Effect<unknown, Failure>

/** The request's name in messages. */
export const nameOf = ({ operation }: Request): string => `${operation.method} ${operation.path}`
