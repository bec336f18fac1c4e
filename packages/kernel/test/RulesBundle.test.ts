import { gzipSync } from "node:zlib"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { build } from "esbuild"
import { it } from "vitest"

/** Minified code of what a caller gets who imports these rules, and the files that it comes from. */
const bundle = async (imports: string, external: Array<string>) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: imports, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    conditions: ["@crossdock/source"],
    external,
    metafile: true,
    write: false
  })
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return { gzipped: gzipSync(outputFiles[0]?.contents ?? "").length, files: files.map(([file]) => file) }
}

const rules = {
  "the moves of a shipment": 'export { Lifecycle } from "@crossdock/shipments"',
  "the stock rules": 'export { Level, StockUpdate } from "@crossdock/inventory"',
  "the billing rules": 'export { Agreement, BillingCycle } from "@crossdock/billing"',
  "the product rules": 'export { ProductChanges, ProductRules, ReferenceIndex } from "@crossdock/catalog"'
}

for (const [name, imports] of Object.entries(rules)) {
  it(`${name} are bundled without Effect's Schema and runtime`, async () => {
    const { files } = await bundle(imports, [])
    deepStrictEqual(
      files.filter((file) => /effect\/dist\/(Schema|Effect|internal\/effect)/.test(file)),
      []
    )
  })

  it(`${name} add less than 10 KB of our own code to a bundle`, async () => {
    const { gzipped } = await bundle(imports, ["effect", "effect/*"])
    assertTrue(gzipped < 10 * 1024, `${gzipped} bytes`)
  })
}
