/** The files of `crossdock import` and `crossdock export`, which are CSV or JSON lines. */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { lstat, stat } from "node:fs/promises"
import { Lines } from "@crossdock/files"
import type { Violation } from "@crossdock/kernel"
import { Effect, FileSystem, Option, Result, Schema, Stream } from "effect"
import * as Answer from "./Answer.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"
import * as FileFailure from "./FileFailure.ts"
import * as TextFile from "./TextFile.ts"

export const file = CommandLine.argument(
  "file",
  "CSV (.csv) whose first line has the fields' paths, or JSON lines (.jsonl)"
)

export const force = CommandLine.toggle("force", "overwrites an existing file")

export const formatOf = (file: string): Effect.Effect<Lines.Format, CommandFailure> =>
  file.endsWith(".csv")
    ? Effect.succeed("csv")
    : /\.(jsonl|ndjson)$/.test(file)
      ? Effect.succeed("jsonl")
      : Effect.fail(new CommandFailure("The file's name must end with .csv, .jsonl or .ndjson"))

/** The record with every value as text. The schema determines which of the texts are numbers. */
const asTexts = (record: unknown): unknown =>
  JSON.parse(JSON.stringify(record), (_, value) => (typeof value === "object" ? value : String(value)))

type Fault = Pick<Violation, "path" | "message">

/** The failure of a file with these faults, one a line. */
export const faulty = (lines: ReadonlyArray<string>) => {
  const head = `The file has ${Answer.counted(lines.length, "error")}, so nothing was imported. Correct and import it again:`
  return new CommandFailure([head, ...lines].join("\n"))
}

/** Reads a file's records, `all` valid by `schema`. `failed` is for later faults, with paths such as `/0/name`. */
export const records = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  file: string,
  schema: S
) {
  const format = yield* formatOf(file)
  const content = Lines.read(format, Stream.toAsyncIterable(Stream.succeed(yield* TextFile.read(file))))
  const lines = yield* Stream.runCollect(Stream.orDie(Stream.fromAsyncIterable(content, (error) => error)))
  const isCsv = format === "csv"
  const own: Schema.ConstraintDecoder<unknown> = isCsv ? Schema.toCodecStringTree(schema) : schema
  const decode = TextFile.decodeValue(own, "the record")
  const all: Array<S["Type"]> = []
  const faults: Array<Fault> = []
  for (const [at, { fault, record }] of lines.entries()) {
    const found =
      fault === undefined ? decode(isCsv ? asTexts(record) : record) : Result.fail([{ path: "", message: fault }])
    if (Result.isSuccess(found)) all.push(found.success)
    else faults.push(...found.failure.map(({ message, path }) => ({ message, path: `/${at}${path}` })))
  }
  const failed = (found: ReadonlyArray<Fault>) => {
    const located = found.map(({ message, path }) => {
      const [, at, ...fields] = path.split("/")
      const line = lines[Number(at)]?.line ?? 0
      return { line, text: `line ${line}${fields.length === 0 ? "" : `, ${fields.join(".")}`}: ${message}` }
    })
    return faulty(located.toSorted((one, other) => one.line - other.line).map(({ text }) => text))
  }
  return faults.length > 0 ? yield* failed(faults) : { all, failed }
})

/** The text of an example file for `crossdock import`. */
export const example = (name: string) => readFileSync(new URL(`../data/examples/${name}.csv`, import.meta.url), "utf8")

/** Fails if the file exists and may not be overwritten. Call it before long work, since the result would be lost. */
export const rejectExisting = Effect.fnUntraced(function* (file: string, force: boolean) {
  const exists = yield* (yield* FileSystem.FileSystem).exists(file)
  if (exists && !force)
    return yield* new CommandFailure(`There is a file ${file} already: choose another name, or add --force`)
})

/** Fails if both names mean one file, because the report would replace that file before the file is read. */
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

/** Waits until the disk has the content of a file, or the names of the files in a folder. */
export const synced = (path: string, flag: "r" | "r+" = "r") =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.scoped(Effect.flatMap(files.open(path, { flag }), ({ sync }) => sync))
  )

/** Writes and syncs a new file that only its owner can read. If that fails, nothing of it remains. It follows no link. */
export const created = <E, R>(file: string, bytes: Stream.Stream<Uint8Array, E, R>, todo = "choose another name") =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const unwritable = (error: unknown) =>
      FileFailure.codeOf(error) === "EEXIST"
        ? new CommandFailure(`There is a file ${file} already: ${todo}`)
        : FileFailure.of(error, file)
    const opened = yield* Effect.mapError(files.open(file, { flag: "wx", mode: 0o600 }), unwritable)
    const all = Stream.runForEach(bytes, (some) => Effect.mapError(opened.writeAll(some), unwritable))
    yield* Effect.onError(Effect.andThen(all, Effect.mapError(opened.sync, unwritable)), () =>
      Effect.ignore(files.remove(file))
    )
  }).pipe(Effect.scoped)

/** Writes a report line by line. Only its owner can read it. It replaces a file but nothing else, and follows no link. */
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

/** Writes the text to a temporary file, which then replaces `file` and keeps its permissions. It follows no link. */
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
