/**
 * Writes the files of an example into the guide of the same name, where a block begins with "ts" and the file's path. The
 * tests of the example run them. With --check it exits 1 when a guide is stale.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

for (const name of ["existing-backend", "rules-alone"]) {
  const page = new URL(`../docs/guides/${name}.md`, import.meta.url)
  const example = new URL(`../examples/${name}/`, import.meta.url)

  const text = readFileSync(page, "utf8")
  const written = text.replace(
    /^```ts ((?:src|test)\/\S+)\n[\s\S]*?^```$/gm,
    (_, path) => `\`\`\`ts ${path}\n${readFileSync(new URL(path, example), "utf8")}\`\`\``
  )

  if (!process.argv.includes("--check")) writeFileSync(page, written)
  else if (written !== text) {
    console.error(`${fileURLToPath(page)} is stale: node scripts/guide-docs.mjs`)
    process.exitCode = 1
  }
}
