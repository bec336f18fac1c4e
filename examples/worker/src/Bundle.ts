/** Bundles a Worker, and starts it in workerd on this machine. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import { Miniflare, type MiniflareOptions } from "miniflare"

const { resolve } = createRequire(import.meta.url)

/** Keeps fonts as separate files. The runtime passes them to the Worker as bytes. */
const fontFiles = (found: Map<string, string>): Plugin => ({
  name: "fonts",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ttf$/ }, ({ path }) => {
      found.set(basename(path), resolve(path))
      return { path: `./${basename(path)}`, external: true }
    })
})

/** Leaves out the page of the interfaces. It would be half of the bundle. */
const withoutPages: Plugin = {
  name: "without-pages",
  setup: ({ onLoad }) => onLoad({ filter: /httpApiScalar\.js$/ }, () => ({ contents: 'export const javascript = ""' }))
}

/** A Worker as its modules. */
export interface Bundle {
  readonly code: string
  readonly fonts: ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array }>
}

/** Bundles the program. The bundle contains no modules of Node. The runtime must have the modules that `external` names. */
export const make = async (
  program: string,
  more: { readonly plugins?: ReadonlyArray<Plugin>; readonly external?: ReadonlyArray<string> } = {}
): Promise<Bundle> => {
  const files = new Map<string, string>()
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    // The bundle is made from source, so it is never an earlier build.
    conditions: ["@crossdock/source", "workerd", "worker", "browser"],
    external: [...(more.external ?? [])],
    plugins: [fontFiles(files), withoutPages, ...(more.plugins ?? [])]
  })
  const fonts = [...files].map(async ([name, path]) => ({ name, bytes: new Uint8Array(await readFile(path)) }))
  return { code: outputFiles[0]?.text ?? "", fonts: await Promise.all(fonts) }
}

/** The Worker of this example. */
export const worker = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "Worker.ts" : "Worker.js", import.meta.url)
)

/** Starts workerd with the bundle. `bindings` are the Worker's settings. */
export const start = async (
  { code, fonts }: Bundle,
  bindings: Readonly<Record<string, string>>,
  more: {
    readonly port?: number
    readonly compatibilityFlags?: Array<string>
    readonly durableObjectsPersist?: string
  } = {}
) => {
  const options: MiniflareOptions = {
    ...more,
    modules: [
      { type: "ESModule", path: "worker.js", contents: code },
      ...fonts.map(({ bytes, name }) => ({ type: "Data" as const, path: name, contents: bytes }))
    ],
    bindings: { ...bindings },
    compatibilityDate: "2026-06-01",
    durableObjects: { SHOP: { className: "Shop", useSQLite: true } }
  }
  const miniflare = new Miniflare(options)
  return { url: await miniflare.ready, dispose: () => miniflare.dispose() }
}
