import { History } from "@crossdock/histories"
import { Sqlite } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { storage } from "../src/Crossdock.ts"
import { open } from "../src/Shop.ts"

const database = Layer.unwrap(Effect.sync(() => Sqlite.fromDatabase(open(":memory:").handle)))

describe("A shop's own stock", () => {
  it.live("keeps the laws over a random history", () =>
    Effect.scoped(History.play(Layer.provide(storage, database), { seed: 5, steps: 150 }))
  )
})
