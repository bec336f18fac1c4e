import { History } from "@crossdock/histories"
import { portLaws, Seed } from "@crossdock/storage-laws"
import type {} from "@crossdock/storage-laws/PostgresGlobalSetup"
import { Sqlite } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { storage } from "../src/Crossdock.ts"
import { open } from "../src/Shop.ts"

const database = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => open(":memory:")),
      ({ handle }) => Effect.sync(() => handle.close())
    ),
    ({ handle }) => Sqlite.fromDatabase(handle)
  )
)
const ports = Seed.layer.pipe(Layer.provideMerge(storage), Layer.provide(database))

portLaws("StockLevels", ports)
portLaws("PriceStore", ports)
portLaws("Listings", ports)
portLaws("SkuStock", ports)
portLaws("OrderStore", ports)

describe("A shop's own stock", () => {
  it.live("keeps the laws over a random history", () =>
    Effect.scoped(History.play(Layer.provide(storage, database), { seed: 5, steps: 150 }))
  )
})
