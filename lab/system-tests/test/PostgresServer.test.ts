import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { vi } from "vitest"

const isRunning = (process: number): boolean => {
  try {
    return globalThis.process.kill(process, 0)
  } catch {
    return false
  }
}

describe("A PostgreSQL for tests", () => {
  it("that is stopped while it starts again after a crash ends, with its files", async () => {
    const server = await PostgresServer.start()
    const main = () => Number(readFileSync(join(server.data, "postmaster.pid"), "utf8").split("\n")[0])
    const first = main()
    const crashed = server.crash()
    const second = await vi.waitFor(
      () => {
        const now = main()
        assertTrue(now > 0 && now !== first)
        return now
      },
      // It is ready some milliseconds later.
      { interval: 1, timeout: 60_000 }
    )
    await server.stop()
    await crashed
    deepStrictEqual([isRunning(first), isRunning(second), existsSync(server.data)], [false, false, false])
  })
})
