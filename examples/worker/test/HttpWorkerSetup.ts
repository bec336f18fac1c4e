/** Starts the Worker for the tests of the HTTP interfaces, once for the whole run. */
import { fileURLToPath } from "node:url"
import type { Plugin } from "esbuild"
import type { TestProject } from "vitest/node"
import * as Bundle from "../src/Bundle.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the Worker. It is missing in projects whose hosts are in the process of the test. */
    readonly worker: string
  }
}

const program = fileURLToPath(new URL("HttpWorker.ts", import.meta.url))
const reference = fileURLToPath(new URL("../../../packages/cli/data/reference.json", import.meta.url))

/** Adds the file with the data of the tests to the bundle. */
const referenceData: Plugin = {
  name: "reference-data",
  setup: ({ initialOptions, onLoad, onResolve }) => {
    initialOptions.define = { "import.meta.url": '"file:///a/b/c/d/"' }
    onResolve({ filter: /^node:fs$/ }, ({ path }) => ({ path, namespace: "reference-data" }))
    onLoad({ filter: /./, namespace: "reference-data" }, () => ({
      contents: `import data from ${JSON.stringify(reference)}; export const readFileSync = () => JSON.stringify(data)`,
      resolveDir: "/"
    }))
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const bundle = await Bundle.make(program, { plugins: [referenceData] })
  const { dispose, url } = await Bundle.start(bundle, { PUBLIC_URL: "http://crossdock.test", SETUP_KEY: "" })
  provide("worker", url.href)
  return dispose
}
