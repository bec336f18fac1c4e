/** Checks the final stock in the database. */
import { CompanyWrite } from "@crossdock/audit"
import { acme } from "@crossdock/cli/Sandbox"
import * as Storage from "@crossdock/cli/Storage"
import { DigestNode } from "@crossdock/crypto"
import { Inventory, Listings } from "@crossdock/inventory"
import { Ids } from "@crossdock/kernel"
import { Effect, Layer } from "effect"

const services = (url: string) =>
  Inventory.layer.pipe(
    Layer.provide(CompanyWrite.layer),
    Layer.provideMerge(Storage.layer(url)),
    Layer.provide([DigestNode.layer, Ids.layer])
  )

/** All differences, as sentences. `expected` is the stock on hand by `sku location`. Nothing may be reserved. */
export const faults = (url: string, expected: ReadonlyMap<string, number>): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.Inventory
    const listings = yield* Listings
    const discrepancies = yield* inventory.verify(acme)
    const rows = yield* listings.page(acme, { locations: null, skus: [] }, { number: 1, size: 1_000_000 })
    const found = new Map(rows.map((row) => [`${row.sku} ${row.location}`, row]))
    return [
      ...discrepancies.map(({ location, sku }) => `${sku} at ${location}: stock is not the sum of its movements`),
      ...rows
        .filter(({ reserved }) => reserved !== 0)
        .map(({ location, sku }) => `${sku} at ${location}: still reserved`),
      ...[...expected].flatMap(([key, quantity]) => {
        const left = found.get(key)?.onHand
        return left === quantity ? [] : [`${key}: ${left} left, ${quantity} expected`]
      })
    ]
  }).pipe(Effect.provide(services(url)), Effect.runPromise)
