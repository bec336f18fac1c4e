import { createServer } from "node:http"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Guides from "./Guides.ts"

/** What docs/guides/first-start.md has set up, with a webhook. */
const firstStart = (webhook: string) => `
crossdock migrate
crossdock company add 1 --name "Acme Retail" --legal-name "Acme Retail Private Limited"
crossdock location add 1 BLR1 --name "Bengaluru 1" --currency INR
crossdock seller add 1 acme-oms --generate
crossdock marketplace add - <<EOF
{
  "slug": "night-market",
  "name": "Night Market",
  "currency": "INR",
  "password": "a long password",
  "locations": [{ "companyId": 1, "location": "BLR1", "code": "NM-1" }],
  "webhook": { "url": "${webhook}", "secret": "whsec_${Buffer.alloc(32, 7).toString("base64")}" }
}
EOF
`

describe("docs/guides/operate.md", () => {
  const folder = temporaryFolder()

  it("upgrades, rotates every secret, keeps less and restores, by its commands as they are written", async () => {
    const receiver = createServer((_, response) => response.writeHead(204).end())
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const address = receiver.address()
    const webhook = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/stock`
    const { code, output } = await Guides.bash(
      [firstStart(webhook), ...Guides.blocksOf("operate")].join("\n"),
      folder,
      {
        DATABASE_URL: `sqlite:${join(folder, "crossdock.db")}`,
        SANDBOX: "0",
        WEBHOOK_ALLOW_PRIVATE: "1"
      }
    )
    receiver.close()
    deepStrictEqual([code, output.match(/FAULT|Error:|\n\s+at .*/g)], [0, null], output)
    deepStrictEqual(
      output.match(/kept: .*/g)?.at(-1),
      "kept: catalog writes 90 days, dead letters 90 days, events 30 days, movements 400 days"
    )
  })
})
