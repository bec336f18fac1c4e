import { readFileSync } from "node:fs"
import { join } from "node:path"
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

/** Printed between the outputs of two blocks. */
const separator = "\u001e"

/** The `sh` blocks of a guide, each with the `text` block that shows its output. */
const stepsOf = (guide: string) => {
  const page = readFileSync(fileURLToPath(new URL(`../../../docs/guides/${guide}.md`, import.meta.url)), "utf8")
  const blocks = [...page.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, kind, script = ""], at) => {
    const next = blocks[at + 1]
    return kind === "sh" ? [{ script, shown: next?.[1] === "text" ? next[2] : undefined }] : []
  })
}

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

/** The commands of the README's consoles, with the host and the receiver that its text starts, and what they print. */
const readme = () => {
  const page = readFileSync(fileURLToPath(new URL("../../../README.md", import.meta.url)), "utf8")
  const lines = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.trimEnd().split("\n")
  )
  const commands = lines.flatMap((line) => /^\$ npx (.*)$/.exec(line)?.[1] ?? [])
  // Two changes that follow each other within a moment are one notification.
  const received = lines.filter((line) => line.startsWith("  "))
  const waitFor = (line = "") => `timeout 30 sh -c 'until grep -q "${line}" received.txt; do sleep 0.2; done'`
  return {
    shown: lines.filter((line) => !line.startsWith("$ ")).map(comparable),
    script: [
      "export CROSSDOCK_URL=http://127.0.0.1:8080 SANDBOX_WEBHOOK_URL=http://127.0.0.1:4300 PORT=8080",
      "crossdock listen > received.txt &",
      "crossdock start > host.out 2> host.log &",
      "timeout 60 sh -c 'until grep -q listening host.out; do sleep 0.2; done'",
      ...commands.flatMap((command, nth) => [command, waitFor(received[nth])]),
      "cat received.txt; kill %2 %1"
    ].join("\n")
  }
}

describe("the tutorials", () => {
  const folder = temporaryFolder()

  const run = async (script: string, name: string) => {
    const [port, receiver] = [String(await Guides.freePort()), String(await Guides.freePort())]
    const own = script
      .replaceAll("8080", port)
      .replaceAll("4300", receiver)
      .replaceAll("crossdock listen", `crossdock listen --port ${receiver}`)
    // A folder of its own: in a shared one, a script could read the earlier host's "listening" in host.out.
    const { code, output } = await Guides.bash(own, join(folder, name), { DATABASE_URL: "sqlite:crossdock.db" })
    strictEqual(code, 0, output)
    return output
  }

  for (const guide of ["quickstart", "first-delivery", "plans", "mend-a-product"]) {
    it(`${guide} prints what its page shows and nothing else, from an empty folder`, async () => {
      const steps = stepsOf(guide)
      const output = await run(steps.map(({ script }) => `${script}printf '${separator}'`).join("\n"), guide)
      const outputs = output.split(separator)
      for (const [at, { script, shown }] of steps.entries())
        if (shown !== undefined) strictEqual(comparable(outputs[at] ?? ""), comparable(shown), script)
    })
  }

  it("the README's consoles print what they show", async () => {
    const { script, shown } = readme()
    const output = await run(script, "readme")
    deepStrictEqual(missing(shown, output), [], output)
  })
})
