import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { build } from "esbuild"

describe("the package in a worker", () => {
  it("imports nothing of Node", async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL("../src/pdf/index.ts", import.meta.url))],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["@crossdock/source", "import", "workerd"],
      external: ["node:*"]
    })
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external))
    deepStrictEqual(
      outside.map(({ path }) => path),
      []
    )
    assertTrue(Object.keys(metafile.inputs).some((path) => path.endsWith("LabelLayout.ts")))
  })

  it("draws in a context that has no global of Node's", async () => {
    const source = fileURLToPath(new URL("../src/", import.meta.url))
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { DocumentRenderer } from "./index.ts"
          import { Effect } from "effect"
          import { DocumentRendererPdf } from "./pdf/index.ts"
          import regular from "../fonts/NotoSans-Regular.ttf"
          import devanagari from "../fonts/NotoSansDevanagari-Regular.ttf"
          import { label } from "../test/Samples.ts"
          const fonts = [regular, devanagari].map((bytes) => ({ bytes, bold: false }))
          globalThis.drawn = Effect.runPromise(
            Effect.flatMap(DocumentRenderer, (renderer) =>
              renderer.labels([label({ courier: "क्षत्रिय" })], "a6")
            ).pipe(Effect.provide(DocumentRendererPdf.layer(fonts)))
          )
        `,
        resolveDir: source,
        loader: "ts"
      },
      bundle: true,
      write: false,
      format: "iife",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["@crossdock/source", "import", "workerd"],
      target: "es2022",
      loader: { ".ttf": "binary" }
    })
    const { createContext, Script } = await import("node:vm")
    const web = {
      TextEncoder,
      TextDecoder,
      URL,
      setTimeout,
      clearTimeout,
      queueMicrotask,
      performance,
      atob,
      console,
      AbortController,
      Uint8Array,
      ArrayBuffer,
      drawn: undefined as Promise<Uint8Array> | undefined
    }
    const context = createContext(web)
    new Script(outputFiles[0]?.text ?? "").runInContext(context)
    const bytes = await web.drawn
    assertTrue(bytes !== undefined && new TextDecoder().decode(bytes.slice(0, 5)) === "%PDF-")
    const { codes } = await import("./PdfReading.ts")
    deepStrictEqual(await codes(Uint8Array.from(bytes)), ["Code128 AWB1234567890"])
  })
})
