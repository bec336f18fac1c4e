/** Reads files that are arguments of commands. The argument `-` is standard input. */
import { pointer } from "@crossdock/kernel"
import { Effect, FileSystem, Result, Schema, SchemaIssue } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import { Terminal } from "./Terminal.ts"

export const read = Effect.fnUntraced(function* (path: string) {
  if (path === "-") return yield* (yield* Terminal).input
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    files.readFileString(path),
    () => new CommandFailure(`The file ${JSON.stringify(path)} can't be read. Check its path`)
  )
})

/** Decodes a value, or fails with all errors. Each error has a path but no value, since values may be secrets. */
export const decodeValue = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, thing: string) => {
  const decodeContent = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (issue) => {
      if (issue._tag === "MissingKey") return "is missing"
      return issue._tag === "UnexpectedKey" ? `is not a field of ${thing}` : SchemaIssue.defaultLeafHook(issue)
    }
  })
  return (content: unknown) =>
    Result.mapError(decodeContent(content), ({ issue }) =>
      issuesOf(issue).issues.map(({ message, path = [] }) => ({
        path: pointer(path.map((segment) => (typeof segment === "object" ? segment.key : segment))),
        message: message.replace(/^\[[A-Z_]+\] /, "")
      }))
    )
}

/** Decodes JSON, or fails with all errors, each on its own line. */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, thing: string) => {
  const decodeContent = decodeValue(schema, thing)
  return (text: string): Result.Result<S["Type"], string> =>
    Result.try({ try: (): unknown => JSON.parse(text), catch: () => "The file is not valid JSON" }).pipe(
      Result.flatMap((content) =>
        Result.mapError(decodeContent(content), (errors) =>
          errors
            .map(({ message, path }) => (path === "" ? "The file must contain a JSON object" : `${path}: ${message}`))
            .join("\n")
        )
      )
    )
}

/** The content of a JSON file, decoded by `schema`. */
export const readAs = <S extends Schema.ConstraintDecoder<unknown>>(path: string, schema: S, thing: string) =>
  Effect.flatMap(read(path), (text) =>
    Effect.fromResult(Result.mapError(decode(schema, thing)(text), (message) => new CommandFailure(message)))
  )
