/**
 * Decodes what callers sent, and says everything that is wrong with it and where.
 */

import { type Bulk, pointer, type Violation } from "@crossdock/kernel"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const options = { errors: "all", onExcessProperty: "ignore" } as const

/**
 * A message may open with its code in brackets, `[INVALID_TEXT] …`; the others get the code of their kind.
 */
const coded = /^\[([A-Z_]+)\] (.*)$/s

/**
 * What a union says for its empty member, beside what the other member says of the same value.
 */
const emptyMember = /^Expected (null|undefined), actual /

/**
 * What a schema says of a value of another type, in words for a person.
 */
const types: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Expected string\b/, "must be text"],
  [/^Expected number\b/, "must be a number"],
  [/^Expected boolean\b/, "must be true or false"],
  [/^Expected (?:readonly |ReadonlyArray)/, "must be a list"],
  [/^Expected /, "must be an object"]
]

const worded = (message: string): string => types.find(([said]) => said.test(message))?.[1] ?? message

const kinds: Readonly<Record<string, string>> = { Missing: "REQUIRED", Type: "INVALID_TYPE" }

interface Issue {
  readonly _tag: string
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/**
 * The violations of formatted issues, whoever decoded. A place that is wrong in several ways (a union tells of each of its
 * members) is named once.
 */
export const violations = (
  issues: ReadonlyArray<Issue>,
  root: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<Violation> => {
  const places = new Map<string, Violation>()
  for (const { _tag, message, path } of issues) {
    const [, code, text] = coded.exec(message) ?? []
    const place = pointer([...root, ...path])
    if (places.has(place) || emptyMember.test(message)) continue
    places.set(place, {
      path: place,
      code: code ?? kinds[_tag] ?? "INVALID_VALUE",
      message: text ?? (_tag === "Missing" ? "is required" : worded(message))
    })
  }
  return [...places.values()]
}

/**
 * A decoder that gives all violations at once. `root` is where in the request the value stands.
 */
export const all = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema, options)
  return (value: unknown, root?: ReadonlyArray<PropertyKey>): Either.Either<A, ReadonlyArray<Violation>> =>
    Either.mapLeft(decode(value), (error) => violations(ParseResult.ArrayFormatter.formatErrorSync(error), root))
}

/**
 * A decoder for one record of a bulk: what is wrong becomes the record's refusal, so that it never fails its neighbours.
 * `isSound` may spare a record that is plainly as the schema wants it the walk through the schema, which costs more than
 * all else that is done for a record of a few fields; a test holds the two together.
 */
export const record = <A, I>(schema: Schema.Schema<A, I>, isSound?: (value: unknown) => value is A) => {
  const decode = all(schema)
  return (value: unknown, root: ReadonlyArray<PropertyKey>): Either.Either<A, Bulk.Refusal> =>
    isSound?.(value) === true
      ? Either.right(value)
      : Either.mapLeft(decode(value, root), (found) => ({
          code: "INVALID_RECORD",
          message: found.map(({ message, path }) => `${path}: ${message}`).join("; "),
          path: found[0]?.path ?? pointer(root)
        }))
}
