/**
 * Ends the process on a Node that is too old, in one sentence. Entry points import it first: the SQLite driver ends an old
 * Node with a segmentation fault when it opens a database.
 */

const oldest = [22, 19] as const

/**
 * What is wrong with a version, such as "20.11.1".
 */
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
