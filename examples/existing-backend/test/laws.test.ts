/** Tests the laws of the ports that the shop implements with its own tables. */
import { portLaws, Seed } from "@crossdock/storage-laws"
import { Sqlite } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"
import { storage } from "../src/Crossdock.ts"
import { open } from "../src/Shop.ts"

const database = Layer.unwrap(Effect.sync(() => Sqlite.fromDatabase(open(":memory:").handle)))
const everyPort = Seed.layer.pipe(Layer.provideMerge(storage), Layer.provide(database))

for (const port of ["StockLevels", "PriceStore", "Listings", "SkuStock", "OrderStore"] as const) {
  portLaws(port, everyPort)
}
