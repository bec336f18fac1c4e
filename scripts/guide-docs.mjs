/**
 * Writes the files of examples/existing-backend into docs/guides/existing-backend.md, where a block begins with "ts" and the
 * file's path. The tests of the example run them. With --check it exits 1 when the page is stale.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const page = new URL("../docs/guides/existing-backend.md", import.meta.url)
const example = new URL("../examples/existing-backend/", import.meta.url)

const text = readFileSync(page, "utf8")
const written = text.replace(
  /^```ts (src\/\S+)\n[\s\S]*?^```$/gm,
  (_, path) => `\`\`\`ts ${path}\n${readFileSync(new URL(path, example), "utf8")}\`\`\``
)

if (process.argv.includes("--check")) {
  if (written !== text) {
    console.error(`${fileURLToPath(page)} is stale: node scripts/guide-docs.mjs`)
    process.exit(1)
  }
} else writeFileSync(page, written)
