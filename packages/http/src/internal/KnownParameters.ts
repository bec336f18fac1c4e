/**
 * Rejects query parameters that the endpoint doesn't have: a misspelt filter would otherwise select everything. Source:
 * docs/reference/requests.md#unknown-parameters.
 */
import { pointer, Text, type Violation } from "@crossdock/kernel"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { Failure } from "../Failure.ts"
import { alternatives } from "./Alternatives.ts"

const namesOf = (query: Schema.Top | undefined): ReadonlyArray<string> => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

const hint = (names: ReadonlyArray<string>, suggestion: string | undefined): string =>
  names.length === 0 ? "This route takes none." : `Did you mean ${suggestion ?? alternatives(names)}?`

const longestShown = 100

/** A caller's query can have thousands of parameters. */
const mostShown = 10

const unknown = (names: ReadonlyArray<string>, sent: string): Violation => {
  const suggestion = Text.nearestName(names, sent)
  const shown = sent.length > longestShown ? `${sent.slice(0, longestShown)}…` : sent
  return {
    path: pointer([shown]),
    code: "UNKNOWN_PARAMETER",
    message: `There is no query parameter ${JSON.stringify(shown)}. ${hint(names, suggestion)}`,
    ...(suggestion === undefined ? {} : { suggestion })
  }
}

/**
 * Finds the parameters that a query must not have.
 */
export const check = (query: Schema.Top | undefined) => {
  const names = namesOf(query)
  return (sent: Readonly<Record<string, unknown>>): Failure | undefined => {
    const errors = Object.keys(sent)
      .filter((name) => !names.includes(name))
      .slice(0, mostShown)
      .map((name) => unknown(names, name))
    const [first] = errors
    return first === undefined ? undefined : new Failure({ code: "UNKNOWN_PARAMETER", message: first.message, errors })
  }
}
