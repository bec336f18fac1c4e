/** The last used number of a series, by a search. */
import { PaperNumbers } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"

describe("The last number of a series", () => {
  it.effect("is found with few look-ups, however many there are", () =>
    Effect.gen(function* () {
      for (const last of [0, 1, 2, 3, 63, 64, 65, 127, 128, 1_000, 70_001, 2 ** 20, 2 ** 20 + 1, 999_999_999]) {
        let lookUps = 0
        const used = (numbers: ReadonlyArray<string>) =>
          Effect.sync(() => {
            lookUps++
            return numbers.filter((one) => Number(one.slice(2)) <= last)
          })
        strictEqual(yield* PaperNumbers.lastOf("R-", used), last)
        assertTrue(lookUps <= 10, `${lookUps} for ${last}`)
      }
    })
  )

  it.effect("is a number in use before one that isn't, whatever gaps there are", () =>
    Effect.gen(function* () {
      const inUse = new Set([1, 2, 3, 5, 8, 200, 201].map((nth) => `R-${nth}`))
      const last = yield* PaperNumbers.lastOf("R-", (numbers) =>
        Effect.succeed(numbers.filter((one) => inUse.has(one)))
      )
      assertTrue(inUse.has(`R-${last}`) && !inUse.has(`R-${last + 1}`), String(last))
    })
  )
})
