import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"

const page = readFileSync(new URL("../../../docs/guides/receivers.md", import.meta.url), "utf8")
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

const programs = {
  js: { file: "receiver.mjs", command: () => [process.execPath, "receiver.mjs"] },
  py: { file: "receiver.py", command: () => ["python3", "receiver.py"] },
  php: { file: "receiver.php", command: (port: number) => ["php", "-S", `127.0.0.1:${port}`, "receiver.php"] }
} as const

const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const event = (sequence: number, quantity: number) => ({
  ...{ event_id: "0".repeat(32), type: "inventory.updated", sku: "TEE-M", location_id: "B-1" },
  ...{ quantity, sequence, occurred_at: "2026-01-31T00:00:00.000Z" }
})

describe("the receivers of docs/guides/receivers.md", () => {
  const folder = temporaryFolder()

  for (const [language, { command, file }] of Object.entries(programs)) {
    const [program = ""] = command(0)
    const isMissing = !isInstalled(program)
    if (isMissing) console.warn(`\n*** SKIPPED: ${program} isn't installed, so ${file} was not run. ***\n`)

    it.skipIf(isMissing)(`${file} takes signed events once, keeps the newest, and rejects all others`, async () => {
      const own = join(folder, language)
      mkdirSync(own)
      writeFileSync(
        join(own, file),
        new RegExp(`^\`\`\`${language} ${file}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? ""
      )
      const port = await freePort()
      const [path = "", ...args] = command(port)
      const child = spawn(path, args, {
        cwd: own,
        env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) },
        stdio: "ignore"
      })
      const send = async (body: string, { at = Date.now(), key = secret, signed = body } = {}) => {
        const timestamp = Math.floor(at / 1000)
        const answer = await fetch(`http://127.0.0.1:${port}/`, {
          method: "POST",
          headers: {
            "webhook-id": "msg_1",
            "webhook-timestamp": String(timestamp),
            // A replaced secret signs too.
            "webhook-signature": `v1,AAAA ${Signature.sign(key, "msg_1", timestamp, signed)}`
          },
          body
        })
        return answer.status
      }
      const stored = () => JSON.parse(readFileSync(join(own, "stock.json"), "utf8"))["TEE-M at B-1"]
      try {
        const first = JSON.stringify([event(5, 40)])
        let answer: number | undefined
        for (let nth = 0; nth < 300 && answer === undefined; nth++) {
          answer = await send(first).catch(() => sleep(100, undefined))
        }
        deepStrictEqual([answer, stored()], [204, { quantity: 40, sequence: 5 }])
        deepStrictEqual([await send(first), stored()], [204, { quantity: 40, sequence: 5 }])
        deepStrictEqual([await send(JSON.stringify([event(4, 50)])), stored()], [204, { quantity: 40, sequence: 5 }])
        deepStrictEqual(
          [await send(JSON.stringify([event(6, 30), event(7, 29)])), stored()],
          [204, { quantity: 29, sequence: 7 }]
        )
        const forged = JSON.stringify([event(9, 1)])
        deepStrictEqual(
          [
            await send(forged, { key: `whsec_${Buffer.alloc(32, 8).toString("base64")}` }),
            await send(forged, { signed: first }),
            await send(forged, { at: Date.now() - 360_000 }),
            await send(forged, { at: Date.now() + 360_000 }),
            stored()
          ],
          [401, 401, 401, 401, { quantity: 29, sequence: 7 }]
        )
      } finally {
        child.kill()
      }
    })
  }
})
