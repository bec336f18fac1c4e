/** The files of `crossdock import` and `crossdock export`: CSV or JSON lines. */
import { randomBytes } from "node:crypto"
import { lstat, stat } from "node:fs/promises"
import type { Lines } from "@crossdock/files"
import { Effect, FileSystem, Option, Stream } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"
import * as FileFailure from "./FileFailure.ts"

export const file = CommandLine.argument(
  "file",
  "CSV (.csv) whose first line names the paths of the fields, or one JSON object a line (.jsonl)"
)

export const force = CommandLine.toggle("force", "overwrites a file that exists")

export const formatOf = (file: string): Effect.Effect<Lines.Format, CommandFailure> =>
  file.endsWith(".csv")
    ? Effect.succeed("csv")
    : /\.(jsonl|ndjson)$/.test(file)
      ? Effect.succeed("jsonl")
      : Effect.fail(new CommandFailure("The file's name must end with .csv, .jsonl or .ndjson"))

/** Fails if the file exists, unless it may be overwritten. Checked before long work, whose result would be lost. */
export const rejectExisting = Effect.fnUntraced(function* (file: string, force: boolean) {
  const exists = yield* (yield* FileSystem.FileSystem).exists(file)
  if (exists && !force)
    return yield* new CommandFailure(`There is a file ${file} already: choose another name, or add --force`)
})

/** Fails if both names mean one file: the report would replace the import before it is read. */
export const rejectSame = Effect.fnUntraced(function* (file: string, report: string) {
  const of = (name: string) => Effect.promise(() => stat(name).catch(() => undefined))
  const [one, other] = [yield* of(file), yield* of(report)]
  if (one !== undefined && one.ino === other?.ino && one.dev === other.dev)
    return yield* new CommandFailure(
      `${report} is the file that is imported, which the report would replace: choose another name`
    )
})

const written = <E>(
  file: string,
  text: Stream.Stream<string, E>,
  options: { readonly flag?: "wx"; readonly mode: number | undefined }
) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Stream.run(
      text.pipe(
        Stream.grouped(500),
        Stream.map((pieces) => pieces.join("")),
        Stream.encodeText
      ),
      files.sink(file, options)
    )
  )

/** Writes a report line by line, readable by its owner only. Replaces a file, but nothing else, and follows no link. */
export const reported = <E>(file: string, text: Stream.Stream<string, E>) =>
  Effect.gen(function* () {
    const before = yield* Effect.promise(() => lstat(file).catch(() => undefined))
    if (before !== undefined && !before.isFile())
      return yield* new CommandFailure(
        `${file} is a link or not a file, so the report can't replace it: choose another name`
      )
    const files = yield* FileSystem.FileSystem
    if (before !== undefined) yield* files.remove(file)
    yield* written(file, text, { flag: "wx", mode: 0o600 })
  }).pipe(FileFailure.named(file))

/** Writes the text beside the file, then replaces the file, with the same access. Follows no link. */
export const replaced = <E>(file: string, text: Stream.Stream<string, E>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const before = Option.getOrUndefined(yield* Effect.option(files.stat(file)))
    const part = `${file}.${randomBytes(6).toString("hex")}.part`
    yield* Effect.onError(
      Effect.andThen(written(part, text, { mode: before && before.mode & 0o777 }), files.rename(part, file)),
      () => Effect.ignore(files.remove(part))
    )
  }).pipe(FileFailure.named(file))
