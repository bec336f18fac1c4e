/**
 * What the system says about a file that can't be used, as one sentence.
 */
import type { PlatformError } from "effect"

/** By the code of Node. */
const sentences: Readonly<Record<string, string>> = {
  ENOENT: "doesn't exist, or its folder doesn't",
  ENOTDIR: "is in what is not a folder",
  EISDIR: "is a folder",
  EEXIST: "exists already: another command may be writing it. Choose another name",
  EACCES: "may not be used by this user",
  EPERM: "may not be used by this user",
  ENOSPC: "can't be written: the disk is full",
  EDQUOT: "can't be written: the disk is full for this user",
  EROFS: "can't be written: its disk is read-only",
  ENAMETOOLONG: "has a name that is too long"
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

export const sentenceOf = ({ message, reason }: PlatformError.PlatformError): string => {
  const sentence = sentences[codeOf(reason.cause)]
  return reason._tag === "BadArgument" || reason.pathOrDescriptor === undefined || sentence === undefined
    ? message
    : `${JSON.stringify(reason.pathOrDescriptor)} ${sentence}`
}
