import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as fc from "fast-check"
import * as LogSample from "../src/internal/LogSample.ts"

describe("A sample of log lines", () => {
  it("has at most one line a second of each kind, and its lines count every one that was left out", () => {
    const events = fc.array(fc.record({ kind: fc.constantFrom("a", "b"), after: fc.integer({ min: 0, max: 700 }) }))
    fc.assert(
      fc.property(events, (drawn) => {
        const sample = LogSample.make()
        const all = [...drawn, { kind: "a", after: 5_000 }, { kind: "b", after: 5_000 }]
        const writtenAt = new Map<string, number>()
        let [now, lines, leftOut] = [0, 0, 0]
        for (const { after, kind } of all) {
          now += after
          const one = sample(kind, now)
          if (!one.isWritten) continue
          assertTrue(now - (writtenAt.get(kind) ?? Number.NEGATIVE_INFINITY) >= 1_000)
          writtenAt.set(kind, now)
          lines++
          leftOut += one.leftOut
        }
        strictEqual(lines + leftOut, all.length)
      })
    )
  })

  it("goes on after the clock was set back", () => {
    const sample = LogSample.make()
    sample("a", 1_000_000)
    deepStrictEqual(sample("a", 0), { isWritten: true, leftOut: 0 })
  })
})
