import { fileURLToPath } from "node:url"
import * as Bundle from "@crossdock/example-worker/Bundle"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll } from "vitest"
import { withoutVitest } from "./Assertions.ts"

const program = fileURLToPath(new URL("LawsWorker.ts", import.meta.url))

describe("Storage laws: SQLite of a Durable Object", () => {
  let workerd: Awaited<ReturnType<typeof Bundle.start>>
  const ask = async (path: string) => (await fetch(new URL(path, workerd.url))).text()
  beforeAll(async () => {
    const bundle = await Bundle.make(program, { plugins: [withoutVitest], external: ["node:assert"] })
    // Only the assertions of the laws need this flag.
    workerd = await Bundle.start(bundle, {}, { compatibilityFlags: ["nodejs_compat"] })
  })
  afterAll(() => workerd.dispose())

  it("are the same inside of the object", async () => {
    deepStrictEqual(
      JSON.parse(await ask("/")),
      everyLaw.map(({ port, sentence }) => `${port}: ${sentence}`)
    )
  })

  for (const [nth, { port, sentence }] of everyLaw.entries()) {
    it(`${port}: ${sentence}`, async () => strictEqual(await ask(`/${nth}`), ""))
  }
})
