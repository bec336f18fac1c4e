import { fileURLToPath } from "node:url"
import * as Bundle from "@crossdock/example-worker/Bundle"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"

const program = fileURLToPath(new URL("FirstStartFails.ts", import.meta.url))

describe("A Durable Object that can't start", () => {
  it("starts again with the next request", async () => {
    const settings = { PUBLIC_URL: "https://shop.example", SETUP_KEY: "a setup key of thirty-two bytes or more" }
    const workerd = await Bundle.start(await Bundle.make(program), settings)
    try {
      const statuses = [1, 2, 3].map(() => async () => (await fetch(new URL("/health/live", workerd.url))).status)
      const seen: Array<number> = []
      for (const status of statuses) seen.push(await status())
      deepStrictEqual(seen, [500, 200, 200])
    } finally {
      await workerd.dispose()
    }
  })
})
