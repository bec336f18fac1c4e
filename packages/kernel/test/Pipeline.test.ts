import { Pipeline } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Effect, Exit, Fiber } from "effect"

/** Statements that are sent at once, each answered when the test says so. */
const server = () => {
  const sent: Array<string> = []
  const statement = (name: string, answer: Effect.Effect<string, string>) =>
    Effect.suspend(() => {
      sent.push(name)
      return answer
    })
  return { sent, statement }
}

const answered = Effect.yieldNow.pipe(Effect.andThen(Effect.yieldNow))

describe("A pipeline", () => {
  it.effect("sends statements in their order before the first is answered, and gives their answers", () =>
    Effect.gen(function* () {
      const { sent, statement } = server()
      const first = yield* Deferred.make<string, string>()
      const all = Pipeline.together(statement("a", Deferred.await(first)), statement("b", Effect.succeed("B")))
      const fiber = yield* Effect.forkChild(Pipeline.unit(all))
      yield* answered
      deepStrictEqual(sent, ["a", "b"])
      yield* Deferred.succeed(first, "A")
      deepStrictEqual(yield* Fiber.join(fiber), ["A", "B"])
    })
  )

  it.effect("sends one after the other where the storage takes no more", () =>
    Effect.gen(function* () {
      const { sent, statement } = server()
      const all = Pipeline.together(statement("a", Effect.fail("no")), statement("b", Effect.succeed("B")))
      deepStrictEqual(yield* Effect.exit(all), Exit.fail("no"))
      deepStrictEqual(sent, ["a"])
    })
  )

  it.effect("fails as the first statement did, for which the others failed too", () =>
    Effect.gen(function* () {
      const { statement } = server()
      const all = Pipeline.together(
        statement("a", Effect.andThen(answered, Effect.fail("the reason"))),
        statement("b", Effect.fail("the transaction has failed"))
      )
      deepStrictEqual(yield* Effect.exit(Pipeline.unit(all)), Exit.fail("the reason"))
    })
  )

  it.effect("does not wait for a write before it sends the next one, and for all of them at the end", () =>
    Effect.gen(function* () {
      const { sent, statement } = server()
      const first = yield* Deferred.make<string, string>()
      const write = (name: string, answer: Effect.Effect<string, string>) =>
        Pipeline.write(Effect.asVoid(statement(name, answer)))
      const saved = Pipeline.writes(
        Effect.as(Effect.andThen(write("a", Deferred.await(first)), write("b", Effect.succeed("B"))), "saved")
      )
      const fiber = yield* Effect.forkChild(Pipeline.unit(saved))
      yield* answered
      deepStrictEqual([sent, fiber.pollUnsafe()], [["a", "b"], undefined])
      yield* Deferred.succeed(first, "A")
      strictEqual(yield* Fiber.join(fiber), "saved")
    })
  )

  it.effect("fails as the first of its writes did, also when it failed itself in the meantime", () =>
    Effect.gen(function* () {
      const failed = Pipeline.writes(
        Effect.andThen(Pipeline.write(Effect.andThen(answered, Effect.fail("stale"))), Effect.fail("later"))
      )
      deepStrictEqual(yield* Effect.exit(Pipeline.unit(failed)), Exit.fail("stale"))
    })
  )

  it.effect("waits for the writes of a unit inside of it before that unit ends", () =>
    Effect.gen(function* () {
      const inner = Effect.exit(Pipeline.unit(Pipeline.write(Effect.andThen(answered, Effect.fail("stale")))))
      deepStrictEqual(yield* Pipeline.unit(Pipeline.writes(inner)), Exit.fail("stale"))
    })
  )

  it.effect("that is interrupted has interrupted its writes before the unit is rolled back", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const noted = (what: string) =>
        Effect.sync(() => {
          order.push(what)
        })
      const stuck = Effect.onInterrupt(Effect.never, () => noted("write interrupted"))
      const unit = Pipeline.unit(Pipeline.writes(Effect.andThen(Pipeline.write(stuck), Effect.never)))
      const fiber = yield* Effect.forkChild(Effect.onInterrupt(unit, () => noted("rolled back")))
      yield* answered
      yield* Fiber.interrupt(fiber)
      deepStrictEqual(order, ["write interrupted", "rolled back"])
    })
  )
})
