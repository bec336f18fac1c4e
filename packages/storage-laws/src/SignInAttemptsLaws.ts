/**
 * The laws of `SignInAttempts`.
 */
import { SignInAttempts } from "@crossdock/access"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import { type Laws, together } from "./Laws.ts"

const timesOf = (key: string, since: number) =>
  Effect.flatMap(SignInAttempts.SignInAttempts, (attempts) => attempts.failures([key], since)).pipe(
    Effect.map((found) => found.map((failure) => failure.at).sort((a, b) => a - b))
  )

export const signInAttemptsLaws = ({ concurrent, law }: Laws<SignInAttempts.SignInAttempts>): void => {
  law("a key without failures has none, and no keys have none", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    deepStrictEqual(yield* attempts.failures([yield* Fresh.text("key")], 0), [])
    deepStrictEqual(yield* attempts.failures([], 0), [])
  })

  law("a failure is added to each of the keys and to no other", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    const [user, peer, other] = [yield* Fresh.text("user"), yield* Fresh.text("peer"), yield* Fresh.text("user")]
    yield* attempts.add([user, peer], 1000, 0)
    yield* attempts.add([peer], 1001, 0)
    deepStrictEqual(yield* timesOf(user, 0), [1000])
    deepStrictEqual(yield* timesOf(peer, 0), [1000, 1001])
    deepStrictEqual(yield* timesOf(other, 0), [])
    const both = yield* attempts.failures([user, peer, other], 0)
    deepStrictEqual(both.map((failure) => `${failure.key} ${failure.at}`).sort(), [
      `${peer} 1000`,
      `${peer} 1001`,
      `${user} 1000`
    ])
  })

  law("failures of names of 2,000 characters are counted, apart where the names differ in the last", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    const [user, other] = yield* Fresh.longTexts
    yield* attempts.add([user], 1000, 0)
    yield* attempts.add([user, other], 1001, 0)
    deepStrictEqual(yield* timesOf(user, 0), [1000, 1001])
    deepStrictEqual(yield* timesOf(other, 0), [1001])
    strictEqual((yield* attempts.failures([user, other], 1000)).length, 2)
  })

  law("only times after the given one are found", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    const key = yield* Fresh.text("user")
    yield* Effect.forEach([1000, 2000, 3000], (at) => attempts.add([key], at, 0))
    deepStrictEqual(yield* timesOf(key, 2000), [3000])
    deepStrictEqual(yield* timesOf(key, 1999), [2000, 3000])
  })

  law("what is older than the given time is forgotten", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    const key = yield* Fresh.text("user")
    yield* Effect.forEach([1000, 2000], (at) => attempts.add([key], at, 0))
    yield* attempts.add([key], 3000, 2000)
    deepStrictEqual(yield* timesOf(key, 0), [2000, 3000])
  })

  law("what is older is forgotten of every key, also of those that never fail again", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    const [forgotten, late, key] = [yield* Fresh.text("user"), yield* Fresh.text("user"), yield* Fresh.text("user")]
    yield* attempts.add([forgotten], 1000, 0)
    yield* attempts.add([late], 2000, 0)
    yield* attempts.add([key], 3000, 1500)
    deepStrictEqual(yield* timesOf(forgotten, 0), [])
    deepStrictEqual(yield* timesOf(late, 0), [2000])
  })

  concurrent("failures at once all count, also those of the same moment", function* () {
    const attempts = yield* SignInAttempts.SignInAttempts
    const [user, peer] = [yield* Fresh.text("user"), yield* Fresh.text("peer")]
    yield* together(
      Array.from({ length: 20 }, (_, i) => attempts.add(i % 2 === 0 ? [user, peer] : [peer, user], 1000, 500))
    )
    const expected = Array.from({ length: 20 }, () => 1000)
    deepStrictEqual(yield* timesOf(user, 0), expected)
    deepStrictEqual(yield* timesOf(peer, 0), expected)
  })
}
