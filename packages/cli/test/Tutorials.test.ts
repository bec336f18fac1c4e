import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Guides from "./Guides.ts"

/** Ids and times differ from run to run. */
const comparable = (text: string): string =>
  text
    .replaceAll(/\b\d{20}\b/g, "SHIPMENT")
    .replaceAll(/\b[0-9a-f]{24}\b/g, "ID")
    .replaceAll(/\b[0-9a-f]{16}-\d{13}\b/g, "TRACE")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")

/** The lines of the `text` blocks, which show the output of the block before them. */
const shownIn = (guide: string): ReadonlyArray<string> =>
  [
    ...readFileSync(fileURLToPath(new URL(`../../../docs/guides/${guide}.md`, import.meta.url)), "utf8").matchAll(
      /^```text\n([\s\S]*?)^```$/gm
    )
  ].flatMap(([, block = ""]) => comparable(block).trimEnd().split("\n"))

/** The lines that the output doesn't have, after those before them. */
const missing = (shown: ReadonlyArray<string>, output: string): ReadonlyArray<string> => {
  const lines = comparable(output).split("\n")
  let from = 0
  return shown.filter((line) => {
    const at = lines.indexOf(line, from)
    from = at === -1 ? from : at + 1
    return at === -1
  })
}

describe("the tutorials", () => {
  const folder = temporaryFolder()

  for (const guide of ["quickstart", "first-delivery", "plans"]) {
    it(`${guide} prints what its page shows, from an empty folder`, async () => {
      const [port, receiver] = [String(await Guides.freePort()), String(await Guides.freePort())]
      const script = Guides.blocksOf(guide)
        .join("\n")
        .replaceAll("8080", port)
        .replaceAll("4300", receiver)
        .replaceAll("crossdock listen", `crossdock listen --port ${receiver}`)
      const { code, output } = await Guides.bash(script, folder, { DATABASE_URL: `sqlite:${folder}/${guide}.db` })
      strictEqual(code, 0, output)
      deepStrictEqual(missing(shownIn(guide), output), [], output)
    })
  }
})
