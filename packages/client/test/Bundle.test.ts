import { gzipSync } from "node:zlib"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { build } from "esbuild"
import { describe, it } from "vitest"

const bundle = async (entry: string) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export * from "${entry}"`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    conditions: ["@crossdock/source"],
    external: ["effect", "effect/*"],
    metafile: true,
    write: false
  })
  return { gzipped: gzipSync(outputFiles[0]?.contents ?? "").length, files: Object.keys(metafile.inputs) }
}

for (const entry of ["@crossdock/client", "@crossdock/client/promise"]) {
  describe(entry, () => {
    it("is less than 8 KB of our own code", async () => {
      const { gzipped } = await bundle(entry)
      assertTrue(gzipped < 8 * 1024, `${gzipped} bytes`)
    })

    it("has no code of another package", async () => {
      const { files } = await bundle(entry)
      deepStrictEqual(
        files.filter((file) => !/packages\/client\/src\/|<stdin>/.test(file)),
        []
      )
    })
  })
}
