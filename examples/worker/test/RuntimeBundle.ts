/** Programs for Bun and Deno, bundled from source. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { withoutVitest } from "./Assertions.ts"

const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url))

/** The program of each runtime, in node_modules of the root, and its arguments before a file. */
export const runtimes = {
  bun: { binary: join(modules, "@oven/bun-linux-x64/bin/bun"), args: [] },
  deno: { binary: join(modules, "@deno/linux-x64-glibc/deno"), args: ["run", "--allow-all", "--quiet"] }
} as const

export type RuntimeName = keyof typeof runtimes

/** Whether the runtime has a package for this machine. */
export const isInstalled = (name: RuntimeName): boolean => existsSync(runtimes[name].binary)

/** Bundles `entry` into `outfile`. */
export const make = async (entry: URL, outfile: string): Promise<string> => {
  await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    outfile,
    format: "esm",
    platform: "node",
    target: "es2024",
    conditions: ["@crossdock/source"],
    external: ["bun:*"],
    plugins: [withoutVitest],
    // When esbuild bundles CommonJS, the result needs a `require`.
    banner: { js: 'import { createRequire as r_ } from "node:module"; const require = r_(import.meta.url);' }
  })
  return outfile
}
