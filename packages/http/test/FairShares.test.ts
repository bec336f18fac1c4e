import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Latch } from "effect"
import type * as Scheduler from "effect/Scheduler"
import * as FairShares from "../src/internal/FairShares.ts"
import { generousAllowances, makeAllowance, RequestFacts, turn } from "../src/RequestContext.ts"

/** Starts work of accounts that ends when `end` is called, and notes in which order it started. */
const accounts = (most: number) => {
  const { enter, size } = FairShares.make(most)
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
  const settled = Effect.callback<void>((resume) => {
    setTimeout(() => resume(Effect.void), 20)
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
        const share = FairShares.make(8, 1)
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
      const share = FairShares.make(1)
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
