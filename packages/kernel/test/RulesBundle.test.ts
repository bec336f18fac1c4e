import { deepStrictEqual } from "@effect/vitest/utils"
import { build } from "esbuild"
import { it } from "vitest"

/** The files that these imports bundle. scripts/bundles.mjs bounds their size. */
const bundled = async (imports: string) => {
  const { metafile } = await build({
    stdin: { contents: imports, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    conditions: ["@crossdock/source"],
    metafile: true,
    write: false
  })
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return files.map(([file]) => file)
}

const rules = {
  "the moves of a shipment": 'export { Lifecycle } from "@crossdock/shipments"',
  "the stock rules": 'export { Level, StockUpdate } from "@crossdock/inventory"',
  "the billing rules": 'export { Agreement, BillingCycle } from "@crossdock/billing"',
  "the product rules": 'export { ProductChanges, ProductShapeCheck, ReferenceIndex } from "@crossdock/catalog"'
}

for (const [name, imports] of Object.entries(rules)) {
  it(`${name} are bundled without Effect's Schema and runtime`, async () => {
    const files = await bundled(imports)
    deepStrictEqual(
      files.filter((file) => /effect\/dist\/(Schema|Effect|internal\/effect)/.test(file)),
      []
    )
  })
}
