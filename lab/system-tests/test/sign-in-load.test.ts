import { performance } from "node:perf_hooks"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll } from "vitest"
import * as HostProcess from "../src/HostProcess.ts"
import { basicOf, send, tokenOf } from "./TestHost.ts"

describe("a host whose passwords are guessed", () => {
  let host: HostProcess.HostProcess
  let token = ""

  beforeAll(async () => {
    host = await HostProcess.start({ DATABASE_URL: "sqlite::memory:", SANDBOX: "1" })
    token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
  })

  afterAll(() => host.stop())

  const read = async (): Promise<number> => {
    const started = performance.now()
    const { status } = await send(host.url, "GET", "/ims/v3/listings?page_size=1", { "x-access-token": token })
    strictEqual(status, 200)
    return performance.now() - started
  }

  /** The median milliseconds of consecutive reads, while `goesOn`. */
  const median = async (goesOn: (count: number) => boolean): Promise<number> => {
    const took: Array<number> = []
    while (goesOn(took.length)) took.push(await read())
    return took.sort((a, b) => a - b)[Math.floor(took.length / 2)] ?? Number.POSITIVE_INFINITY
  }

  it("answers reads in time while forty passwords are tried, of which it verifies ten at most", async () => {
    const idle = await median((count) => count < 50)
    let isTrying = true
    const tries = Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        // An unknown name's hash is as slow as any account's outside the sandbox.
        send(host.url, "POST", "/aggregator/v1/token", { authorization: basicOf("unknown", `wrong-${nth}`) })
      )
    ).finally(() => {
      isTrying = false
    })
    const busy = await median((count) => isTrying || count < 10)
    const statuses = (await tries).map(({ status }) => status)
    const verified = statuses.filter((status) => status === 401).length
    // On a busy machine a password may take so long that queued ones aren't verified in time.
    assertTrue(verified > 0 && verified <= 10, `${verified} were verified`)
    strictEqual(statuses.filter((status) => status === 429).length, 40 - verified)
    assertTrue(busy < Math.max(100, 10 * idle), `${busy} ms, and ${idle} ms when idle`)
  })
})
