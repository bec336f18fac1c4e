/** Writes the files of an example, which has tests, into blocks of its guide that begin with "ts" and a path. */
import { readFileSync } from "node:fs"

const written = (name) =>
  readFileSync(new URL(`../docs/guides/${name}.md`, import.meta.url), "utf8").replace(
    /^```ts ((?:src|test)\/\S+)\n[\s\S]*?^```$/gm,
    (_, path) =>
      `\`\`\`ts ${path}\n${readFileSync(new URL(`../examples/${name}/${path}`, import.meta.url), "utf8")}\`\`\``
  )

export const documents = Object.fromEntries(
  ["existing-backend", "rules-alone"].map((name) => [`docs/guides/${name}.md`, written(name)])
)
