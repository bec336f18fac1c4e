/**
 * Adapter: failed sign-ins.
 */
import { SignInAttempts } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const times = Table.make<ReadonlyArray<number>>("signInFailures")

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return SignInAttempts.SignInAttempts.of({
    failures: (keys, since) =>
      database.read((tables) =>
        [...new Set(keys)].flatMap((key) =>
          (times.get(tables, Table.everybody, key) ?? []).filter((at) => at > since).map((at) => ({ key, at }))
        )
      ),
    add: (keys, at, forgetBefore) =>
      database.write((tables) =>
        keys.reduce((_, key) => {
          const kept = (times.get(_, Table.everybody, key) ?? []).filter((one) => one >= forgetBefore)
          return times.put(_, Table.everybody, [[key, [...kept, at]]])
        }, tables)
      )
  })
})

export const layer: Layer.Layer<SignInAttempts.SignInAttempts, never, MemoryDatabase> = Layer.effect(
  SignInAttempts.SignInAttempts,
  make
)
