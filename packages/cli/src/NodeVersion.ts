/** Ends the process if Node is too old. It is imported before all else, because the SQLite driver crashes on an old Node. */

const oldest = [22, 19] as const

/** The sentence that a version such as "20.11.1" is too old; undefined if it is new enough. */
export const fault = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return (major - oldest[0] || minor - oldest[1]) >= 0
    ? undefined
    : `Node ${version} is too old: use ${oldest.join(".")} or later, such as the repository's own in node_modules/.bin`
}

const found = fault(process.versions.node)
if (found !== undefined) {
  process.stderr.write(`${found}\n`)
  process.exit(1)
}
