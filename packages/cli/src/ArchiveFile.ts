/** Files of JSON lines, compressed by gzip. The last line has the SHA-256 of all others, so that every change is detected. */
import { createHash } from "node:crypto"
import { createGunzip, createGzip } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, FileSystem, PlatformError, Schema, Stream } from "effect"
import type { CommandFailure } from "./CommandFailure.ts"
import * as FileFailure from "./FileFailure.ts"
import * as RecordFile from "./RecordFile.ts"

/** Writes a new file that only its owner can read. `last` is called after all other lines, and returns the last line. */
export const write = <E, R>(
  file: string,
  first: { readonly format: 1 },
  lines: Stream.Stream<string, E, R>,
  last: () => object
) => {
  const digest = createHash("sha256")
  const texts = Stream.succeed(JSON.stringify(first)).pipe(
    Stream.concat(lines),
    Stream.map((line) => {
      digest.update(`${line}\n`)
      return `${line}\n`
    }),
    Stream.concat(Stream.sync(() => `${JSON.stringify({ ...last(), sha256: digest.digest("hex") })}\n`))
  )
  return RecordFile.created(file, NodeStream.pipeThroughSimple(texts, createGzip))
}

const everyLine = (file: string) =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.stream(file))).pipe(
    NodeStream.pipeThroughSimple(createGunzip),
    Stream.decodeText,
    Stream.splitLines
  )

const failureOf = (file: string, damaged: CommandFailure) => (error: unknown) =>
  error instanceof PlatformError.PlatformError ? FileFailure.of(error, file) : damaged

/** The lines between the first and the last. Fails with `damaged` if they can't be read from the file. */
export const lines = (file: string, damaged: CommandFailure) =>
  everyLine(file).pipe(Stream.drop(1), Stream.dropRight(1), Stream.mapError(failureOf(file, damaged)))

const First = Schema.fromJsonString(Schema.Struct({ format: Schema.Literal(1) }))
const Last = Schema.fromJsonString(Schema.Struct({ sha256: Schema.String }))

/** The first and the last line. Fails with `damaged` if any line was changed or is missing. */
export const checked = Effect.fnUntraced(
  function* (file: string, damaged: CommandFailure) {
    const digest = createHash("sha256")
    let [first = "", last]: ReadonlyArray<string> = []
    yield* Stream.runForEach(everyLine(file), (line) =>
      Effect.sync(() => {
        if (last === undefined) first = line
        else digest.update(`${last}\n`)
        last = line
      })
    )
    yield* Schema.decodeUnknownEffect(First)(first)
    const { sha256 } = yield* Schema.decodeUnknownEffect(Last)(last)
    if (digest.digest("hex") !== sha256) return yield* damaged
    return { first: JSON.parse(first) as unknown, last: JSON.parse(last ?? "") as unknown }
  },
  (effect, file, damaged) => Effect.mapError(effect, failureOf(file, damaged))
)
