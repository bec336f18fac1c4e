import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Guides from "./Guides.ts"

describe("docs/guides/first-start.md", () => {
  const folder = temporaryFolder()

  // On the disk, since `doctor` says when a server may lose what it acknowledged.
  it("leads from an empty PostgreSQL to a first order by commands alone", async () => {
    const server = await PostgresServer.start({ isDurable: true })
    try {
      const script = Guides.blocksOf("first-start")
        .join("\n")
        .replaceAll("8080", String(await Guides.freePort()))
      const { code, output } = await Guides.bash(script, folder, { DATABASE_URL: server.url })
      strictEqual(code, 0, output)
      const order = readFileSync(join(folder, "orders.jsonl"), "utf8").trim().split("\n")
      deepStrictEqual([order.length, output.match(/FAULT|Error:|\n\s+at .*/g)], [1, null])
      deepStrictEqual(JSON.parse(order[0] ?? "").marketplace, "night-market")
      deepStrictEqual(output.match(/^(on hand|reserved) +\d+/gm), ["on hand     25", "reserved    2"])
    } finally {
      await server.stop()
    }
  })
})
