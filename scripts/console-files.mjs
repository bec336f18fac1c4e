/** Bundles the console's page into one module of texts, so that a host can serve it without a file system. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const folder = fileURLToPath(new URL("../packages/console/app/", import.meta.url))

const { outputFiles } = await build({
  entryPoints: { app: `${folder}main.ts`, style: `${folder}app.css` },
  outdir: "out",
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  target: "es2023",
  conditions: ["@crossdock/source"],
  legalComments: "none",
  logLevel: "error"
})

const textOf = (name) => outputFiles.find(({ path }) => path.endsWith(name))?.text

const files = { page: readFileSync(`${folder}page.html`, "utf8"), script: textOf("app.js"), style: textOf("style.css") }

export const documents = { "packages/console/src/files.json": `${JSON.stringify(files)}\n` }
