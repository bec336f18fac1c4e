import { describe, it } from "@effect/vitest"
import { deepStrictEqual, fail, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Latch } from "effect"
import type * as Scheduler from "effect/Scheduler"
import * as fc from "fast-check"
import { Limits } from "../src/Limits.ts"
import { generousAllowances, makeAllowance, makeShares } from "../src/RateLimits.ts"
import { RequestFacts, turn } from "../src/RequestContext.ts"

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

/** Starts work of accounts that ends when `end` is called, and notes in which order it started. */
const accounts = (most: number) => {
  const { enter, size } = makeShares(most)
  const started: Array<string> = []
  const begin = (account: string) =>
    Effect.gen(function* () {
      const end = yield* Latch.make()
      const leave: Array<() => void> = []
      const fiber = yield* Effect.forkChild(
        Effect.gen(function* () {
          yield* enter(account, leave, false)
          started.push(account)
          yield* end.await
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              for (const one of leave) one()
            })
          )
        ),
        { startImmediately: true }
      )
      return { end: end.open, fiber }
    })
  // Turns of the event loop, in which all that can go on does: on a busy machine a time passes without one.
  const settled = Effect.promise(async () => {
    for (let nth = 0; nth < 20; nth++) await new Promise((resolve) => setTimeout(resolve, 1))
  })
  return { begin, settled, size, started }
}

describe("Fair shares", () => {
  it.live("work on some requests of an account at once, and on others only when one of these ends", () =>
    Effect.gen(function* () {
      const { begin, settled, size, started } = accounts(3)
      const works = yield* Effect.forEach(Array.from({ length: 10 }), () => begin("a"))
      yield* settled
      strictEqual(started.length, 3)
      for (const [n, { end }] of works.entries()) {
        yield* end
        yield* settled
        strictEqual(started.length, Math.min(10, n + 4))
      }
      strictEqual(size(), 0)
    })
  )

  it.live("let an account begin at once, however many requests of another are waiting", () =>
    Effect.gen(function* () {
      const { begin, settled, started } = accounts(3)
      yield* Effect.forEach(Array.from({ length: 500 }), () => begin("a"))
      yield* settled
      yield* begin("b")
      yield* settled
      deepStrictEqual(started, ["a", "a", "a", "b"])
    })
  )

  it.live("rotate among the accounts that wait", () =>
    Effect.gen(function* () {
      const { begin, settled, started } = accounts(1)
      const works = yield* Effect.forEach(["a", "a", "a", "b", "b", "c"], begin)
      yield* settled
      for (const { end } of works) yield* end
      yield* settled
      deepStrictEqual(started.slice(0, 3).toSorted(), ["a", "b", "c"])
      strictEqual(started.length, 6)
    })
  )

  it.live("forget a request whose caller goes away while it waits", () =>
    Effect.gen(function* () {
      const { begin, settled, size, started } = accounts(1)
      const [first, second, third] = [yield* begin("a"), yield* begin("a"), yield* begin("a")]
      yield* Fiber.interrupt(second.fiber)
      yield* first.end
      yield* third.end
      yield* settled
      deepStrictEqual([started, size()], [["a", "a"], 0])
    })
  )

  it.live(
    "work on few writes of a company at once, whichever of its accounts sent them, and on its reads beside them",
    () =>
      Effect.gen(function* () {
        const share = makeShares(8, 1)
        const any = makeAllowance(generousAllowances.account)
        const allowances = { account: any, address: any, share }
        const started: Array<string> = []
        const begin = (caller: string, own: Partial<RequestFacts>) =>
          turn.pipe(
            Effect.andThen(Effect.sync(() => started.push(caller))),
            Effect.provideService(RequestFacts, {
              requestId: caller,
              network: "127.0.0.1",
              docsUrl: "",
              caller,
              bytes: 0,
              allowances,
              leave: [],
              ...own
            }),
            Effect.forkChild({ startImmediately: true })
          )
        yield* begin("first", { companyId: 1, isWrite: true })
        yield* begin("second", { companyId: 1, isWrite: true })
        yield* begin("first's read", { companyId: 1 })
        yield* begin("another company", { companyId: 2, isWrite: true })
        for (let n = 0; n < 3; n++) yield* begin("marketplace", { isWrite: true })
        yield* Effect.sleep(30)
        const expected = ["first", "first's read", "another company", "marketplace", "marketplace", "marketplace"]
        deepStrictEqual(started, expected)
      })
  )

  it("lose no place to a request whose caller goes away, at whatever step", () => {
    /** Goes away before this step of the request; false when it has fewer. */
    const goesAwayBefore = (step: number): boolean => {
      let steps = 0
      const tasks: Array<() => void> = []
      const scheduler: Scheduler.Scheduler = {
        executionMode: "async",
        shouldYield: () => steps++ === step,
        makeDispatcher: () => ({ scheduleTask: (task) => tasks.push(task), flush: () => {} })
      }
      const share = makeShares(1)
      const any = makeAllowance(generousAllowances.account)
      const facts: RequestFacts = {
        requestId: "1",
        network: "192.0.2.1",
        docsUrl: "",
        caller: "a",
        bytes: 0,
        allowances: { account: any, address: any, share },
        leave: []
      }
      const fiber = Effect.runFork(Effect.provideService(turn, RequestFacts, facts), { scheduler })
      const isUnfinished = fiber.pollUnsafe() === undefined
      fiber.interruptUnsafe()
      for (const task of tasks) task()
      for (const leave of facts.leave) leave()
      strictEqual(share.size(), 0, `before step ${step}`)
      return isUnfinished
    }
    let step = 0
    while (goesAwayBefore(step)) step++
    strictEqual(step > 5, true, `${step} steps`)
  })
})
