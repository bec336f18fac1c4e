import { readFileSync } from "node:fs"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

describe("The package of the command", () => {
  it("has every file of data that the sandbox reads", () => {
    const { files }: { readonly files: ReadonlyArray<string> } = JSON.parse(text("package.json"))
    const read = [...text("src/Sandbox.ts").matchAll(/\bdata(?:<[^(]+>)?\("([\w-]+)"\)/g)].map(([, name]) => name)
    assertTrue(read.length > 0)
    deepStrictEqual(
      read.filter((name) => !files.includes(`data/${name}.json`)),
      []
    )
  })
})
