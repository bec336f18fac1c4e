import { describe, it } from "@effect/vitest"
import { deepStrictEqual, fail, strictEqual } from "@effect/vitest/utils"
import * as fc from "fast-check"
import { Limits } from "../src/Limits.ts"
import { generousAllowances, makeAllowance, networkOf } from "../src/RequestContext.ts"

const none = Number.POSITIVE_INFINITY
const bounds = { perSecond: 10, burst: 5, concurrent: none, concurrentBytes: none }

describe("an allowance", () => {
  it("lets a burst in, then as many a second as it says, and says when to try again", () => {
    const { enter } = makeAllowance(bounds)
    deepStrictEqual(
      Array.from({ length: 6 }, () => enter("a", 0, 0)),
      [0, 0, 0, 0, 0, 1]
    )
    strictEqual(enter("a", 99, 0), 1)
    strictEqual(enter("a", 100, 0), 0)
    strictEqual(enter("a", 100, 0), 1)
    strictEqual(makeAllowance({ ...bounds, perSecond: 0.1, burst: 1 }).enter("a", 0, 0), 0)
    const slow = makeAllowance({ ...bounds, perSecond: 0.1, burst: 1 })
    slow.enter("a", 0, 0)
    strictEqual(slow.enter("a", 0, 0), 10)
    strictEqual(slow.enter("a", 5_000, 0), 5)
  })

  it("without a rate has its whole burst again in the next millisecond, and not earlier", () => {
    const { enter } = makeAllowance({ ...bounds, perSecond: none, burst: 1 })
    deepStrictEqual([enter("a", 0, 0), enter("a", 0, 0), enter("a", 1, 0), enter("a", 1, 0)], [0, 1, 0, 1])
  })

  it("counts requests at once, and their bytes, until they leave; one body alone is always let in", () => {
    const concurrent = makeAllowance({ ...bounds, burst: none, concurrent: 2 })
    deepStrictEqual([concurrent.enter("a", 0, 0), concurrent.enter("a", 0, 0), concurrent.enter("a", 0, 0)], [0, 0, 1])
    concurrent.leave("a", 0)
    strictEqual(concurrent.enter("a", 0, 0), 0)
    const bytes = makeAllowance({ ...bounds, burst: none, concurrentBytes: 100 })
    deepStrictEqual([bytes.enter("a", 0, 500), bytes.enter("a", 0, 1), bytes.enter("a", 0, 0)], [0, 1, 0])
    bytes.leave("a", 500)
    deepStrictEqual([bytes.enter("a", 0, 60), bytes.enter("a", 0, 40), bytes.enter("a", 0, 1)], [0, 0, 1])
  })

  it("that is the default lets an account send 25 catalog writes of the largest size at once, an address 51", () => {
    for (const [allowance, most] of [
      [generousAllowances.account, 25],
      [generousAllowances.address, 51]
    ] as const) {
      const { enter } = makeAllowance(allowance)
      const answers = Array.from({ length: most + 1 }, () => enter("a", 0, Limits.catalogBodyBytes))
      deepStrictEqual(answers, [...Array.from({ length: most }, () => 0), 1])
    }
  })

  it("ignores the end of a request that it did not let in", () => {
    const { enter, leave, size } = makeAllowance({ ...bounds, concurrent: 1 })
    leave("stranger", 0)
    deepStrictEqual([size(), enter("stranger", 0, 0), enter("stranger", 0, 0)], [0, 0, 1])
  })

  it("is each caller's own", () => {
    const { enter } = makeAllowance({ ...bounds, burst: 1 })
    deepStrictEqual([enter("a", 0, 0), enter("b", 0, 0), enter("a", 0, 0)], [0, 0, 1])
  })

  it("never lets more in than burst and rate allow, whatever the times; a clock that goes back gives nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -500, max: 2_000 }), { maxLength: 200 }), (steps) => {
        const { enter } = makeAllowance(bounds)
        let [now, forward, entered] = [0, 0, 0]
        for (const step of steps) {
          now += step
          forward += Math.max(0, step)
          if (enter("a", now, 0) === 0) entered++
        }
        return entered <= 5 + forward / 100
      })
    )
  })

  for (const [how, allowance] of Object.entries({
    "with every limit": bounds,
    "with a slow rate": { ...bounds, perSecond: 0.001 },
    "with no limit at all": { perSecond: none, burst: none, concurrent: none, concurrentBytes: none }
  })) {
    it(`forgets the caller that was quiet for longest, ${how}, so that a million addresses take no memory and no time`, () => {
      const { enter, leave, size } = makeAllowance(allowance)
      for (let n = 0; n < 1_000_000; n++) {
        strictEqual(enter(`${n}`, Math.floor(n / 1000), 0), 0)
        leave(`${n}`, 0)
        if (size() > 20_000) fail(`${size()} callers are remembered`)
      }
    })
  }

  it("remembers the last 10,000 callers at least", () => {
    const { enter, leave, size } = makeAllowance({ ...bounds, burst: 1 })
    for (let n = 0; n < 10_001; n++) {
      strictEqual(enter(`${n}`, 0, 0), 0)
      leave(`${n}`, 0)
    }
    strictEqual(size(), 10_001)
    for (let n = 1; n < 10_001; n++) strictEqual(enter(`${n}`, 0, 0), 1)
  })

  it("remembers callers whose requests are in flight, however many others come", () => {
    const { enter, leave, size } = makeAllowance({ ...bounds, concurrent: 1 })
    strictEqual(enter("busy", 0, 0), 0)
    for (let n = 0; n < 50_000; n++) {
      enter(`${n}`, 0, 0)
      leave(`${n}`, 0)
    }
    deepStrictEqual([enter("busy", 60_000, 0), size() <= 20_001], [1, true])
    leave("busy", 0)
    strictEqual(enter("busy", 60_000, 0), 0)
  })
})

describe("the network of a caller", () => {
  it("is an IPv4 address itself, also one that is written as IPv6", () => {
    deepStrictEqual(["192.0.2.7", "::ffff:192.0.2.7", "::FFFF:c000:207"].map(networkOf), Array(3).fill("192.0.2.7"))
  })

  it("is the first 64 bits of an IPv6 address, however it is written", () => {
    const one = networkOf("2001:db8:1:2::1")
    deepStrictEqual(
      ["2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:0db8:0001:0002::", "2001:db8:1:2::1%eth0"].map(networkOf),
      Array(3).fill(one)
    )
    strictEqual(networkOf("2001:db8:1:3::1") === one, false)
  })

  it("is anything else unchanged", () => {
    deepStrictEqual(["unknown", "", "_hidden", "1.2.3.4.5", "2001:db8::1::2"].map(networkOf), [
      "unknown",
      "",
      "_hidden",
      "1.2.3.4.5",
      "2001:db8::1::2"
    ])
  })
})
