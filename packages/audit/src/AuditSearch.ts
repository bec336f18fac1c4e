/**
 * The search grammar of the audit trail.
 *
 *     query  = "{" JSON object of keys and texts "}"  |  term { white space term }
 *     term   = word | phrase | key ":" ( word | phrase )
 *     phrase = '"' any text, in which \" means " and \\ means \ '"'
 *     key    = entity.type | entity.id | entity.action | modifier.user_id | from | to
 *
 * A record matches if all terms match. A word or phrase matches if it is part of one of the record's texts: the entity's
 * type, ids and action, the caller's id, and the modifier's and payload's keys and values. A pair matches if the field
 * equals its value. The key entity.id also matches any id of a bulk. The values of `from` and `to` are days (yyyy-mm-dd) or
 * instants (ISO 8601). The day or instant of `to` is included. Case is ignored. A query has at most 10 different words and
 * phrases, and at most 10 different pairs. Source: docs/reference/audit.md#search.
 */
import { frozen, Instant, Text, type Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { type AuditView, logsOf } from "./AuditChain.ts"

/** The fields that a pair can compare. */
export const fields = /* @__PURE__ */ frozen(["entity.type", "entity.id", "entity.action", "modifier.user_id"] as const)

export type Field = (typeof fields)[number]

/** A parsed query. Texts are folded for comparison. Times are in epoch milliseconds, and `before` itself isn't included. */
export interface AuditFilter {
  readonly words: ReadonlyArray<string>
  readonly pairs: ReadonlyArray<{ readonly field: Field; readonly value: string }>
  readonly from: number | null
  readonly before: number | null
}

export const everything: AuditFilter = /* @__PURE__ */ frozen({ words: [], pairs: [], from: null, before: null })

const keys = [...fields, "from", "to"] as const

type Key = (typeof keys)[number]

const isKey = (text: string): text is Key => (keys as ReadonlyArray<string>).includes(text)

/** A query has at most this many different words and phrases, and at most this many different pairs. */
const maxTerms = 10

interface Term {
  /** The key of a pair. It is undefined for a word or phrase. */
  readonly key: string | undefined
  readonly value: string
  /** The position in the query, counted from 1, for messages. */
  readonly at: string
}

type Parsed<A> = Result.Result<A, ReadonlyArray<Violation>>

const fault = (message: string): Violation => ({ path: "/qs", code: "INVALID_VALUE", message })

/** A phrase, a word, or the beginning of a pair. The expression is sticky, so that no text between terms is skipped. */
const token = /\s*(?:([^\s":]+):)?(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?=\s|$)/suy

const terms = (query: string): Parsed<ReadonlyArray<Term>> => {
  const found: Array<Term> = []
  const text = query.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const start = token.lastIndex
    const match = token.exec(text)
    if (match === null) {
      const at = start + (/\S/.exec(text.slice(start))?.index ?? 0) + 1
      return Result.fail([fault(`at character ${at}: expected a word, a phrase in quotes, or key:value`)])
    }
    const [whole, key, phrase, bare = ""] = match
    const at = `character ${start + whole.length - whole.trimStart().length + 1}`
    const value = phrase === undefined ? bare : phrase.replaceAll(/\\(.)/gs, "$1")
    found.push({ key, value, at })
  }
  return Result.succeed(found)
}

const objectTerms = (query: string): Parsed<ReadonlyArray<Term>> => {
  const parsed = Result.try((): unknown => JSON.parse(query))
  if (Result.isFailure(parsed) || typeof parsed.success !== "object" || parsed.success === null)
    return Result.fail([fault("begins with { but is not a JSON object")])
  const entries = Object.entries(parsed.success)
  const wrong = entries.filter(([, value]) => typeof value !== "string" && typeof value !== "number")
  return wrong.length > 0
    ? Result.fail(wrong.map(([key]) => fault(`key ${JSON.stringify(key)}: must be text`)))
    : Result.succeed(entries.map(([key, value]) => ({ key, value: String(value), at: `key ${JSON.stringify(key)}` })))
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** The start of a day or instant, and its end, which isn't included. Undefined if the text is neither. */
const span = (value: string): readonly [from: number, before: number] | undefined => {
  const isDay = dayPattern.test(value)
  const [from, length] = isDay ? [Instant.parse(`${value}T00:00Z`), Instant.dayMillis] : [Instant.parse(value), 1]
  return from === undefined ? undefined : [from, from + length]
}

const addTerm = (filter: AuditFilter, { at, key, value }: Term): Parsed<AuditFilter> => {
  const text = Text.folded(value)
  if (key === undefined)
    return Result.succeed(filter.words.includes(text) ? filter : { ...filter, words: [...filter.words, text] })
  if (!isKey(key))
    return Result.fail([fault(`${at}: ${JSON.stringify(key)} is not a key; use one of ${keys.join(", ")}`)])
  if (key !== "from" && key !== "to") {
    const isRepeated = filter.pairs.some((pair) => pair.field === key && pair.value === text)
    return Result.succeed(isRepeated ? filter : { ...filter, pairs: [...filter.pairs, { field: key, value: text }] })
  }
  const found = span(value)
  if (found === undefined)
    return Result.fail([
      fault(
        `${at}: ${key} must be a date as yyyy-mm-dd or a date and time with an offset, such as 2026-01-31T12:00:00Z`
      )
    ])
  return Result.succeed(
    key === "from"
      ? { ...filter, from: Math.max(filter.from ?? found[0], found[0]) }
      : { ...filter, before: Math.min(filter.before ?? found[1], found[1]) }
  )
}

/**
 * The filter of a query, or all faults of the query. A fault is an `INVALID_VALUE` at `/qs`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { AuditSearch } from "@crossdock/audit"
 * import * as Result from "effect/Result"
 *
 * const filter = Result.getOrThrow(AuditSearch.parse('entity.type:order "bag packed"'))
 * deepStrictEqual(filter.words, ["bag packed"])
 * deepStrictEqual(filter.pairs, [{ field: "entity.type", value: "order" }])
 * ```
 */
export const parse = (query: string): Parsed<AuditFilter> => {
  const isObject = query.trimStart().startsWith("{")
  const found = isObject ? objectTerms(query) : terms(query)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  if (found.success.length === 0 && !isObject) return Result.fail([fault("must not be empty; {} finds every record")])
  const faults: Array<Violation> = []
  let filter = everything
  for (const term of found.success) {
    const next = addTerm(filter, term)
    if (Result.isFailure(next)) faults.push(...next.failure)
    else filter = next.success
    if (filter.words.length > maxTerms || filter.pairs.length > maxTerms)
      return Result.fail([fault(`must have at most ${maxTerms} different words, and at most ${maxTerms} pairs`)])
  }
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(filter)
}

const userOf = (view: AuditView): string => {
  const user = view.personal?.modifier?.user_id
  return typeof user === "string" || typeof user === "number" ? String(user) : ""
}

const fieldOf: Readonly<Record<Field, (view: AuditView) => ReadonlyArray<string>>> = {
  "entity.type": (view) => [view.entity.type],
  "entity.id": ({ entity }) => [entity.id, ...(entity.ids ?? [])],
  "entity.action": (view) => [view.entity.action],
  "modifier.user_id": (view) => [userOf(view)]
}

const leaves = (value: unknown): ReadonlyArray<string> => {
  if (value === null || value === undefined) return []
  if (typeof value !== "object") return [String(value)]
  return Array.isArray(value)
    ? value.flatMap(leaves)
    : Object.entries(value).flatMap(([key, inner]) => [key, ...leaves(inner)])
}

const textsOf = (view: AuditView): ReadonlyArray<string> => [
  ...leaves(Object.values(view.entity)),
  view.recorded_by.id,
  ...leaves(view.personal?.modifier),
  ...leaves(logsOf(view))
]

/** Whether a record matches all words, pairs and times of a filter. */
export const matches = (filter: AuditFilter, view: AuditView): boolean => {
  if (filter.from !== null && view.at < filter.from) return false
  if (filter.before !== null && view.at >= filter.before) return false
  const isEqual = (field: Field, value: string) => fieldOf[field](view).some((text) => Text.folded(text) === value)
  if (!filter.pairs.every(({ field, value }) => isEqual(field, value))) return false
  if (filter.words.length === 0) return true
  const texts = textsOf(view).map(Text.folded)
  return filter.words.every((word) => texts.some((text) => text.includes(word)))
}
