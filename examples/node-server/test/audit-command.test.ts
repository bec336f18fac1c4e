import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as Api from "../src/Api.ts"
import * as TestCommand from "./TestCommand.ts"
import { settings, startHost } from "./TestHost.ts"

const audit = (...args: ReadonlyArray<string>) => TestCommand.run("audit", args, { AUDIT_KEY: "a key of checkpoints" })

const logs = "/service/platform/audit-trail/v1.0/company/1/logs"

const log = (id: string, email: string) => ({
  log_meta: {
    entity: { type: "settings", id, action: "update" },
    modifier: { user_id: `user-of-${id}`, as_administrator: true, user_details: { email } }
  },
  log_payload: { request: { id } }
})

describe("The audit command", () => {
  const folder = temporaryFolder()

  it("erases a person's data from the trail while a host runs, and the chain stays valid", async () => {
    const databaseUrl = `sqlite:${join(folder, "erase.db")}`
    const host = await startHost(settings({ databaseUrl }))
    const ops = await Api.platform(host.url)
    for (const [id, email] of [
      ["one", "asha@example.com"],
      ["two", "ravi@example.com"]
    ] as const) {
      strictEqual((await ops.call("POST", logs, log(id, email))).status, 200)
    }
    const found = async (words: string): Promise<number> => {
      const { body } = await ops.call<{ readonly docs: ReadonlyArray<unknown> }>("GET", `${logs}?qs=${words}`)
      return body.docs.length
    }
    strictEqual(await found("asha@example.com"), 1)
    const before = await audit("verify", databaseUrl, "1")
    deepStrictEqual([before.code, before.stderr], [0, ""])

    const none = await audit("erase", databaseUrl, "1", "nobody@example.com")
    deepStrictEqual([none.code, none.stdout], [0, "records from which the person was erased: 0\n"])
    const erased = await audit("erase", databaseUrl, "1", "Asha@example.com")
    deepStrictEqual(
      [erased.code, erased.stdout, erased.stderr],
      [0, "records from which the person was erased: 1\n", ""]
    )

    deepStrictEqual([await found("asha@example.com"), await found("ravi@example.com")], [0, 1])
    const exported = (await audit("export", databaseUrl, "1")).stdout
    deepStrictEqual([exported.includes("asha@"), exported.includes("ravi@")], [false, true])
    const after = await audit("verify", databaseUrl, "1")
    strictEqual(after.code, 0)
    // One more record: that of the erasure.
    strictEqual(Number.parseInt(after.stdout, 10), Number.parseInt(before.stdout, 10) + 1)
    ops.close()
    await host.stop()
  })

  it("prints its usage for an unknown command", async () => {
    const databaseUrl = `sqlite:${join(folder, "unasked.db")}`
    for (const args of [
      [],
      ["destroy", databaseUrl, "1"],
      ["erase", databaseUrl, "1"],
      ["erase", "trail.jsonl", "1", "a"]
    ]) {
      const { code, stderr, stdout } = await audit(...args)
      deepStrictEqual([code, stdout], [2, ""], args.join(" "))
      assertTrue(stderr.includes("erase DATABASE_URL COMPANY PERSON"))
    }
  })
})
