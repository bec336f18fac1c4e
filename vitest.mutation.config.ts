/**
 * The tests that `scripts/mutation.mjs` runs on mutants. Stryker mutates a copy of the repository whose `node_modules` is the
 * original's, and there `@crossdock/*` links to the original packages. So each of their entries resolves to the copy here.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type AliasOptions, defineConfig } from "vitest/config"

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string | { readonly "@crossdock/source"?: string }>>
}

const packages = fileURLToPath(new URL("packages", import.meta.url))

const alias: AliasOptions = readdirSync(packages).flatMap((folder) => {
  const { exports = {}, name }: Manifest = JSON.parse(readFileSync(`${packages}/${folder}/package.json`, "utf8"))
  return Object.entries(exports).flatMap(([entry, target]) => {
    const source = typeof target === "string" ? undefined : target["@crossdock/source"]
    if (source === undefined || source.includes("*")) return []
    return [{ find: new RegExp(`^${name}${entry.slice(1)}$`), replacement: `${packages}/${folder}/${source}` }]
  })
})

export default defineConfig({
  resolve: { alias },
  test: { include: (process.env.MUTATION_TESTS ?? "").split(" "), testTimeout: 60_000 }
})
