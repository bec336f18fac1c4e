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
      database.write((tables) => {
        const old = times.entries(tables, Table.everybody)
        const kept = new Map(old.map(([key, all]) => [key, all.filter((one) => one >= forgetBefore)]))
        for (const key of keys) kept.set(key, [...(kept.get(key) ?? []), at])
        const forgotten = old.flatMap(([key]) => (kept.get(key)?.length === 0 ? [key] : []))
        const rest = [...kept].filter(([, all]) => all.length > 0)
        return times.remove(times.put(tables, Table.everybody, rest), Table.everybody, forgotten)
      })
  })
})

export const layer: Layer.Layer<SignInAttempts.SignInAttempts, never, MemoryDatabase> = Layer.effect(
  SignInAttempts.SignInAttempts,
  make
)
