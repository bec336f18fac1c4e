/** Errors of the system about files, each as one sentence. */
import { Effect, PlatformError } from "effect"
import { CommandFailure } from "./CommandFailure.ts"

const sentences: Readonly<Record<string, string>> = {
  ENOENT: "doesn't exist, or its folder doesn't",
  ENOTDIR: "is inside something that is not a folder",
  EISDIR: "is a folder",
  EEXIST: "exists already: another command may be writing it. Choose another name",
  EACCES: "can't be used: this user has no permission",
  EPERM: "can't be used: it is protected, or this user has no permission",
  ENOSPC: "can't be written: the disk is full",
  SQLITE_FULL: "can't be written: the disk is full",
  EDQUOT: "can't be written: the disk is full for this user",
  EFBIG: "can't be written: it would be longer than this user's limit",
  EROFS: "can't be written: its disk is read-only",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "has a name that is too long"
}

const ofNode = (error: unknown): unknown =>
  error instanceof PlatformError.PlatformError ? (error.reason.cause ?? error) : error

export const codeOf = (error: unknown): string => {
  const said = ofNode(error)
  return said instanceof Error && "code" in said && typeof said.code === "string" ? said.code : ""
}

/** The error as a sentence about the file `path`, since the error itself may name a temporary file or a descriptor. */
export const sentenceOf = (error: unknown, path: string): string => {
  const said = ofNode(error)
  const sentence = sentences[codeOf(error)] ?? `can't be used (${said instanceof Error ? said.message : String(said)})`
  return `${JSON.stringify(path)} ${sentence}`
}

export const of = (error: unknown, path: string): CommandFailure => new CommandFailure(sentenceOf(error, path))

/** Replaces an error of the file system by a failure about the file `path`, which the caller named. */
export const named =
  (path: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandFailure, R> =>
    Effect.mapError(work, (error) => (error instanceof PlatformError.PlatformError ? of(error, path) : error))

/** The error as a sentence about the file that the error itself names. */
export const ownSentenceOf = (error: PlatformError.PlatformError): string =>
  error.reason._tag === "BadArgument" || typeof error.reason.pathOrDescriptor !== "string"
    ? error.message
    : sentenceOf(error, error.reason.pathOrDescriptor)
